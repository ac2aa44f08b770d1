# SPDX-License-Identifier: Apache-2.0
"""Names that stand at the right ends of lines, and at limits, in place of a legend.

They are in the ink of the line, spread so that none covers another, with leaders. A figure has them
for all its lines or for none: place_labels() gives the names that found no place.
"""
import math

import numpy as np
from matplotlib.lines import Line2D

from qbdraw import traces
from qbdraw.colour import DARK, STRIP, ink

MOST_PANELS = 4
WIDEST = 0.36     # of a panel, with its axis
FARTHEST = 4.5    # letters' sizes from the end of a line to its label
GAP = 1.22        # letters' sizes from one label to the next


def direct_groups(page, cell):
    """Gives the groups of lines and limits that may have their names in the panel."""
    listed = set(page.figure.legend)
    return [group for group in cell.groups
            if group.members[0].kind in ("data", "limit") and not group.members[0].thin
            and not group.members[0].unlisted and listed & {m.name for m in group.members}]


def names_of(group):
    return {one.name for one in group.members}


def candidates(page):
    """Gives the names that may stand in the panels, so that the legend need not have them."""
    if len(page.figure.panels) > MOST_PANELS:
        return set(), set()
    lines, limits = set(), set()
    for cell in page.cells:
        for group in direct_groups(page, cell):
            (limits if group.members[0].draw == "limit" else lines).update(names_of(group))
    # A name is either direct or in the legend, in all panels and for all that it names.
    other = {one.name for cell in page.cells for one in cell.panel.series
             if one.draw in ("rectangles", "points", "steps") and not one.unlisted}
    return (set() if lines & other else lines), limits - other


def end_of(cell, group):
    """Gives the pixels of the last point of a line."""
    last = max((p for p in group.members[0].points if math.isfinite(p.x) and math.isfinite(p.y)),
               key=lambda p: -p.x if cell.panel.x.reversed else p.x)
    return cell.axes.transData.transform((last.x, last.y))


def spread(wanted, heights, low, high):
    """Moves places apart by the labels' heights, keeping their order, within low and high. Gives
    None if there is no room."""
    if sum(heights) > high - low:
        return None
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    blocks = []  # of places that touch: [sum of wanted bottoms, number, members]
    for i in order:
        blocks.append([wanted[i] - heights[i] / 2.0, heights[i], [(i, 0.0)]])
        while len(blocks) > 1 and blocks[-2][0] + blocks[-2][1] > blocks[-1][0]:
            _, more, members = blocks.pop()
            bottom, height, first = blocks[-1]
            first += [(i, height + at) for i, at in members]
            height += more
            middle = sum(wanted[i] - heights[i] / 2.0 - at for i, at in first) / len(first)
            blocks[-1] = [min(max(middle, low), high - height), height, first]
    placed = [0.0] * len(wanted)
    for bottom, height, members in blocks:
        bottom = min(max(bottom, low), high - height)
        for i, at in members:
            placed[i] = bottom + at + heights[i] / 2.0
    return placed


def add_text(cell, x, y, text, **look):
    """Writes a text at pixels of the layout, held in the coordinates of the panel."""
    at = cell.axes.transAxes.inverted().transform((x, y))
    made = cell.axes.text(*at, text, transform=cell.axes.transAxes, zorder=5.0, **look)
    cell.labels.append(made)
    return made


def add_leader(cell, start, end, colour):
    ends = cell.axes.transAxes.inverted().transform([start, end])
    line = Line2D(ends[:, 0], ends[:, 1], transform=cell.axes.transAxes, linewidth=0.5,
                  color=colour, clip_on=False, zorder=2.05)
    cell.axes.add_artist(line)
    line.set_in_layout(False)
    cell.labels.append(line)


def place_right(page, cell, groups):
    """Names lines that end at the right; gives the names without a place."""
    size = page.style.rc["legend.fontsize"]
    widest = WIDEST * page.canvas.get_figwidth() * 72.0 / page.columns
    texts = ["\n".join(page.wrap(group.name, widest, size)) for group in groups]
    if any(page.text_width(text, size) > widest or text.count("\n") > 1 for text in texts):
        return set().union(*map(names_of, groups))
    ends = [end_of(cell, group) for group in groups]
    box = cell.axes.bbox
    heights = [page.pt(GAP * size) * (text.count("\n") + 1) for text in texts]
    places = spread([y for _, y in ends], heights, box.y0, box.y1 + page.pt(4.0))
    most = page.pt(FARTHEST * size)
    if places is None or any(abs(at - y) > most for at, (_, y) in zip(places, ends)):
        return set().union(*map(names_of, groups))
    x = box.x1 + page.pt(8.0)
    for group, text, (end_x, end_y), at in zip(groups, texts, ends, places):
        colour = ink(group.members[0].colour)
        add_leader(cell, (max(end_x + page.pt(3.5), box.x1), end_y), (x - page.pt(1.5), at), colour)
        add_text(cell, x, at, text, color=colour, size=size, va="center", ha="left",
                 linespacing=1.05)
    return set()


def place_free(page, cell, text, colour, spots):
    """Writes a text at the first of the spots, (x, y, ha, va), where it covers nothing."""
    size = page.style.rc["legend.fontsize"]
    made = add_text(cell, 0, 0, text, color=colour, size=size)
    made.set_in_layout(False)
    lines, marks = traces.lines_on(cell.axes), traces.marks_on(cell.axes, page.pt)
    others = [other.get_window_extent(page.renderer).extents for other in cell.labels
              if other is not made and hasattr(other, "get_text")]
    boxes = np.array([*marks, *others, *traces.bars_on(cell)]).reshape(-1, 4)
    panel = cell.axes.bbox
    for x, y, ha, va in spots:
        made.set(position=cell.axes.transAxes.inverted().transform((x, y)), ha=ha, va=va)
        box = made.get_window_extent(page.renderer).extents
        if (box[0] >= panel.x0 and box[2] <= panel.x1 and box[1] >= panel.y0
                and box[3] <= panel.y1 + 1.0 and not traces.inside(box, lines).any()
                and not traces.overlaps(box, boxes).any()):
            return True
    made.remove()
    cell.labels.remove(made)
    return False


def place_limit(page, cell, group):
    y = cell.axes.transData.transform((cell.x_range[0], group.members[0].points[0].y))[1]
    box, gap = cell.axes.bbox, page.pt(1.5)
    spots = [(x, y + up * gap, ha, "bottom" if up > 0 else "top")
             for up in (1, -1)
             for x, ha in ((box.x0 + page.pt(3.0), "left"), (box.x1, "right"),
                           ((box.x0 + box.x1) / 2.0, "center"))]
    return place_free(page, cell, group.name, DARK, spots)


def place_inside(page, cell, group):
    """Names a line that ends inside the panel, near its end."""
    x, y = end_of(cell, group)
    gap = page.pt(4.0)
    spots = [(x + gap, y, "left", "center"), (x, y + gap, "center", "bottom"),
             (x, y - gap, "center", "top"), (x - gap, y - gap, "right", "top"),
             (x - gap, y + gap, "right", "bottom"), (x + gap, y - gap, "left", "top"),
             (x + gap, y + gap, "left", "bottom")]
    return place_free(page, cell, group.name, ink(group.members[0].colour, STRIP), spots)


def clear_labels(page):
    for cell in page.cells:
        for label in cell.labels:
            label.remove()
        cell.labels = []


def place_labels(page, direct):
    """Writes the names of `direct` anew, for the panels as they are now; gives those without a
    place."""
    clear_labels(page)
    homeless = set()
    for cell in page.cells:
        groups = [g for g in direct_groups(page, cell) if names_of(g) & direct]
        lines = [g for g in groups if g.members[0].draw != "limit"]
        box = cell.axes.bbox
        right = [g for g in lines if end_of(cell, g)[0] >= box.x1 - 0.09 * box.width]
        if right:
            homeless |= place_right(page, cell, right)
        for group in lines:
            if group not in right and not place_inside(page, cell, group):
                homeless |= names_of(group)
        for group in groups:
            if group.members[0].draw == "limit" and not place_limit(page, cell, group):
                homeless |= names_of(group)
    return homeless
