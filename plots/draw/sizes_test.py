#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws each committed figure as a column, a page, a slide and for the web, and checks that all in
it can be read, and on the web all notes: python3 plots/draw/sizes_test.py [PART OF].

With `1 2` it checks every second figure, so that two processes share the work. It ends with 77
if matplotlib is missing.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "testing"))
from samples import FIGURES, SIZES, laid_out
import check

PART, OF = (int(sys.argv.pop(1)), int(sys.argv.pop(1))) if len(sys.argv) > 2 else (1, 1)


class Sizes(unittest.TestCase):
    def test_every_figure_can_be_read_at_every_size(self):
        for path in FIGURES[PART - 1::OF]:
            for name, words in SIZES.items():
                with self.subTest(figure=str(path), size=name):
                    page = laid_out(path, *words)
                    self.assertEqual(check.faults(page), [])
                    if page.style.web:
                        texts = " ".join(text.get_text() for text in page.canvas.texts)
                        for note in page.figure.notes:  # others stand beneath: docs/pages_test.py
                            self.assertIn(note, texts.replace("\n", " "))


if __name__ == "__main__":
    unittest.main()
