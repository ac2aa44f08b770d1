#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the renderer of figures: python3 plots/draw/qbdraw_test.py.

It ends with 77 if matplotlib is missing.
"""
import contextlib
import io
import json
import math
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import matplotlib
except ImportError:
    print("matplotlib is missing: install python3-matplotlib.")
    sys.exit(77)
from qbdraw import check, colour, command, labels, legend, read, scale, style

FONTS = ("Liberation Sans", "DejaVu Sans")


def axis(column, **more):
    return {"label": f"{column} (unit)", "column": column, **more}


def line(name, points, **more):
    return {"name": name, "colour": "#0072b2", "points": points, **more}


def rectangle(name, *edges, **more):
    """Makes a series of one rectangle: x_low, x_high, low, high."""
    x_low, x_high, low, high = edges
    point = ((x_low + x_high) / 2, (low + high) / 2, low, high, x_low, x_high)
    return line(name, [point], draw="rectangles", **more)


def limit(name, y):
    return line(name, [("", y)], kind="limit", draw="limit", colour="#6e6e6e", dash=1)


def panel(*series, x=None, y=None, **more):
    return {"x": x or axis("n"), "y": y or axis("ms"), "series": list(series), **more}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, *panels, **figure):
        """Writes figure.json and figure.csv; gives the path of the JSON."""
        rows = ["panel,series,kind,n,ms,ms_low,ms_high,n_low,n_high,disturbed"]
        for p, one in enumerate(panels, 1):
            for series in one["series"]:
                for point in series.pop("points", []):
                    cells = [p, f'"{series["name"]}"', series.get("kind", "data"), *point]
                    rows.append(",".join(map(str, cells)) + "," * (9 - len(cells)))
        names = [series["name"] for one in panels for series in one["series"]]
        data = {"schema": 1, "title": "A title", "legend": list(dict.fromkeys(names)),
                "panels": panels, **figure}
        return self.save(json.dumps(data), "\n".join(rows) + "\n")

    def save(self, text, csv="panel,series,kind,n,ms\n"):
        path = os.path.join(self.folder, "figure.json")
        for name, content in ((path, text), (path[:-5] + ".csv", csv)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(content)
        return path

    def run_qbdraw(self, *arguments):
        """Gives the exit code and what was printed."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = command.main(list(arguments))
        return code, said.getvalue()

    def page(self, path, *arguments):
        """Lays a figure out; gives its page."""
        options = command.make_parser().parse_args([path, *arguments])
        return command.laid_out(path, options)

    def content(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()


RISING = [(1, 1), (2, 2), (4, 4)]
FALLING = [(1, 9), (2, 8), (4, 7)]


class Reading(Folder):
    def test_a_cell_that_is_empty_is_not_available(self):
        path = self.write(panel(line("a", [(1, ""), (2, 3)])))
        points = read.read_figure(path).panels[0].series[0].points
        self.assertTrue(math.isnan(points[0].y))
        self.assertEqual((points[1].x, points[1].y), (2.0, 3.0))

    def test_what_is_broken_is_named(self):
        good = {"schema": 1, "panels": [panel(line("a", []))]}
        del good["panels"][0]["series"][0]["points"]
        wrong = [("{", "is not JSON"), (json.dumps({"schema": 1}), "has no panels"),
                 (json.dumps({**good, "schema": 2}), "schema 2"),
                 (json.dumps({**good, "title": 7}), "title must be of the type"),
                 (json.dumps(good).replace('"name"', '"draw": "pie", "name"'), "'pie' is not one"),
                 (json.dumps(good).replace("#0072b2", "blue"), "#rrggbb")]
        for text, said in wrong:
            code, message = self.run_qbdraw(self.save(text))
            self.assertEqual((code, said in message), (2, True), message)
        code, message = self.run_qbdraw(self.save(json.dumps(good),
                                                  "panel,series,kind,n,ms\n1,b,data,1,2\n"))
        self.assertEqual((code, "figure.csv:2" in message), (2, True), message)

    def test_a_missing_file_ends_with_3(self):
        path = self.write(panel(line("a", RISING)))
        os.remove(path[:-5] + ".csv")
        self.assertEqual(self.run_qbdraw(path)[0], 3)
        self.assertEqual(self.run_qbdraw(path + "x")[0], 3)


class Scales(unittest.TestCase):
    def tics(self, kind, low, high, fits=lambda tics: True, **more):
        return [text for _, text in
                scale.choose_tics(self.axis(scale=kind, **more), low, high, fits)]

    def axis(self, **fields):
        return read.from_json(read.AXIS, fields, "axis")

    def test_tics_are_at_values_that_people_say(self):
        self.assertEqual(self.tics("linear", 0, 100), ["0", "20", "40", "60", "80", "100"])
        self.assertEqual(self.tics("linear", 0, 1.2e6)[-1], "1.2 M")
        self.assertEqual(self.tics("log10", 0.9, 60), ["1", "2", "5", "10", "20", "50"])
        self.assertEqual(self.tics("log10", 0.9, 1.1e5)[:2], ["10⁰", "10¹"])
        self.assertEqual(self.tics("log10", 1, 1e3)[-1], "1,000")
        self.assertEqual(self.tics("log2", 2, 128), ["2", "4", "8", "16", "32", "64", "128"])
        self.assertEqual(self.tics("log2", 2.0**17, 2.0**21)[::4], ["128 Ki", "2 Mi"])
        self.assertEqual(self.tics("linear", 0.8, 4.2, whole=True), ["1", "2", "3", "4"])
        self.assertEqual(self.tics("linear", 0, 9, tics=[[3, "three"]]), ["three"])

    def test_there_are_two_to_seven_that_fit(self):
        for kind in ("linear", "log10", "log2"):
            for low in (1e-7, 0.3, 17.0):
                for factor in (1.5, 4.0, 30.0, 1e4, 1e8):
                    for most in (3, 7):
                        tics = self.tics(kind, low, low * factor, lambda t: len(t) <= most)
                        self.assertTrue(2 <= len(tics) <= 7, (kind, low, factor, tics))
                        self.assertEqual(len(set(tics)), len(tics))

    def test_ranges(self):
        self.assertEqual(scale.axis_range(self.axis(from_zero=True), [5, 10])[0], 0.0)
        self.assertEqual(scale.axis_range(self.axis(tight=True), [5, math.nan, 10]), (5, 10))
        low, high = scale.axis_range(self.axis(least_span=10.0), [4, 6])
        self.assertAlmostEqual(high - low, 10.0)
        self.assertGreater(scale.axis_range(self.axis(scale="log10"), [0, 3, 9])[0], 0.0)


class Drawing(Folder):
    def test_lines_on_one_another_are_named_together(self):
        same = [(x, y * 1.0001) for x, y in RISING]
        page = self.page(self.write(panel(
            line("ring", RISING), line("zigzag", same[:2], mark=1), line("cqs", FALLING),
            line("model", RISING, dash=1))))
        names = [group.name for group in page.cells[0].groups]
        self.assertEqual(names, ["ring = zigzag (1 to 2)", "cqs", "model"])
        drawn = {mark.get_markerfacecolor() for mark in page.cells[0].axes.lines
                 if mark.get_marker() == "s"}
        self.assertEqual(drawn, {"none"})

    def test_names_stand_at_lines_and_the_legend_has_the_others(self):
        theirs = line("theirs", [(1, 3), (4, 5)], kind="published")
        path = self.write(panel(line("up", RISING), line("down", FALLING), theirs),
                          legend=["up", "down"], published_legend="published")

        def legend_of(*options):
            made = self.page(path, *options).legend
            return [text.get_text() for text in made.get_texts()] if made else []

        self.assertEqual(legend_of(), ["published"])
        self.assertEqual(legend_of("--legend", "right"), ["up", "down", "published"])
        self.assertEqual(legend_of("--legend", "none"), [])
        texts = [text.get_text() for text in check.drawn_texts(self.page(path))]
        self.assertTrue({"up", "down"} <= set(texts))

    def test_labels_are_spread_in_order(self):
        places = labels.spread([5.0, 5.5, 20.0], [4.0, 4.0, 4.0], 0.0, 30.0)
        self.assertEqual(places[2], 20.0)
        self.assertAlmostEqual(places[1] - places[0], 4.0)
        self.assertEqual(labels.spread([0.0, 29.9], [4.0, 4.0], 0.0, 30.0), [2.0, 28.0])

    def test_a_case_without_a_value_stands_above_the_limit(self):
        for bound in (6, None):
            page = self.page(self.write(panel(
                line("a", RISING), *([limit("memory", bound)] if bound else []),
                line("a", [(8, bound or "")], kind="out_of_memory", draw="out_of_memory"))))
            cell = page.cells[0]
            cross = next(mark for mark in cell.axes.lines if mark.get_marker() == "x")
            height = cross.get_transform().transform((8, cross.get_ydata()[0]))[1]
            base = cell.axes.transData.transform((8, cell.strip_base))[1]
            self.assertGreater(height, base)
            self.assertGreaterEqual(cell.strip_base, bound or 4)
            self.assertTrue(all(at <= cell.strip_base
                                for at in cell.axes.yaxis.get_majorticklocs()))

    def test_a_disturbed_mark_is_hollow(self):
        points = [(1, 1, "", "", "", "", 1), (2, 2)]
        axes = self.page(self.write(panel(line("a", points)))).cells[0].axes
        faces = [(mark.get_markerfacecolor(), list(mark.get_xdata())) for mark in axes.lines
                 if mark.get_marker() == "o"]
        self.assertEqual(sorted(faces), [("#0072b2", [2.0]), ("#ffffff", [1.0])])

    def test_a_text_is_in_its_rectangle_or_left_out(self):
        page = self.page(self.write(panel(
            rectangle("wide", 0, 18, 0, 8, text="words"),
            rectangle("thin", 18, 19, 0, 8, text="words"),
            rectangle("small", 19, 20, 0, 0.5, text="words"))))
        rotations = [bar.text.get_rotation() if bar.text.get_visible() else None
                     for bar in page.cells[0].bars]
        self.assertEqual(rotations, [0.0, 90.0, None])

    def test_shared_axes_carry_their_labels_once(self):
        page = self.page(self.write(*(panel(line("a", RISING)) for _ in range(4)), columns=2,
                                    shared_axes=True), "--width", "7.16in")
        shown = [(cell.axes.get_xlabel() != "", cell.axes.get_ylabel() != "")
                 for cell in page.cells]
        self.assertEqual(shown, [(False, True), (False, False), (True, True), (True, False)])
        self.assertEqual(len({cell.axes.get_xlim() for cell in page.cells}), 1)


class Files(Folder):
    def test_the_same_figure_has_the_same_bytes(self):
        path = self.write(panel(line("a", RISING), rectangle("b", 1, 2, 1, 2, text="b")))
        names = ["figure." + format for format in ("svg", "pdf", "png")]
        self.assertEqual(self.run_qbdraw(path)[0], 0)
        first = [self.content(name) for name in names]
        self.assertEqual(self.run_qbdraw(path)[0], 0)
        self.assertEqual([self.content(name) for name in names], first)
        self.assertNotIn(b"CreationDate", first[1])

    def test_the_svg_says_where_its_axes_are(self):
        path = self.write(panel(line("a", RISING), x=axis("n", scale="log2"),
                                y=axis("ms", reversed=True)))
        self.run_qbdraw(path, "--format", "svg", "--width", "90mm")
        text = self.content("figure.svg").decode()
        self.assertRegex(text, r'width="255\.1\d*pt" height="[\d.]+pt" viewBox="0 0 255\.1')
        places = json.loads(re.search(r"<!-- qb: (.*) -->\n</svg>", text)[1])["panels"][0]
        x, y = places["x"], places["y"]
        self.assertEqual((x["log"], y["log"]), (True, False))
        self.assertTrue(x["min"] <= 1 and x["max"] >= 4 and 0 < x["from"] < x["to"] < 256)
        self.assertTrue(y["from"] < y["to"])  # reversed: the least is at the top

    def test_options(self):
        path = self.write(panel(line("a", RISING)), panel(line("b", RISING), line("c", FALLING)))
        page = self.page(path, "--panels", "2", "--series", "b", "--colour", "b=#d95f02",
                         "--title", "none", "--width", "89mm", "--height", "2in",
                         "--font-size", "8", "--style", "acm")
        self.assertEqual(len(page.cells), 1)
        self.assertEqual([(one.name, one.colour) for one in page.cells[0].panel.series],
                         [("b", "#d95f02")])
        self.assertEqual([round(inches, 3) for inches in page.canvas.get_size_inches()],
                         [3.504, 2.0])
        self.assertEqual(page.figure.title, "")
        self.assertEqual(page.style.rc["axes.labelsize"], 8.5)

    def test_bad_options_end_with_2_and_one_sentence(self):
        path = self.write(panel(line("a", RISING)), panel(line("a", RISING)))
        for options in (["--width", "far"], ["--format", "gif"], ["--panels", "3"],
                        ["--series", "z"], ["--colour", "a=red"], ["--style", "nature"],
                        ["--height", "1in", "--width", "1in"], ["--dpi", "1"], ["--nothing"]):
            code, said = self.run_qbdraw(path, *options)
            self.assertEqual((code, said.count("\n")), (2, 1), said)

    def test_pgf_without_latex_ends_with_3(self):
        if shutil.which("xelatex"):
            self.skipTest("LaTeX is installed")
        code, said = self.run_qbdraw(self.write(panel(line("a", RISING))), "--format", "pgf")
        self.assertEqual((code, "xelatex" in said), (3, True), said)

    def test_values_that_a_log_axis_lacks_are_not_drawn(self):
        path = self.write(panel(line("a", [(1, -3), (2, 5)]), y=axis("ms", scale="log10")))
        marks = [at for mark in self.page(path).cells[0].axes.lines if mark.get_marker() == "o"
                 for at in mark.get_ydata() if math.isfinite(at)]
        self.assertEqual(marks, [5.0])

    def test_shipped_styles(self):
        path = self.write(panel(line("a", RISING)), provenance="where it comes from")
        for name in style.SHIPPED:
            page = self.page(path, "--style", name)
            texts = [text.get_text() for text in check.drawn_texts(page)]
            self.assertEqual("where it comes from" in texts, name == "web")
            self.assertLessEqual(page.canvas.get_figheight(), page.style.highest)


class Check(Folder):
    def faults(self, plant):
        page = self.page(self.write(panel(line("up", RISING), line("down", FALLING))))
        self.assertEqual(check.faults(page), [])
        axes = page.cells[0].axes
        plant(page, axes)
        return " ".join(check.faults(page))

    def test_it_finds_what_is_planted(self):
        self.assertIn("outside the canvas",
                      self.faults(lambda page, axes: page.canvas.text(0.99, 0.5, "too far")))
        self.assertIn("'two' stands over 'one'", self.faults(
            lambda page, axes: [page.canvas.text(0.5, 0.45, text) for text in ("one", "two")]))
        self.assertIn("stands over a mark",
                      self.faults(lambda page, axes: axes.text(2, 8, "here", ha="center")))
        self.assertIn("a line goes through",
                      self.faults(lambda page, axes: axes.text(3, 7.5, "here", va="center")))
        self.assertIn("has a contrast of",
                      self.faults(lambda page, axes: axes.text(2, 5, "pale", color="#bbbbbb")))
        self.assertIn("has 5 pt",
                      self.faults(lambda page, axes: axes.text(2, 5, "small", size=5)))
        self.assertIn("is the most",
                      self.faults(lambda page, axes: page.canvas.set_figheight(8)))

    def test_a_text_on_the_bar_of_another_is_a_fault(self):
        page = self.page(self.write(panel(rectangle("a", 0, 4, 0, 4, text="own"))))
        self.assertEqual(check.faults(page), [])
        page.cells[0].axes.text(1, 1, "other", color="#ffffff")
        self.assertIn("'other' stands over a bar", " ".join(check.faults(page)))

    def test_a_fault_ends_with_1(self):
        path = self.write(panel(line("a", RISING)))
        code, said = self.run_qbdraw("--check", "--format", "png", "--title", "x" * 99,
                                     "--series", "a", "--colour", "a=#123456", path)
        self.assertEqual((code, "outside the canvas" in said), (1, True), said)

    def test_inks_can_be_read(self):
        for one in ("#f5e93a", "#56b4e9", "#111111", "#ebb68c"):
            self.assertGreaterEqual(colour.contrast(colour.ink(one), "#ffffff"), 4.5)
            self.assertGreaterEqual(colour.contrast(colour.text_on(one), one), 4.5)

    def test_each_kind_passes_in_both_fonts_and_widths(self):
        lanes = axis("ms", tics=[[i, f"worker {i}"] for i in range(4)], reversed=True)
        gantt = panel(*(rectangle(f"step {i}", i, i + 2, i - 0.4, i + 0.4, text=f"{i}")
                        for i in range(4)), y=lanes)
        lines = panel(*(line(f"W = {i}", [(x, y * i) for x, y in RISING], colour=f"#00{i}0b2")
                        for i in (4, 5, 7)), limit("machine 30 GiB", 30),
                      line("W = 7", [(8, 30)], kind="out_of_memory", draw="out_of_memory"),
                      title="the peak of the memory of the fullest of all devices of a run",
                      x=axis("n", scale="log2"), y=axis("ms", scale="log10"))
        for panels in ([lines], [gantt], [lines, gantt]):
            path = self.write(*json.loads(json.dumps(panels)), columns=2)
            for font in FONTS:
                sheet = os.path.join(self.folder, "font.mplstyle")
                with open(sheet, "w", encoding="utf-8") as file:
                    file.write(f"font.family: sans-serif\nfont.sans-serif: {font}\n")
                for width in ("3.5in", "7.16in"):
                    page = self.page(path, "--style", sheet, "--width", width)
                    self.assertEqual(check.faults(page), [], (font, width))


class Committed(unittest.TestCase):
    """The figures of paper_figures/: all are read, and captions are as short as venues want."""

    def test_every_figure_is_read_and_has_few_words(self):
        root = pathlib.Path(__file__).resolve().parents[2] / "paper_figures"
        figures = sorted(picture.with_suffix(".json") for picture in root.rglob("*.svg"))
        self.assertGreaterEqual(len(figures), 30)
        for path in figures:
            figure = read.read_figure(str(path))
            self.assertTrue(any(one.points for panel in figure.panels for one in panel.series), path)
            words = " ".join([figure.title, *figure.notes]).split()
            self.assertLessEqual(len(words), 60, path)
            self.assertLessEqual(len(figure.panels), 8, path)


if __name__ == "__main__":
    unittest.main()
