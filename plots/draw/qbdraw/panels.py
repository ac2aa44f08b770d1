# SPDX-License-Identifier: Apache-2.0
"""The panels on the page: how many stand side by side, their heights, their ranges and marks."""
import math

from matplotlib.ticker import NullLocator

from qbdraw import lines, rectangles, scale, strip
from qbdraw.colour import STRIP
from qbdraw.page import Cell, sharing

COMFORTABLE = 20.0  # least width of a panel, in letters' sizes; with less height, down to TIGHT
TIGHT = 12.0
LINE = 1.25         # of a text, in letters' sizes

def is_category(panel, direction):
    """Says whether an axis has named places 1 apart, as bars and lanes have, in place of values."""
    places = sorted(at for at, _ in getattr(panel, direction).tics)
    steps = [b - a for a, b in zip(places, places[1:])] or [1.0]
    spans = [abs(p.x_high - p.x_low if direction == "x" else p.high - p.low)
             for one in panel.series if one.draw == "rectangles" for p in one.points]
    return bool(places and spans) and min(steps) == 1.0 and not max(spans) > 1.01

def wanted_height(figure, panel, width, font):
    """Gives the height that suits a panel `width` points wide, in points."""
    if figure.square:
        return min(width, 36.0 * font)
    if is_category(panel, "y"):
        lines_of_text = max(one.text.count("\n") + bool(one.text) for one in panel.series)
        return font * max(6.0, len(panel.y.tics) * max(1.9, 0.9 + LINE * lines_of_text))
    highest = 24.0 if len(figure.panels) == 1 else 20.0
    return min(max(0.62 * width, 16.0 * font), highest * font) + (
        1.5 * font * len(strip.rows_of(panel)))

def arrange(page, least):
    """Places the panels in `least` columns or more: as many as the figure wishes and the width
    allows, and more if they fill empty places or if the page would be too high."""
    figure, font = page.figure, page.style.rc["font.size"]
    count, width = len(figure.panels), page.canvas.get_figwidth() * 72.0
    page.most_columns = max(1, min(count, int(width / (TIGHT * font))))
    comfortable = max(1, min(page.most_columns, int(width / (COMFORTABLE * font))))
    columns = min(figure.columns, comfortable)
    if columns > 1:
        columns = next((c for c in range(columns, comfortable + 1) if count % c == 0), columns)
    columns = min(max(columns, least), page.most_columns)

    def heights(columns):
        inner = width / columns - 6.0 * font
        return [max(wanted_height(figure, panel, inner, font)
                    for panel in figure.panels[i:i + columns])
                for i in range(0, count, columns)]

    while columns < page.most_columns and (
            sum(heights(columns)) + font * (4.0 * math.ceil(count / columns) + 8.0)
            > page.style.highest * 72.0):
        columns += 1
    page.columns, page.heights = columns, heights(columns)

def values_of(panel, direction):
    """Gives all values on an axis; a limit counts on the y axis alone, and a case without a value
    on the x axis alone. A rectangle reaches to its edges, whatever its value: a long bar is cut."""
    if direction == "x":
        return [v for one in panel.series if one.draw != "limit" for p in one.points
                for v in ((p.x,) if one.draw != "rectangles" else ()) + (p.x_low, p.x_high)]
    return [v for one in panel.series if not one.is_cross
            for p in one.points for v in (p.y, p.low, p.high)]

def set_ranges(figure, cell):
    panel = cell.panel
    for direction in ("x", "y"):
        cell.axes.set(**{direction + "scale": "log" if getattr(panel, direction).log else "linear"})
    cell.set_range("x", scale.axis_range(panel.x, [
        v for one in sharing(figure, panel, "x") for v in values_of(one, "x")]))
    together = sharing(figure, panel, "y")
    ys = [v for one in together for v in values_of(one, "y")]
    low, high = scale.axis_range(panel.y, ys)
    cell.strip = strip.share_of(together)
    if cell.strip:
        limits = [p.y for one in panel.series if one.draw == "limit" for p in one.points]
        high, cell.strip_base = strip.with_strip(panel.y, low, high, ys, limits, cell.strip)
    cell.set_range("y", (low, high))

def dress(figure, cell):
    """Sets the grid, across the axis whose values are read, and takes away what a map does not
    need."""
    axes, panel = cell.axes, cell.panel
    for drawn in (axes.xaxis, axes.yaxis):  # until the layout chooses tics
        drawn.set_major_locator(NullLocator())
        drawn.set_minor_locator(NullLocator())
    lanes, bars = is_category(panel, "y"), is_category(panel, "x")
    if lanes and bars:
        axes.spines[:].set_visible(False)
    elif not figure.square or not any(one.draw == "rectangles" for one in panel.series):
        axes.grid(True, axis="x" if lanes else "y")
    for direction in ["x"] * bars + ["y"] * lanes:
        axes.tick_params(axis=direction, length=0)
    axes.spines["left"].set_visible(not lanes)
    axes.set(box_aspect=1 if figure.square else None, anchor="W")
    if figure.shared_axes and panel.own_axes:  # what it shows does not compare
        axes.set_facecolor(STRIP)

def draw_panels(page, least_columns):
    """Draws the marks of all panels."""
    arrange(page, least_columns)
    grid = page.canvas.add_gridspec(len(page.heights), page.columns, height_ratios=page.heights)
    for i, panel in enumerate(page.figure.panels):
        place = divmod(i, page.columns)
        cell = Cell(panel, *place, page.canvas.add_subplot(grid[place]))
        page.cells.append(cell)
        set_ranges(page.figure, cell)
        dress(page.figure, cell)
        for one in panel.series:
            if one.draw == "rectangles":
                rectangles.draw_rectangles(page, cell, one)
        lines.draw_lines(cell, page.style.rc)
        strip.draw_strip(cell, page.style.rc)
