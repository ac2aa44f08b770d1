# SPDX-License-Identifier: Apache-2.0
"""Reads a figure: its declaration from NAME.json and its marks from NAME.csv.

A row of the CSV belongs to the series of its panel, name and kind. An empty cell is a value that is
not available, NaN here. Fields of the JSON that this program does not know are passed over.
"""
import copy
import csv
import json
import math
import re
from dataclasses import dataclass
from types import SimpleNamespace

class FigureError(Exception):
    """Says what is wrong with a figure's files or with an option."""

@dataclass
class Point:
    x: float = math.nan
    y: float = math.nan
    low: float = math.nan  # interval, or edges of a rectangle
    high: float = math.nan
    x_low: float = math.nan
    x_high: float = math.nan
    disturbed: bool = False
    text: str = ""

# The fields of the JSON's objects with their defaults.
AXIS = {"label": "", "column": "", "scale": "linear", "from_zero": False, "reversed": False,
        "tight": False, "whole": False, "least_span": 0.0, "tics": []}
SERIES = {"name": "", "kind": "data", "draw": "line_points", "colour": "#000000", "mark": 0,
          "dash": 0, "thin": False, "unlisted": False, "text": "", "hatch": "",
          "text_x": math.nan, "text_y": math.nan}  # where texts stand that are not in rectangles
PANEL = {"title": "", "x": {}, "y": {}, "own_axes": False, "series": []}
FIGURE = {"title": "", "provenance": "", "notes": [], "columns": 1, "square": False,
          "shared_axes": False, "shared_x": False, "legend": [], "published_legend": "",
          "panels": []}
PARTS = {"x": AXIS, "y": AXIS, "series": SERIES, "panels": PANEL}
WORDS = {"scale": ("linear", "log10", "log2"),
         "kind": ("data", "published", "out_of_memory", "not_tried", "limit"),
         "draw": ("line_points", "line", "points", "steps", "rectangles", "out_of_memory",
                  "not_tried", "limit")}

def check_value(name, value, where):
    if name in WORDS and value not in WORDS[name]:
        raise FigureError(f"{where}: {name} {value!r} is not one of {', '.join(WORDS[name])}.")
    if name == "colour" and not re.fullmatch("#[0-9a-fA-F]{6}", value):
        raise FigureError(f"{where}: colour {value!r} must be of the form #rrggbb.")
    if name == "tics" and not all(isinstance(tic, list) and len(tic) == 2
                                  and isinstance(tic[0], (int, float)) for tic in value):
        raise FigureError(f"{where}: a tic must be a pair of a number and a text.")

def from_json(fields, data, where):
    """Makes an object of these fields; each must have the type of its default."""
    if not isinstance(data, dict):
        raise FigureError(f"{where} must be an object.")
    made = SimpleNamespace()
    for name, default in fields.items():
        value = data.get(name, copy.copy(default))
        if type(value) is not type(default) and (type(value), type(default)) != (int, float):
            raise FigureError(f"{where}: {name} must be of the type of {default!r}.")
        check_value(name, value, where)
        if name in PARTS and isinstance(value, dict):
            value = from_json(PARTS[name], value, f"{where}, axis {name}")
        elif name in PARTS:
            value = [from_json(PARTS[name], part, f"{where}, {name} {i}")
                     for i, part in enumerate(value, 1)]
        setattr(made, name, value)
    if fields is AXIS:
        made.log = made.scale != "linear"
    if fields is SERIES:
        made.points = []
        made.is_cross = made.draw in ("out_of_memory", "not_tried")  # marks a case without a value
    return made

def read_points(figure, path):
    """Adds the rows of the CSV to their series."""
    series = {(str(p), one.name, one.kind): (panel, one)
              for p, panel in enumerate(figure.panels, 1) for one in reversed(panel.series)}
    with open(path, encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        columns = table.fieldnames or []
        for line, row in enumerate(table, 2):
            key = (row.get("panel"), row.get("series"), row.get("kind"))
            if key not in series:
                raise FigureError(f"{path}:{line}: the JSON has no series of this panel, name and "
                                  "kind.")
            panel, one = series[key]
            x, y = (axis.column if axis.column in columns else short
                    for axis, short in ((panel.x, "x"), (panel.y, "y")))
            if x not in columns or y not in columns:
                raise FigureError(f"{path}: a column is missing, {x} or {y}.")
            names = (x, y, y + "_low", y + "_high", x + "_low", x + "_high")
            try:
                values = [float(row.get(name) or "nan") for name in names]
            except ValueError as error:
                raise FigureError(f"{path}:{line}: {error}.") from None
            one.points.append(Point(*values, row.get("disturbed") == "1", row.get("text") or ""))

def read_figure(path):
    """Reads NAME.json and NAME.csv. Throws FigureError if they are broken, OSError if a file is
    missing."""
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except ValueError as error:
            raise FigureError(f"{path} is not JSON: {error}.") from None
    figure = from_json(FIGURE, data, path)
    if data.get("schema") != 1:
        raise FigureError(f"{path}: schema {data.get('schema')!r} is not 1; use a newer qbdraw.")
    if not figure.panels:
        raise FigureError(f"{path} has no panels to draw.")
    read_points(figure, path.removesuffix(".json") + ".csv")
    return figure
