#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the renderer of figures: python3 plots/draw/qbdraw_test.py.

It ends with 77 if matplotlib is missing.
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "testing"))
from samples import (DRAW, FALLING, FIGURES, FONTS, RISING, Folder, axis, limit, line, panel,
                     rectangle)
import check
import matplotlib.colors
from qbdraw import colour, labels, read, scale, style

try:
    import jsonschema
except ImportError:
    jsonschema = None


class Reading(Folder):
    def test_a_cell_that_is_empty_is_not_available(self):
        path = self.write(panel(line("a", [(1, ""), (2, 3)])))
        points = read.read_figure(path).panels[0].series[0].points
        self.assertTrue(math.isnan(points[0].y))
        self.assertEqual((points[1].x, points[1].y), (2.0, 3.0))

    def test_what_is_broken_is_named(self):
        good = {"schema": 1, "panels": [panel(line("a", []))]}
        del good["panels"][0]["series"][0]["points"]
        text = json.dumps(good)
        wrong = [("{", "is not JSON"), (json.dumps({"schema": 1}), "lacks 'panels'"),
                 (json.dumps({**good, "schema": 2}), "use a newer qbdraw"),
                 (json.dumps({**good, "title": 7}), "title must be of the type string"),
                 (json.dumps({**good, "titel": ""}), "has a field 'titel'"),
                 (json.dumps({**good, "panels": []}), "panels has 0 items"),
                 (text.replace('"name"', '"draw": "pie", "name"'), "'pie' is not one"),
                 (text.replace('"label"', '"tics": [[1]], "label"', 1), "tics 1 has 1 items"),
                 (text.replace("#0072b2", "blue"), "panels 1, series 1, colour 'blue'")]
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
        made = read.from_json(read.SCHEMA["$defs"]["axis"], {"column": "x", **fields}, "axis")
        made.log = made.scale != "linear"
        return made

    def test_tics_are_at_values_that_people_say(self):
        self.assertEqual(self.tics("linear", 0, 100), ["0", "20", "40", "60", "80", "100"])
        self.assertEqual(self.tics("linear", 0, 1.2e6)[-1], "1.2 M")
        self.assertEqual(self.tics("log10", 0.9, 60), ["1", "2", "5", "10", "20", "50"])
        self.assertEqual(self.tics("log10", 0.9, 1.1e5)[:2], ["10⁰", "10¹"])
        self.assertEqual(self.tics("log10", 1, 1e3)[-1], "1,000")
        self.assertEqual(self.tics("log10", 13, 5400), ["30", "100", "300", "1,000", "3,000"])
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
        self.assertEqual(legend_of("--legend", "below"), ["up", "down", "published"])
        self.assertEqual(legend_of("--legend", "none"), [])
        texts = [text.get_text() for text in check.drawn_texts(self.page(path))]
        self.assertTrue({"up", "down"} <= set(texts))

    def test_published_lines_alone_are_named_on_grey(self):
        theirs = line("theirs", RISING, kind="published")
        path = self.write(panel(line("ours", RISING), dict(theirs)),
                          panel(theirs, own_axes=True), shared_axes=True, legend=["ours"],
                          published_legend="published")
        page = self.page(path)
        self.assertEqual([[label.get_text() for label in cell.labels if hasattr(label, "get_text")]
                          for cell in page.cells], [["ours"], ["theirs"]])
        self.assertEqual([matplotlib.colors.to_hex(cell.axes.get_facecolor())
                          for cell in page.cells], ["#ffffff", colour.STRIP])

    def test_marks_that_lie_on_one_another_are_nested_and_a_cut_bar_has_a_slash(self):
        marks = {"draw": "points", "unlisted": True}
        page = self.page(self.write(
            panel(line("a, counted", RISING, **marks), line("b, counted", RISING, mark=1, **marks),
                  rectangle("bar", 0, 4, 0, 1), line("cut", [(3.8, 0.5)], mark=6,
                                                     colour="#ffffff", **marks))))
        drawn = {str(mark.get_marker()): mark for mark in page.cells[0].axes.lines}
        self.assertEqual(drawn["s"].get_markerfacecolor(), "none")
        self.assertIn("(2, 2, -25.0)", drawn)

    def test_panels_side_by_side_share_numbers_of_one_range_only(self):
        def numbers_beside(most):
            tics = axis("ms", from_zero=True, tics=[[0, "0"], [1, "1"]])
            path = self.write(panel(line("a", [(1, 0), (2, 2)]), y=tics),
                              panel(line("a", [(1, 0), (2, most)]), y=tics), columns=2)
            right = self.page(path, "--width", "7.16in").cells[1].axes.yaxis
            return any(tic.label1.get_visible() for tic in right.get_major_ticks())

        self.assertFalse(numbers_beside(2))
        self.assertTrue(numbers_beside(3))

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

    def test_the_svg_for_the_web_tells_the_values_of_its_marks(self):
        names = axis("n", tics=[[0, "512"], [1, "1,024"]])
        path = self.write(
            panel(line("a < b", [(1, 2.25, 2, 2.5, "", "", 1), (4, "")]),
                  line("W = 1", [(20000, 1e6)], kind="published"), limit("most", 9)),
            panel(rectangle("part", 0.6, 1.4, 10, 30), x=names))
        self.run_qbdraw(path, "--format", "svg", "--width", "90mm", "--style", "web")
        text = self.content("figure.svg").decode()
        self.assertRegex(text, r'width="255\.1\d*pt" height="[\d.]+pt" viewBox="0 0 255\.1')
        self.assertEqual(re.findall("<title>(.*?)</title>", text), [
            "a &lt; b: ms (unit) 2.25 (2 to 2.5) at n (unit) 1, disturbed",
            "W = 1, published: ms (unit) 1,000,000 at n (unit) 20,000",
            "part: ms (unit) 10 to 30 at n (unit) 1,024"])
        # The first mark is where the line has it.
        use = re.search(r'<use [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*fill: #ffffff', text)
        shape = re.search(r'<circle cx="([\d.]+)" cy="([\d.]+)"', text)
        for drawn, pointed in zip(use.groups(), shape.groups()):
            self.assertAlmostEqual(float(drawn), float(pointed), delta=0.1)
        self.run_qbdraw(path, "--format", "svg")
        self.assertNotIn(b"<title>", self.content("figure.svg"))

    def drawn_keys(self, *panels, **more):
        """Draws panels; gives the keys of the names in the SVG, by name, and those of what is drawn
        in the panels, each once."""
        self.run_qbdraw(self.write(*panels, **more), "--format", "svg", "--style", "web")
        text = self.content("figure.svg").decode()
        names = re.findall(r'<g data-key="([^"]*)">\s*(?:<!--.*?-->\s*)?<text [^>]*>(.*?)</text>', text)
        marks = re.findall(r'data-series="([^"]*)"', text)
        self.assertNotRegex(text, 'id="(series|key):')
        return {name: key for key, name in names}, dict.fromkeys(marks, 0).keys()

    def test_a_name_has_the_keys_of_the_series_in_all_panels_that_it_stands_for(self):
        same = [(x, y * 1.0001) for x, y in RISING]
        names, marks = self.drawn_keys(
            panel(line("ring", RISING), line("zigzag", same, mark=1), line("cqs", FALLING)),
            panel(line("cqs", FALLING), rectangle("bar", 1, 2, 1, 2, text="b", hatch="/")))
        self.assertEqual(names["cqs"], "2")
        self.assertEqual(names["bar"], "3")
        self.assertEqual(set(marks), {"0 data", "1 data", "2 data", "3 data"})
        names, _ = self.drawn_keys(panel(line("ring", RISING), line("zigzag", same, mark=1)))
        self.assertEqual(names, {"ring = zigzag": "0 1"})

    def test_a_kind_has_a_key_and_what_the_legend_leaves_out_that_of_its_like(self):
        shapes = {"draw": "points", "mark": 3}
        names, marks = self.drawn_keys(
            panel(line("a", RISING), line("a", [(2, "")], kind="out_of_memory", draw="out_of_memory"),
                  line("a, bound", FALLING, draw="line", unlisted=True),
                  line("theirs", [(1, 3), (4, 5)], kind="published"),
                  line("b 1", FALLING, colour="#111111", **shapes),
                  line("a shape", [], colour="#6e6e6e", **shapes)),
            legend=["a", "a shape"], published_legend="published")
        self.assertEqual(names, {"a": "0", "published": "published", "a shape": "4",
                                 "out of memory": "out_of_memory"})
        self.assertEqual(set(marks), {"0 data", "0 out_of_memory", "1 0 data", "2 published",
                                      "3 4 data"})

    def test_a_figure_that_is_refused_leaves_the_others_drawn(self):
        first = self.write(panel(line("a", RISING)))
        last = os.path.join(self.folder, "last.json")
        for end in (".json", ".csv"):
            shutil.copy(first[:-5] + end, last[:-5] + end)
        self.save("{", name="broken.json")
        broken, missing = (os.path.join(self.folder, name) for name in ("broken.json", "no.json"))
        for bad, ended in (([broken], 2), ([missing], 3), ([broken, missing], 3)):
            code, said = self.run_qbdraw("--format", "svg", first, *bad, last)
            self.assertEqual(code, ended)
            refused = [line for line in said.splitlines() if line.startswith("qbdraw: ")]
            self.assertEqual([path in line for path, line in zip(bad, refused)], [True] * len(bad))
            for path in (first, last):
                self.assertTrue(os.path.exists(path[:-5] + ".svg"))
                os.remove(path[:-5] + ".svg")

    def test_the_script_beside_a_figure_draws_it(self):
        path = self.write(panel(line("a", RISING)))
        script = path[:-5] + ".py"
        text = (DRAW / "edit.py").read_text(encoding="utf-8")
        for change in (("", ""), ("# figure", "figure"),
                       ('(""))', '(""), width="4in", style="acm")')):
            with open(script, "w", encoding="utf-8") as file:
                file.write(text.replace(*change))
            done = subprocess.run([sys.executable, script], capture_output=True, text=True,
                                  check=False, env={"QBDRAW": str(DRAW)})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(len(done.stdout.splitlines()), 3)
            svg = self.content("figure.svg").decode()
            self.assertEqual("Another title" in svg, change[0] == "# figure")
            self.assertEqual('width="288pt"' in svg, "4in" in change[1])
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("set QBDRAW to", done.stderr)

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

    def test_the_web_alone_has_notes_and_no_style_provenance(self):
        path = self.write(panel(line("a", RISING)), provenance="where it comes from",
                          notes=["What a mark means."])
        for name in style.SHIPPED:
            page = self.page(path, "--style", name)
            texts = [text.get_text() for text in check.drawn_texts(page)]
            self.assertEqual("What a mark means." in texts, name == "web")
            self.assertNotIn("where it comes from", texts)
            self.assertLessEqual(page.canvas.get_figheight(), page.style.highest)

    def test_notes_are_drawn_as_long_as_they_fit_into_a_few_lines(self):
        long = "This sentence says so much that it takes one line. " * 9
        path = self.write(panel(line("a", RISING)), notes=["First.", long, "Last."])
        page = self.page(path, "--style", "web")
        lines = page.canvas.texts[-1].get_text()
        self.assertTrue(lines.startswith("First. This") and lines.endswith("Last."))
        narrow = self.page(path, "--style", "web", "--width", "3.5in")
        self.assertEqual(narrow.canvas.texts[-1].get_text(), "First. Last.")
        self.assertGreater(page.canvas.get_figheight(),
                           self.page(path, "--width", "7.5in").canvas.get_figheight())
        self.assertEqual([check.faults(one) for one in (page, narrow)], [[], []])


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

    def test_a_text_in_a_gap_of_a_line_is_none(self):
        page = self.page(self.write(panel(line("a", [(1, 5), (2, 5), (3, ""), (4, 5), (5, 5)],
                                               draw="line"), line("b", FALLING))))
        text = page.cells[0].axes.text(3, 5, "here", ha="center", va="center")
        self.assertEqual(check.faults(page), [])
        text.set_x(1.5)
        self.assertIn("a line goes through 'here'", check.faults(page))

    def test_a_value_stays_with_its_name(self):
        page = self.page(self.write(panel(line("a", RISING))))
        text = "most of W = 7, ≤ 6.9 and B = 4 keys"
        for width in range(5, 90, 5):
            lines = page.wrap(text, width, 7)
            self.assertEqual(" ".join(lines), text)
            for kept in ("W = 7,", "≤ 6.9"):
                self.assertTrue(any(kept in line for line in lines), lines)

    def test_a_text_on_the_bar_of_another_is_a_fault(self):
        page = self.page(self.write(panel(rectangle("a", 0, 4, 0, 4, text="own"))))
        self.assertEqual(check.faults(page), [])
        page.cells[0].axes.text(1, 1, "other", color="#ffffff")
        self.assertIn("'other' stands over a bar", " ".join(check.faults(page)))

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
    """The figures of paper_figures/: all are as the schema says, and captions are as short as
    venues want."""

    def test_every_figure_is_read_and_has_few_words(self):
        self.assertGreaterEqual(len(FIGURES), 30)
        for path in FIGURES:
            figure = read.read_figure(str(path))
            self.assertTrue(any(one.points for panel in figure.panels for one in panel.series),
                            path)
            words = " ".join([figure.title, *figure.notes]).split()
            self.assertLessEqual(len(words), 75, path)
            self.assertLessEqual(len(figure.panels), 8, path)

    @unittest.skipUnless(jsonschema, "install python3-jsonschema")
    def test_the_schema_and_the_renderer_refuse_the_same(self):
        jsonschema.Draft202012Validator.check_schema(read.SCHEMA)
        validator = jsonschema.Draft202012Validator(read.SCHEMA)
        for path in [*FIGURES, DRAW / "golden" / "small.json"]:
            data = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(list(validator.iter_errors(data)), [], path)
            for part in (data, data["panels"][0], data["panels"][0]["x"],
                         data["panels"][0]["series"][0]):
                for name, wrong in [("colour of it", "#123456"), *((name, None) for name in part)]:
                    changed = {**part, name: wrong}
                    kept = dict(part)
                    part.clear()
                    part.update(changed)
                    self.assertFalse(validator.is_valid(data), (path, name))
                    with self.assertRaises(read.FigureError):
                        read.make_figure(data, "it")
                    part.clear()
                    part.update(kept)


if __name__ == "__main__":
    unittest.main()
