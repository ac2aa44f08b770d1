# SPDX-License-Identifier: Apache-2.0
"""Reads a figure: its declaration from NAME.json and its marks from NAME.csv.

A row of the CSV belongs to the series of its panel, name and kind. An empty cell is a value that is
not available, NaN here. Fields of the JSON that this program does not know are passed over.
"""
import csv
import dataclasses
import json
import math
import re
from dataclasses import dataclass, field


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


@dataclass
class Axis:
    label: str = ""
    column: str = ""
    scale: str = "linear"
    from_zero: bool = False
    reversed: bool = False
    tight: bool = False
    whole: bool = False
    least_span: float = 0.0
    tics: list = field(default_factory=list)

    @property
    def log(self):
        return self.scale != "linear"


@dataclass
class Series:
    name: str = ""
    kind: str = "data"
    draw: str = "line_points"
    colour: str = "#000000"
    mark: int = 0
    dash: int = 0
    thin: bool = False
    unlisted: bool = False
    text: str = ""
    text_x: float = math.nan  # where the texts of rectangles stand that are not in them
    text_y: float = math.nan
    hatch: str = ""
    points: list = field(default_factory=list)

    @property
    def is_cross(self):
        """Says whether it marks cases without a value."""
        return self.draw in ("out_of_memory", "not_tried")


@dataclass
class Panel:
    title: str = ""
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    own_axes: bool = False
    series: list = field(default_factory=list)


@dataclass
class Figure:
    title: str = ""
    provenance: str = ""
    notes: list = field(default_factory=list)
    columns: int = 1
    square: bool = False
    shared_axes: bool = False
    shared_x: bool = False
    legend: list = field(default_factory=list)
    published_legend: str = ""
    panels: list = field(default_factory=list)


PARTS = {"panels": Panel, "series": Series}  # of lists
WORDS = {
    "scale": ("linear", "log10", "log2"),
    "kind": ("data", "published", "out_of_memory", "not_tried", "limit"),
    "draw": ("line_points", "line", "points", "steps", "rectangles", "out_of_memory", "not_tried",
             "limit"),
}


def check_value(name, value, where):
    if name in WORDS and value not in WORDS[name]:
        raise FigureError(f"{where}: {name} {value!r} is not one of {', '.join(WORDS[name])}.")
    if name == "colour" and not re.fullmatch("#[0-9a-fA-F]{6}", value):
        raise FigureError(f"{where}: colour {value!r} must be of the form #rrggbb.")
    if name == "tics" and not all(isinstance(tic, list) and len(tic) == 2
                                  and isinstance(tic[0], (int, float)) for tic in value):
        raise FigureError(f"{where}: a tic must be a pair of a number and a text.")


def from_json(kind, data, where):
    """Makes a `kind` from an object of the JSON; each field must have the type of its default."""
    if not isinstance(data, dict):
        raise FigureError(f"{where} must be an object.")
    made = kind()
    for one in dataclasses.fields(kind):
        if one.name not in data or one.name == "points":
            continue
        value, default = data[one.name], getattr(made, one.name)
        if isinstance(default, Axis):
            value = from_json(Axis, value, f"{where}, axis {one.name}")
        elif type(value) is int and type(default) is float:
            value = float(value)
        elif type(value) is not type(default):
            raise FigureError(f"{where}: {one.name} must be of the type of {default!r}.")
        check_value(one.name, value, where)
        if one.name in PARTS:
            value = [from_json(PARTS[one.name], part, f"{where}, {one.name} {i}")
                     for i, part in enumerate(value, 1)]
        setattr(made, one.name, value)
    return made


def number(row, column, where):
    text = row.get(column) or ""
    try:
        return float(text) if text else math.nan
    except ValueError:
        raise FigureError(f"{where}: {column} {text!r} is not a number.") from None


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
            values = [number(row, name, f"{path}:{line}") for name in names]
            one.points.append(Point(*values, disturbed=row.get("disturbed") == "1",
                                    text=row.get("text") or ""))


def read_figure(path):
    """Reads NAME.json and NAME.csv. Throws FigureError if they are broken, OSError if a file is
    missing."""
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except ValueError as error:
            raise FigureError(f"{path} is not JSON: {error}.") from None
    figure = from_json(Figure, data, path)
    if data.get("schema") != 1:
        raise FigureError(f"{path}: schema {data.get('schema')!r} is not 1; use a newer qbdraw.")
    if not figure.panels:
        raise FigureError(f"{path} has no panels to draw.")
    read_points(figure, path.removesuffix(".json") + ".csv")
    return figure
