# SPDX-License-Identifier: Apache-2.0
"""Reads a figure: its declaration from NAME.json and its marks from NAME.csv.

What a declaration may have, and its defaults, stands in figure.schema.json alone. A row of the CSV
belongs to the series of its panel, name and kind. An empty cell is a value that is not available,
NaN here.
"""
import copy
import csv
import json
import math
import os
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

SCHEMA_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figure.schema.json")
with open(SCHEMA_PATH, encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)
TYPES = {"string": str, "number": (int, float), "integer": int, "boolean": bool, "array": list,
         "object": dict}

def refusals(schema, value):
    """Gives what a value lacks of those keywords of JSON Schema that the schema of figures uses."""
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind])
                 or isinstance(value, bool) and kind != "boolean"):
        yield f"must be of the type {kind}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{value!r} is not {schema['const']!r}; use a newer qbdraw"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{value!r} is not one of {', '.join(schema['enum'])}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{value!r} must match {schema['pattern']}"
    if "minimum" in schema and not value >= schema["minimum"]:
        yield f"must be {schema['minimum']} or more"
    if kind == "array":
        places = schema.get("prefixItems", [])
        if len(value) < schema.get("minItems", 0) or places and len(value) > len(places):
            yield f"has {len(value)} items"
    if kind == "object":
        yield from (f"lacks {name!r}" for name in schema["required"] if name not in value)
        yield from (f"has a field {name!r}, which is not one of {', '.join(schema['properties'])}"
                    for name in value if name not in schema["properties"])

def from_json(schema, value, where):
    """Makes what a value of the JSON says, with the defaults of the schema. Throws FigureError if
    the schema does not allow it."""
    schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    for refusal in refusals(schema, value):
        raise FigureError(f"{where} {refusal}.")
    if isinstance(value, list):
        parts = schema.get("prefixItems") or [schema["items"]] * len(value)
        return [from_json(part, one, f"{where} {i}")
                for i, (part, one) in enumerate(zip(parts, value), 1)]
    if not isinstance(value, dict):
        return value
    return SimpleNamespace(**{
        name: from_json(part, value[name], f"{where}, {name}") if name in value
        else copy.copy(part.get("default", math.nan))
        for name, part in schema["properties"].items()})

def make_figure(data, path):
    """Makes a figure without marks from a declaration."""
    figure = from_json(SCHEMA, data, path)
    for panel in figure.panels:
        for axis in (panel.x, panel.y):
            axis.log = axis.scale != "linear"
        for one in panel.series:
            one.points = []
            one.is_cross = one.draw in ("out_of_memory", "not_tried")  # a case without a value
    return figure

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

def shape_of(one):
    return one.draw, one.mark if one.draw == "points" else one.dash

def add_keys(figure):
    """Gives each series the keys of the names by which a page hides it: its own and, if the legend
    does not have it, those of the entries that look as it does; one without marks tells a shape."""
    every = [one for panel in figure.panels for one in panel.series]
    keys = {name: str(i) for i, name in enumerate(dict.fromkeys(one.name for one in every))}
    entries = {one.name: one for one in every if one.name in figure.legend and not one.unlisted}
    marked = {one.name for one in every if one.points}
    for one in every:
        like = [] if one.name in entries or one.kind != "data" else [
            keys[name] for name, other in entries.items()
            if (other.colour, other.mark) == (one.colour, one.mark)
            or name not in marked and one.draw != "rectangles" and shape_of(other) == shape_of(one)]
        one.key = keys[one.name]
        one.gid = " ".join(["series:" + one.key, *like, one.kind])

def read_figure(path):
    """Reads NAME.json and NAME.csv. Throws FigureError if they are broken, OSError if a file is
    missing."""
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except ValueError as error:
            raise FigureError(f"{path} is not JSON: {error}.") from None
    figure = make_figure(data, path)
    read_points(figure, path.removesuffix(".json") + ".csv")
    add_keys(figure)
    return figure
