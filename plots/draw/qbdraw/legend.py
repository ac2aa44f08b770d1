# SPDX-License-Identifier: Apache-2.0
"""The legend: what has no name in the panels, in the order of the figure's declaration."""
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from qbdraw.colour import GREY
from qbdraw.lines import look_of

CROSSES = {"out_of_memory": "out of memory", "not_tried": "not tried, longer"}
PLACES = ("below", "right", "inside", "none")

def joined_groups(page):
    """Gives, by the names of their lines, the groups that lie on one another in every panel that
    has any of them."""
    groups, joined = [group for cell in page.cells for group in cell.groups], {}
    for group in groups:
        if len(group.members) > 1 and all(
                other.names == group.names for other in groups
                if other.names & group.names and other.first.kind == group.first.kind):
            joined.update(dict.fromkeys(group.names, group))
    return joined

def key_of(series, rc, nested=0, grey=False):
    """Makes the sample of a series."""
    if series.draw == "rectangles":
        return Patch(facecolor=series.colour, linewidth=0, hatch=series.hatch or None,
                     edgecolor="#ffffff" if series.hatch else "none")
    key = Line2D([], [], **look_of(series, rc, nested))
    if grey:
        key.set(color=GREY, markeredgecolor=GREY)
    return key

def entries(page, direct):
    """Gives names and samples; `direct` are the names that stand in the panels."""
    rc, listed, done = page.style.rc, [], set(direct)
    joined = joined_groups(page)
    every = [one for panel in page.figure.panels for one in panel.series]
    for name in page.figure.legend:
        first = next((one for one in every
                      if one.name == name and not one.unlisted and not one.is_cross), None)
        if name in done or first is None:
            continue
        group = joined.get(name)
        done |= group.names if group else set()
        listed.append((group.name, tuple(key_of(one, rc, i) for i, one in enumerate(group.members)))
                      if group else (name, key_of(first, rc)))
    for word, name in {"published": page.figure.published_legend, **CROSSES}.items():
        first = next((one for one in every if one.kind == word and one.points), None)
        if name and first:
            listed.append((name, key_of(first, rc, grey=True)))
    return listed

def make_legend(page, listed, place):
    """Puts the legend on the canvas; gives its width and height in points."""
    if not listed or place == "none":
        return 0.0, 0.0
    most = page.canvas.get_figwidth() * 72.0 - 6.0
    size = page.style.rc["legend.fontsize"]
    widest = 0.3 * most if place == "right" else most - 4.0 * size
    names = ["\n".join(page.wrap(name, widest, size)) for name, _ in listed]
    keys, overlaid = [key for _, key in listed], {tuple: HandlerTuple(ndivide=1)}
    if place == "inside":
        made = page.cells[0].axes.legend(keys, names, loc="best", handler_map=overlaid,
                                         frameon=True, edgecolor="none")
        made.set_in_layout(False)
        return 0.0, 0.0
    loc, anchor = ("center right", (1.0, 0.5)) if place == "right" else ("lower center", (0.5, 0.0))
    for columns in range(1 if place == "right" else len(listed), 0, -1):
        page.legend = page.canvas.legend(keys, names, ncol=columns, loc=loc, bbox_to_anchor=anchor,
                                         borderaxespad=0.3, handler_map=overlaid)
        page.legend.set_in_layout(False)
        box = page.legend.get_window_extent(page.renderer)
        if box.width <= page.pt(most) or columns == 1:
            return tuple(side / page.pt(1.0) + 4.0 for side in (box.width, box.height))
        page.legend.remove()
