# SPDX-License-Identifier: Apache-2.0
"""Names that stand at the right ends of lines, and at limits, in place of a legend.

They are in the ink of the line, spread so that none covers another, with leaders. A figure has them
for all its lines or for none, and for each limit that has a free place in all panels.
"""
import math

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.transforms import offset_copy

from qbdraw import traces
from qbdraw.colour import DARK, STRIP, ink

MOST_PANELS = 4
MOST_NAMES = 8
WIDEST = 0.36   # of a panel, with its axis
FARTHEST = 3.8  # letters' sizes from the end of a line to its label
GAP = 1.22      # letters' sizes from one label to the next

def direct_groups(page, cell):
    """Gives the groups of lines and limits that may have their names in the panel; published lines
    have them where they are alone."""
    alone = all(one.first.kind == "published" for one in cell.groups)
    return [group for group in cell.groups
            if not group.first.thin and not group.first.unlisted
            and (alone or group.first.kind != "published" and set(page.figure.legend) & group.names)]

def candidates(page):
    """Gives the names of lines and of limits that may stand in the panels, so that the legend need
    not have them: a name is at all lines that have it, or in the legend."""
    lines, limits = set(), set()
    for cell in page.cells if len(page.cells) <= MOST_PANELS else ():
        for group in direct_groups(page, cell):
            (limits if group.first.draw == "limit" else lines).update(group.names)
    other = {one.name for cell in page.cells for one in cell.panel.series
             if one.draw in ("rectangles", "points") and not one.unlisted}
    return set() if lines & other or len(lines) > MOST_NAMES else lines, limits - other

def end_of(cell, group):
    """Gives the pixels of the last point of a line."""
    last = max((p for p in group.first.points if math.isfinite(p.x) and math.isfinite(p.y)),
               key=lambda p: -p.x if cell.panel.x.reversed else p.x)
    return cell.axes.transData.transform((last.x, last.y))

def spread(wanted, heights, low, high):
    """Moves places apart by the labels' heights, keeping their order, within low and high, which
    have room for them."""
    order = np.argsort(wanted, kind="stable")
    heights = np.array(heights)[order]
    at = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2.0)])  # if all touched
    start = np.array(wanted)[order] - at
    start = (np.maximum.accumulate(start) + np.minimum.accumulate(start[::-1])[::-1]) / 2.0
    placed = np.empty(len(order))
    placed[order] = at + np.clip(start, low + heights[0] / 2.0, high - heights[-1] / 2.0 - at[-1])
    return placed.tolist()

def add_text(cell, x, y, text, offset=0.0, **look):
    """Writes a text `offset` points to the right of pixels of the layout, which are held in the
    coordinates of the panel."""
    at = cell.axes.transAxes.inverted().transform((x, y))
    made = cell.axes.text(*at, text, zorder=5.0, transform=offset_copy(
        cell.axes.transAxes, cell.axes.figure, offset, 0.0, units="points"), **look)
    cell.labels.append(made)
    return made

def place_right(page, cell, groups):
    """Names lines that end at the right; says whether all have a place."""
    size, box = page.style.rc["legend.fontsize"], cell.axes.bbox
    widest = WIDEST * page.canvas.get_figwidth() * 72.0 / page.columns
    texts = ["\n".join(page.wrap(group.name, widest, size)) for group in groups]
    heights = [page.pt(GAP * size) * (text.count("\n") + 1) for text in texts]
    low, high = box.y0, box.y1 + page.pt(4.0)
    if (any(page.text_width(text, size) > widest or text.count("\n") > 1 for text in texts)
            or sum(heights) > high - low):
        return False
    ends = [end_of(cell, group) for group in groups]
    places = spread([y for _, y in ends], heights, low, high)
    if any(abs(at - y) > page.pt(FARTHEST * size) for at, (_, y) in zip(places, ends)):
        return False
    gap = 1.25 * size
    for group, text, (end_x, end_y), at in zip(groups, texts, ends, places):
        colour = ink(group.first.colour)
        start = max(end_x + page.pt(3.5), box.x1), end_y
        leader = cell.axes.transAxes.inverted().transform([start, (box.x1 + page.pt(gap - 2.5), at)])
        cell.labels.append(cell.axes.add_artist(Line2D(
            *leader.T, transform=cell.axes.transAxes, linewidth=0.5, color=colour, clip_on=False,
            zorder=2.05, in_layout=False, gid=group.gid)))
        add_text(cell, box.x1, at, text, gap, color=colour, size=size, va="center",
                 linespacing=1.05, gid=group.gid)
    return True

def place_free(page, cell, group, colour, places):
    """Writes a name at the first of the places, (x, y, ha, va), where it covers nothing, if any."""
    made = add_text(cell, 0, 0, group.name, color=colour, size=page.style.rc["legend.fontsize"],
                    in_layout=False, gid=group.gid)
    others = [other.get_window_extent(page.renderer).extents for other in cell.labels
              if other is not made and not isinstance(other, Line2D)]
    boxes = np.array([*traces.marks_on(cell.axes, page.pt), *others, *traces.bars_on(cell)])
    lines, panel = traces.lines_on(cell.axes), cell.axes.bbox
    for x, y, ha, va in places:
        made.set(position=cell.axes.transAxes.inverted().transform((x, y)), ha=ha, va=va)
        box = made.get_window_extent(page.renderer).extents
        if (box[0] >= panel.x0 and box[2] <= panel.x1 and box[1] >= panel.y0
                and box[3] <= panel.y1 - 1.0 and not traces.struck(box, lines)
                and not traces.overlaps(box, boxes.reshape(-1, 4)).any()):
            return True
    made.remove()
    cell.labels.remove(made)
    return False

def spots(page, cell, group):
    """Gives places above or below a limit, at an end of it or in the middle, or near the end of a
    line that ends inside the panel."""
    box = cell.axes.bbox
    if group.first.draw == "limit":
        y, gap = cell.height_of(group.first.points[0].y), page.pt(1.5)
        return [(x, y + up * gap, ha, va) for up, va in ((1, "bottom"), (-1, "top"))
                for x, ha in ((box.x0 + page.pt(3.0), "left"), (box.x1, "right"),
                              ((box.x0 + box.x1) / 2.0, "center"))]
    (x, y), gap = end_of(cell, group), page.pt(0.57 * page.style.rc["legend.fontsize"])
    return [(x + right * gap, y + up * gap, ("right", "center", "left")[right + 1],
             ("top", "center", "bottom")[up + 1])
            for right, up in ((1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1), (1, -1), (1, 1))]

def place_labels(page, direct):
    """Writes the names of `direct` anew, for the panels as they are now; gives those without a
    place."""
    homeless = set()
    for cell in page.cells:
        for label in cell.labels:
            label.remove()
        cell.labels = []
        groups, right = [g for g in direct_groups(page, cell) if g.names & direct], []
        box = cell.axes.bbox
        for group in sorted(groups, key=lambda group: group.first.draw == "limit"):
            limit = group.first.draw == "limit"
            if not limit and end_of(cell, group)[0] >= box.x1 - 0.09 * box.width:
                right.append(group)
                continue
            colour = DARK if limit else ink(group.first.colour, STRIP)
            if not place_free(page, cell, group, colour, spots(page, cell, group)):
                homeless |= group.names
        if right and not place_right(page, cell, right):
            homeless |= set().union(*(group.names for group in right))
    return homeless
