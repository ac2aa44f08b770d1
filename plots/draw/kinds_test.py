#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws one figure of each kind that this field expects, at every size, and checks that all in it
can be read: python3 plots/draw/kinds_test.py [FOLDER], which keeps the pictures.

It ends with 77 if matplotlib is missing.
"""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "testing"))
from samples import SIZES, Folder, laid_out, limit, line
import check

KEPT = sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]) else None
COLOURS = {"ring": "#2572aa", "zigzag": "#409877", "all_gather_kv": "#7d4d10",
           "ulysses": "#c877a5", "cqs_sharded": "#801a4d", "cqs": "#d46207"}
LENGTHS = [2.0**i for i in range(17, 24)]


def axis(label, column, **more):
    return {"label": label, "column": column, **more}


def bars(name, colour, rectangles, **more):
    """Makes a series of rectangles: x_low, x_high, low, high and perhaps a text."""
    points = [((a + b) / 2, (c + d) / 2, c, d, a, b, "", *text) for a, b, c, d, *text in rectangles]
    return line(name, points, draw="rectangles", colour=colour, **more)


def worker_times():
    """Stacked bars in small groups: a panel for each W, a row for each scheme."""
    parts = [("compute", "#44546a", ""), ("exposed communication", "#e3a13c", "////"),
             ("gather and merge", "#b5541c", "xxxx"), ("idle", "#c9c9c9", "")]
    panels = []
    for workers in (4, 32, 128):
        series = [bars(name, colour, [], hatch=hatch, thin=True) for name, colour, hatch in parts]
        total = bars("wall clock", "#ffffff", [], unlisted=True)
        for row, scheme in enumerate(COLOURS):
            times = (900 / workers, 30 + 8 * row, 700 if scheme == "cqs" else 0, 4 * row)
            end = 0.0
            for one, time in zip(series, times):
                if time:
                    edges = end, end + time, row - 0.4, row + 0.4
                    one["points"] += bars("", "", [edges])["points"]
                end += time
            total["points"] += bars(
                "", "", [(end, end, row - 0.4, row + 0.4, f"{end:.0f}")])["points"]
        panels.append({
            "title": f"W = {workers}", "series": [*series, total],
            "x": axis("time of the worker that ends last (ms)", "n", from_zero=True),
            "y": axis("", "ms", reversed=True, tics=[[i, name] for i, name in enumerate(COLOURS)])})
    return panels, {"shared_x": True, "columns": 3, "legend": [part[0] for part in parts],
                    "title": "A ring waits for its messages from 32 workers on"}


def parity():
    """Dots on log-log axes with the diagonal."""
    ends = (0.5, 500.0)
    verdicts = {"agrees": ("#409877", 0), "unlike": ("#d46207", 2), "not tried": ("#6e6e6e", 1)}
    dots = [line(name, [(2.0**i, 2.0**i * (1.0 + 0.1 * (i % 3)) * 3.0**(k == 1))
                        for i in range(k, 9, 2)], draw="points", colour=colour, mark=mark)
            for k, (name, (colour, mark)) in enumerate(verdicts.items())]
    series = [line("ours = published", [(x, x) for x in ends], draw="line", dash=1,
                   colour="#6e6e6e"), *dots]
    panel = {"series": series, "x": axis("published (ms)", "n", scale="log10", tight=True),
             "y": axis("ours (ms)", "ms", scale="log10")}
    return [panel], {"square": True, "title": "Nine of ten rows agree within a factor of two",
                     "legend": [*verdicts, "ours = published"]}


def memory_by_owner():
    """Areas of steps, stacked: a rectangle for each owner and time between two events."""
    owners = {"Q": "#2572aa", "K": "#409877", "V": "#71a8d5", "scores": "#d46207",
              "buffers": "#c9c9c9", "output": "#801a4d"}
    series = {name: bars(name, colour, [], thin=True) for name, colour in owners.items()}
    for step in range(12):
        low = 0.0
        for k, name in enumerate(owners):
            high = low + (10 + k if (step + k) % 4 or name in "QKV" else 0)
            if high > low:
                series[name]["points"] += bars("", "", [(step, step + 1, low, high)])["points"]
            low = high
    panel = {"series": [*series.values(), limit("budget 90 MiB", 90)],
             "x": axis("time since its first tensor (ms)", "n", tight=True),
             "y": axis("active memory of a device (MiB)", "ms", from_zero=True)}
    return [panel], {"title": "The scores are the peak", "legend": [*owners, "budget 90 MiB"]}


def memory_limits():
    """Lines under two limits that carry their names."""
    lines = [line(name, [(n, n * (k + 1.3) / 4e5) for n in LENGTHS], colour=colour, mark=k % 6)
             for k, (name, colour) in enumerate(COLOURS.items())]
    panel = {"series": [*lines, limit("24 GiB", 24), limit("80 GiB", 80)],
             "x": axis("sequence length N (tokens)", "n", scale="log2"),
             "y": axis("memory of one device (GiB)", "ms", scale="log10")}
    return [panel], {"title": "A ring holds the longest sequence",
                     "legend": [*COLOURS, "24 GiB", "80 GiB"]}


def counted_bytes():
    """Analytic lines under counted marks, forward and backward."""
    roles = [line("formula", [], draw="line", colour="#6e6e6e"),
             line("counted in the plan", [], draw="points", colour="#6e6e6e")]
    panels = []
    for title, factor in (("forward", 1), ("backward", 3)):
        series = []
        for k, (name, power) in enumerate((("ring", 0), ("ulysses", 0.9), ("cqs_sharded", 0.5))):
            curve = [(w, factor * 1e3 * w**-power) for w in (2, 4, 8, 16, 32, 64, 128)]
            look = {"colour": COLOURS[name], "mark": k}
            series += [line(name, curve, draw="line", **look),
                       line(name + ", counted", curve[1:-1], draw="points", unlisted=True, **look)]
        panels.append({"title": title, "series": [*series, *roles],
                       "x": axis("workers W", "n", scale="log2"),
                       "y": axis("sent by the busiest worker (MiB)", "ms", scale="log2")})
    return panels, {"columns": 2, "shared_axes": True, "title": "CQS sends less than a ring",
                    "legend": ["ring", "ulysses", "cqs_sharded", "formula", "counted in the plan"]}


def roofline():
    """A slanted and a level roof on log-log axes, with dots below."""
    def roof(peak):
        return [(x, min(50.0 * x, peak)) for x in (0.25, peak / 50.0, 1000.0)]

    kernels = [("flash f32", 60, 190, "#2e2388"), ("flash bf16", 120, 430, "#e6a216"),
               ("materialized", 4, 90, "#801a4d"), ("decode", 0.5, 22, "#6e6e6e")]
    dots = [line(name, [(x, y)], draw="points", colour=colour, mark=k)
            for k, (name, x, y, colour) in enumerate(kernels)]
    panel = {"series": [line("bf16 peak", roof(500), draw="line"),
                        line("f32 peak", roof(240), draw="line", dash=1), *dots],
             "x": axis("FLOP a byte", "n", scale="log10"),
             "y": axis("achieved GFLOP/s", "ms", scale="log10")}
    return [panel], {"title": "flash reaches 80 % of its roof", "legend": [
        "bf16 peak", "f32 peak", *(one[0] for one in kernels)]}


class Kinds(Folder):
    def drawn(self, kind):
        """Writes a kind of figure, checks it at every size, and gives its page as a column."""
        panels, figure = kind()
        path = self.write(*panels, **figure)
        for name, words in SIZES.items():
            with self.subTest(kind=kind.__name__, size=name):
                page = laid_out(path, *words)
                self.assertEqual(check.faults(page), [])
                if KEPT:
                    page.canvas.savefig(os.path.join(KEPT, f"{kind.__name__}_{name}.png"), dpi=150)
        return laid_out(path)

    def texts(self, page):
        return [text.get_text() for text in check.drawn_texts(page)]

    def test_worker_times_carry_their_totals_and_share_their_axis(self):
        page = self.drawn(worker_times)
        self.assertIn("279", self.texts(page), "225 + 46 + 8 of all_gather_kv")
        self.assertEqual(len({cell.axes.get_xlim() for cell in page.cells}), 1)
        self.assertEqual(len(page.legend.get_texts()), 4)

    def test_parity_is_square(self):
        page = self.drawn(parity)
        page.canvas.draw_without_rendering()
        box = page.cells[0].axes.bbox
        self.assertAlmostEqual(box.width, box.height, delta=1.0)

    def test_memory_is_stacked_by_owner(self):
        page = self.drawn(memory_by_owner)
        boxes = sorted(bar.box()[:3] for bar in page.cells[0].bars)
        self.assertTrue(all(math.isfinite(side) for box in boxes for side in box))
        self.assertIn("budget 90 MiB", self.texts(page))

    def test_limits_are_named_at_their_lines(self):
        page = self.drawn(memory_limits)
        self.assertIsNone(page.legend)
        self.assertTrue({"24 GiB", "80 GiB", *COLOURS} <= set(self.texts(page)))

    def test_lines_have_names_and_the_legend_their_roles(self):
        page = self.drawn(counted_bytes)
        self.assertEqual([text.get_text() for text in page.legend.get_texts()],
                         ["formula", "counted in the plan"])

    def test_a_roofline_is_slanted_and_then_level(self):
        page = self.drawn(roofline)
        roof = page.cells[0].axes.lines[0].get_ydata()
        self.assertEqual(list(roof), [12.5, 500.0, 500.0])


if __name__ == "__main__":
    unittest.main()
