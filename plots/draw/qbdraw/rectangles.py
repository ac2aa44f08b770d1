# SPDX-License-Identifier: Apache-2.0
"""Rectangles: bars, Gantt lanes, partitions, cells of maps, and the texts in and above them.

A text that does not fit into its rectangle is turned; if it does not fit then either, it is left
out, since the CSV has it. One of a rectangle without width stands to its right, of one without
height above it.
"""
import math

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.transforms import offset_copy

from qbdraw import traces
from qbdraw.colour import DARK, text_on
from qbdraw.page import Bar, sharing

NARROW = 0.006  # share of a panel below which a white border would hide a rectangle

def draw_rectangles(page, cell, series):
    shape, edges, width = [], [], page.style.rc["patch.linewidth"]
    for p in series.points:
        if not all(map(math.isfinite, (p.x_low, p.x_high, p.low, p.high))):
            continue
        shape.append([(p.x_low, p.low), (p.x_high, p.low), (p.x_high, p.high), (p.x_low, p.high)])
        bar = Bar(cell.axes, p, series.colour)
        cell.bars.append(bar)
        narrow = np.ptp(np.reshape(bar.box(), (2, 2)) / cell.axes.bbox.size, axis=0).min() < NARROW
        edges.append(series.colour if series.thin or narrow else "#ffffff")
        if p.text or series.text:
            add_text(cell, bar, p.text or series.text, series,
                     max(page.style.least_font, page.style.rc["font.size"] - 0.2))
    cell.axes.add_collection(PolyCollection(
        shape, facecolors=series.colour, edgecolors=edges, zorder=2.0, gid=series.gid,
        linewidths=0.4 * width if series.thin else width), autolim=False)
    if series.hatch:
        cell.axes.add_collection(PolyCollection(
            shape, facecolors="none", edgecolors="#ffffff", linewidths=0, hatch=series.hatch,
            zorder=2.01, gid=series.gid), autolim=False)

def add_text(cell, bar, text, series, size):
    """Writes a text into a bar, beyond one without an area, or where the series says."""
    point = bar.point
    low, high = sorted((point.low, point.high))
    left, bottom, right, top = bar.box()
    beside, above = left == right and bottom < top, bottom == top and left < right
    x, y = cell.axes.transData.inverted().transform(((left + right) / 2, (bottom + top) / 2))
    x = series.text_x if math.isfinite(series.text_x) else x
    y = series.text_y if math.isfinite(series.text_y) else y
    bar.outside = beside or above or not (low <= y <= high and point.x_low <= x <= point.x_high)
    bar.text = cell.axes.text(
        x, y, text, size=size, zorder=4.0, ha="left" if beside else "center",
        va="bottom" if above or y > high else "top" if y < low else "center",
        transform=offset_copy(cell.axes.transData, cell.axes.figure, 3.0 * beside, 1.5 * above,
                              units="points"),
        linespacing=1.1, color=DARK if bar.outside else text_on(bar.colour), in_layout=False,
        gid=series.gid)

def fit_texts(page, cell):
    """Turns or leaves out texts after the panels have their sizes, and gives those above bars
    their room."""
    bars, taken = traces.bars_on(cell), np.empty((0, 4))
    for bar, (left, bottom, right, top) in zip(cell.bars, bars):
        def fits(box):
            return (box.width + page.pt(1.0) <= right - left and box.height <= top - bottom
                    and not traces.crossed(box.extents, bars, own=True))

        if bar.text and not bar.outside:
            shown = any(fits(turn(page, bar.text, angle)) for angle in
                        ((0, 90) if len(bar.text.get_text()) > 2 else (0,)))
            box = bar.text.get_window_extent(page.renderer).extents
            bar.text.set_visible(shown and not traces.overlaps(box, taken).any())
            taken = np.vstack([taken, box]) if bar.text.get_visible() else taken
    fit_outside(page, cell, bars)

def turn(page, text, angle):
    """Turns a text; gives its box."""
    text.set(rotation=angle, visible=True)
    return text.get_window_extent(page.renderer)

def fit_outside(page, cell, bars):
    texts = sorted((bar.text for bar in cell.bars if bar.text and bar.outside),
                   key=lambda text: text.get_position())
    if not texts:
        return
    for angle in (0, 90):
        boxes = [turn(page, text, angle) for text in texts]
        clash = [any(box.overlaps(other) for other in boxes[:i])
                 or traces.crossed(box.extents, bars, own=False)
                 for i, box in enumerate(boxes)]
        if not any(clash):
            break
    for text, hidden in zip(texts, clash):
        text.set_visible(not hidden)
    for direction, over, side in (
            ("y", max(box.y1 for box in boxes) - cell.axes.bbox.y1, cell.axes.bbox.height),
            ("x", max(box.x1 for box in boxes) - cell.axes.bbox.x1, cell.axes.bbox.width)):
        axis, (low, high) = getattr(cell.panel, direction), getattr(cell, direction + "_range")
        if over > 0.0 and not axis.log and not axis.reversed:
            for other in page.cells:
                if other.panel in sharing(page.figure, cell.panel, direction):
                    other.set_range(direction, (low, high + (high - low) * over / (side - over)))
