# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of QuorumBench: NAME.json says what is shown, NAME.csv has the marks."""
import os
import sys

from qbdraw import command, read

def load(path):
    """Reads NAME.json and NAME.csv; the figure has the fields that figure.schema.json describes."""
    return read.read_figure(os.fspath(path))

def draw(figure, stem, **options):
    """Writes STEM.svg and the like, with the options of the command line: width="3.5in"."""
    words = [word for name, value in options.items()
             for word in ("--" + name.replace("_", "-"), str(value))]
    try:
        command.draw(figure, os.fspath(stem), command.parse(["figure.json", *words]))
    except (read.FigureError, OSError, RuntimeError) as error:
        sys.exit(f"qbdraw: {error}")
