# SPDX-License-Identifier: Apache-2.0
"""Rectangles: bars, Gantt lanes, partitions, cells of maps, and the texts in and above them.

A text that does not fit into its rectangle is turned; if it does not fit then either, it is left
out, since the CSV has it.
"""
import math

from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from qbdraw import traces
from qbdraw.colour import DARK, text_on
from qbdraw.page import Bar

NARROW = 0.006  # share of a panel below which a white border would hide a rectangle


def share_on(axis, ends, one, other):
    if axis.log:
        return abs(math.log(max(one, 1e-300) / max(other, 1e-300)) / math.log(ends[1] / ends[0]))
    return abs((one - other) / (ends[1] - ends[0]))


def draw_rectangles(page, cell, series):
    shape, edges, width = [], [], page.style.rc["patch.linewidth"]
    for p in series.points:
        if not all(map(math.isfinite, (p.x_low, p.x_high, p.low, p.high))):
            continue
        shape.append([(p.x_low, p.low), (p.x_high, p.low), (p.x_high, p.high), (p.x_low, p.high)])
        narrow = min(share_on(cell.panel.x, cell.x_range, p.x_low, p.x_high),
                     share_on(cell.panel.y, cell.y_range, p.low, p.high)) < NARROW
        edges.append(series.colour if series.thin or narrow else "#ffffff")
        bar = Bar(cell.axes, p.x_low, p.x_high, p.low, p.high, series.colour)
        cell.bars.append(bar)
        if series.text:
            add_text(page, cell, bar, p, series.text)
    cell.axes.add_collection(PolyCollection(
        shape, facecolors=series.colour, edgecolors=edges, zorder=2.0,
        linewidths=0.4 * width if series.thin else width), autolim=False)
    if series.hatch:
        cell.axes.add_collection(PolyCollection(
            shape, facecolors="none", edgecolors="#ffffff", linewidths=0, hatch=series.hatch,
            zorder=2.01), autolim=False)


def middle(axis, low, high):
    return (low * high)**0.5 if axis.log else (low + high) / 2.0


def add_text(page, cell, bar, point, text):
    low, high = sorted((bar.low, bar.high))
    outside = math.isfinite(point.y) and not low <= point.y <= high
    x = point.x if outside and math.isfinite(point.x) else middle(cell.panel.x, bar.x_low, bar.x_high)
    y = point.y if outside else middle(cell.panel.y, low, high)
    bar.outside = outside
    bar.text = cell.axes.text(
        x, y, text, size=page.cell_font, zorder=4.0, ha="center", va="center", linespacing=1.1,
        color=DARK if outside else text_on(bar.colour), rotation_mode="default")
    bar.text.set_in_layout(False)


def fit_texts(page, cell):
    """Turns or leaves out texts after the panels have their sizes, and gives those above bars
    their room."""
    bars = traces.bars_on(cell)
    for bar, (left, bottom, right, top) in zip(cell.bars, bars):
        if bar.text is None or bar.outside:
            continue
        bar.text.set_visible(True)
        for rotation in (0, 90):
            bar.text.set_rotation(rotation)
            box = bar.text.get_window_extent(page.renderer)
            if (box.width + page.pt(1.0) <= right - left and box.height <= top - bottom
                    and not traces.crossed(box.extents, bars, own=True)):
                break
        else:
            bar.text.set_visible(False)
    fit_outside(page, cell)


def fit_outside(page, cell):
    texts = sorted((bar.text for bar in cell.bars if bar.text is not None and bar.outside),
                   key=lambda text: text.get_position())
    if not texts:
        return
    for rotation in (0, 90):
        boxes = []
        for text in texts:
            text.set_visible(True)
            text.set_rotation(rotation)
            boxes.append(text.get_window_extent(page.renderer))
        clash = [any(box.overlaps(other) for other in boxes[:i]) for i, box in enumerate(boxes)]
        if not any(clash):
            break
    for text, hidden in zip(texts, clash):
        text.set_visible(not hidden)
    over = max(box.y1 for box in boxes) - cell.axes.bbox.y1
    if over > 0.0 and not cell.panel.y.log:
        low, high = cell.y_range
        cell.y_range = (low, high + (high - low) * over / (cell.axes.bbox.height - over))
        cell.axes.set_ylim(cell.y_range[::-1] if cell.panel.y.reversed else cell.y_range)


def key_of(series, rc):
    """Makes the sample of a series in the legend."""
    return Patch(facecolor=series.colour, linewidth=0, hatch=series.hatch or None,
                 edgecolor="#ffffff" if series.hatch else "none")
