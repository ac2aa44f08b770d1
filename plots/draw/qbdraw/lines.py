# SPDX-License-Identifier: Apache-2.0
"""Lines with marks and intervals, and limits; and lines that lie on one another.

Such lines are drawn once with nested open marks and named together: `ring = striped = zigzag`.
Lines of different kinds (published, thin, dashed) are never joined.
"""
import math

import numpy as np

SLASH = 6       # the mark across a bar that is cut
MARKS = *"os^vDp", (2, 2, -25.0)
MARK_SIZE = (1.0, 0.95, 1.1, 1.1, 0.88, 1.12, 4.0)  # times lines.markersize: areas are equal
NESTED = (1.0, 1.64, 2.21, 2.8)
DASHES = ((0, ()), (0, (4, 2)), (0, (1, 1.6)))
CROWD = 50      # marks of a series; more are smaller
STROKE = 0.007  # a stroke's width, as a share of a panel's height

class Group:
    """A line and those under it, the one with the most points first."""

    def __init__(self, members, name):
        self.members, self.first, self.name = members, members[0], name
        self.gid = "key:" + " ".join(dict.fromkeys(one.key for one in members))
        self.names = {one.name for one in members}

def look_of(series, rc, nested=0):
    """Gives the settings of a Line2D for a series, or for one that lies under `nested` others."""
    width, size = rc["lines.linewidth"], rc["lines.markersize"]
    look = {"color": series.colour, "linewidth": width, "linestyle": DASHES[series.dash % 3],
            "marker": "", "markersize": size * MARK_SIZE[series.mark % 7],
            "markeredgewidth": 2.0 if series.mark == SLASH else 0.8,
            "markeredgecolor": series.colour, "dash_capstyle": "butt", "gid": series.gid}
    if series.draw in ("line_points", "points"):
        look["marker"] = MARKS[series.mark % 7]
        look["markerfacecolor"] = "#ffffff" if series.thin else "none" if nested else series.colour
        look["markersize"] *= NESTED[min(nested, len(NESTED) - 1)]
    if series.draw == "points":
        look["linestyle"] = "none"
    if series.thin:
        look["linewidth"] = 0.6 * width
    if series.kind == "published":
        look.update(linewidth=0.75 * width, markerfacecolor="#ffffff",
                    linestyle=DASHES[2] if series.draw != "points" else "none")
        if look["marker"] and not series.unlisted:  # else keys of the legend explain its mark
            look["marker"] = "x"
    if len(series.points) > CROWD and look["marker"]:
        look["markersize"] *= max(0.5, (CROWD / len(series.points))**0.5)
    if series.is_cross:
        mark, edge, larger = ("x", 1.3, 1.05) if series.draw == "out_of_memory" else ("+", 0.8, 1.2)
        look.update(marker=mark, linestyle="none", markeredgewidth=edge, markersize=size * larger)
    if series.draw == "limit":
        look.update(linestyle=(0, (5, 2)), linewidth=0.75 * width)
    if nested:
        look["linestyle"] = "none" if look["marker"] else (0, (3, 3))
    return look

def curve_of(series):
    """Gives the points of a line, or the marks that belong to one, by x; a limit has one."""
    if series.draw == "limit":
        return {0.0: series.points[0]} if series.points else {}
    marks = series.draw == "points" and series.unlisted
    return {p.x: p for p in series.points if (series.draw in ("line_points", "line") or marks)
            and math.isfinite(p.x) and math.isfinite(p.y)}

def covers(above, below, place):
    """Says whether all points of a curve, with their intervals, are among those of another."""
    def near(a, b):
        if not (math.isfinite(a) and math.isfinite(b)):
            return math.isfinite(a) == math.isfinite(b)
        return abs(place(a) - place(b)) <= STROKE

    return bool(below) and all(
        x in above and near(above[x].y, p.y) and near(above[x].low, p.low)
        and near(above[x].high, p.high) for x, p in below.items())

def joined_name(members):
    """Joins the names of lines and their curves: `ring = cqs (4 to 8), model` if cqs has no other
    points; `W = 7 and W = 8`."""
    names = [series.name for series, _ in members]
    ends = {name[name.find(", "):] if ", " in name else "" for name in names}
    end = ends.pop() if len(ends) == 1 else ""
    parts = [name.removesuffix(end) for name in names]
    for i, (_, curve) in enumerate(members):
        if len(curve) < len(members[0][1]):
            span = f"{min(curve):g} to {max(curve):g}"
            parts[i] += f" (at {min(curve):g})" if len(curve) == 1 else f" ({span})"
    return (" and " if any("=" in name for name in names) else " = ").join(parts) + end

def find_groups(cell):
    """Finds the groups of a panel's lines and limits; a line that is alone is one, too."""
    def kind(one):
        return one.draw, one.kind, one.thin, one.dash, one.unlisted

    def place(value):
        if cell.panel.y.log and value <= 0.0:
            return -1.0
        return (cell.height_of(value) - cell.axes.bbox.y0) / cell.axes.bbox.height

    curves = [(one, curve_of(one)) for one in cell.panel.series]
    left = sorted((pair for pair in curves if pair[1]), key=lambda pair: -len(pair[1]))
    groups = []
    while left:
        one, curve = left[0]
        members = [pair for pair in left if pair[0] is one or (
            kind(pair[0]) == kind(one) and covers(curve, pair[1], place))]
        left = [pair for pair in left if pair not in members]
        groups.append(Group([series for series, _ in members], joined_name(members)))
    return groups

def draw_line(cell, series, rc, nested):
    """Draws a line or points. A point without a y breaks the line."""
    look, axes = look_of(series, rc, nested), cell.axes
    zorder = 2.2 if series.thin else 2.5 + 0.1 * nested
    x, y = (np.array([getattr(p, name) for p in series.points]) for name in "xy")
    for values, axis in ((x, cell.panel.x), (y, cell.panel.y)):
        values[axis.log & (values <= 0.0)] = math.nan  # a log axis has no place for them
    if look["linestyle"] != "none":
        axes.plot(x, y, zorder=zorder, **{**look, "marker": ""})
    if not look["marker"]:
        return
    bars = [p for p in series.points if math.isfinite(p.low) and math.isfinite(p.high)]
    if bars and not nested:
        axes.vlines([p.x for p in bars], [p.low for p in bars], [p.high for p in bars],
                    colors=series.colour, linewidth=0.82 * rc["lines.linewidth"], zorder=2.4,
                    gid=series.gid)
    hollow = np.array([p.disturbed for p in series.points])
    for chosen, changed in ((~hollow, {}), (hollow, {"markerfacecolor": "#ffffff"})):
        if chosen.any():
            axes.plot(x[chosen], y[chosen], zorder=zorder + 0.05, clip_on=False,
                      **{**look, **changed, "linestyle": "none"})

def draw_lines(cell, rc):
    """Draws all of a panel that is not a rectangle or a mark of a missing value."""
    cell.groups = find_groups(cell)
    nested = {id(one): i for group in cell.groups for i, one in enumerate(group.members)}
    for one in cell.panel.series:
        if one.draw == "rectangles" or one.is_cross or not one.points:
            continue
        if one.draw != "limit":
            draw_line(cell, one, rc, nested.get(id(one), 0))
        elif nested[id(one)] == 0:
            look = look_of(one, rc)
            cell.axes.axhline(one.points[0].y, zorder=2.1, color=look["color"], gid=one.gid,
                              linestyle=look["linestyle"], linewidth=look["linewidth"])
