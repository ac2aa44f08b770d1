# SPDX-License-Identifier: Apache-2.0
"""Small figures for tests of the renderer, and a folder where they are written and drawn."""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

DRAW = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(DRAW), str(DRAW / "testing")]
try:
    import matplotlib
except ImportError:
    print("matplotlib is missing: install python3-matplotlib.")
    sys.exit(77)
from qbdraw import command, read

FIGURES = sorted(picture.with_suffix(".json")
                 for picture in (DRAW.parents[1] / "paper_figures").rglob("*.svg"))
SIZES = {"column": ["--width", "3.5in"], "page": ["--width", "7.16in"],
         "slide": ["--style", "slide"], "web": ["--style", "web"]}
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


def laid_out(path, *arguments):
    """Lays a figure out as the options say; gives its page."""
    figure, options = read.read_figure(str(path)), command.parse([str(path), *arguments])
    command.choose(figure, options, path)
    return command.laid_out(figure, options)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, *panels, **figure):
        """Writes figure.json and figure.csv; gives the path of the JSON."""
        rows = ["panel,series,kind,n,ms,ms_low,ms_high,n_low,n_high,disturbed,text"]
        for p, one in enumerate(panels, 1):
            for series in one["series"]:
                for point in series.pop("points", []):
                    cells = [p, f'"{series["name"]}"', series.get("kind", "data"), *point]
                    rows.append(",".join(map(str, cells)) + "," * (10 - len(cells)))
        names = [series["name"] for one in panels for series in one["series"]]
        data = {"schema": 1, "title": "A title", "legend": list(dict.fromkeys(names)),
                "panels": panels, **figure}
        return self.save(json.dumps(data), "\n".join(rows) + "\n")

    def save(self, text, csv="panel,series,kind,n,ms\n", name="figure.json"):
        path = os.path.join(self.folder, name)
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
        return laid_out(path, *arguments)

    def content(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()


RISING = [(1, 1), (2, 2), (4, 4)]
FALLING = [(1, 9), (2, 8), (4, 7)]
