# SPDX-License-Identifier: Apache-2.0
"""The legend: what has no name in the panels, in the order of the figure's declaration."""
from matplotlib.legend_handler import HandlerTuple

from qbdraw import lines, rectangles
from qbdraw.colour import GREY

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


def key_of(page, name):
    """Makes the sample of the first series of a name."""
    rc = page.style.rc
    for cell in page.cells:
        for one in cell.panel.series:
            if one.name == name and not one.unlisted and not one.is_cross:
                return (rectangles if one.draw == "rectangles" else lines).key_of(one, rc)
    return None


def entries(page, direct):
    """Gives names and samples; `direct` are the names that stand in the panels."""
    rc, listed, done = page.style.rc, [], set(direct)
    joined = joined_groups(page)
    for name in page.figure.legend:
        if name in done:
            continue
        group = joined.get(name)
        if group:
            done |= group.names
            listed.append((group.name, tuple(lines.key_of(one, rc, nested)
                                             for nested, one in enumerate(group.members))))
        elif (key := key_of(page, name)) is not None:
            listed.append((name, key))
    drawn = [one for cell in page.cells for one in cell.panel.series if one.points]
    shared = page.figure.published_legend
    if shared and any(one.kind == "published" for one in drawn):
        listed.append((shared, published_key(drawn, rc)))
    for draw, name in CROSSES.items():
        one = next((one for one in drawn if one.draw == draw), None)
        if one:
            key = lines.key_of(one, rc)
            key.set(color=GREY)
            listed.append((name, key))
    return listed


def published_key(drawn, rc):
    first = next(one for one in drawn if one.kind == "published")
    if first.draw == "rectangles":
        return rectangles.key_of(first, rc)
    key = lines.key_of(first, rc)
    key.set(color=GREY, markeredgecolor=GREY)
    return key


def make_legend(page, listed, place):
    """Puts the legend on the canvas; gives its width and height in points."""
    if not listed or place == "none":
        return 0.0, 0.0
    most = page.canvas.get_figwidth() * 72.0 - 6.0
    size = page.style.rc["legend.fontsize"]
    names = ["\n".join(page.wrap(name, most - 4.0 * size, size)) for name, _ in listed]
    keys = [key for _, key in listed]
    if place == "inside":
        made = page.cells[0].axes.legend(keys, names, loc="best",
                                         handler_map={tuple: HandlerTuple(ndivide=1)})
        made.set_in_layout(False)
        return 0.0, 0.0
    for columns in range(1 if place == "right" else len(listed), 0, -1):
        where = dict(loc="center right", bbox_to_anchor=(1.0, 0.5)) if place == "right" else dict(
            loc="lower center", bbox_to_anchor=(0.5, 0.0))
        made = page.canvas.legend(keys, names, ncol=columns, borderaxespad=0.3, **where,
                                  handler_map={tuple: HandlerTuple(ndivide=1)})
        made.set_in_layout(False)
        box = made.get_window_extent(page.renderer)
        if box.width <= page.pt(most) or columns == 1:
            break
        made.remove()
    page.legend = made
    return box.width * 72.0 / page.canvas.dpi + 4.0, box.height * 72.0 / page.canvas.dpi + 4.0
