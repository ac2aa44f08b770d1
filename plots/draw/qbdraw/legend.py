# SPDX-License-Identifier: Apache-2.0
"""The legend: what has no name in the panels, in the order of the figure's declaration."""
from matplotlib.legend_handler import HandlerPatch
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from qbdraw.colour import GREY, text_on
from qbdraw.lines import look_of

CROSSES = {"out_of_memory": "out of memory", "not_tried": "not tried, longer"}

class Lettered(HandlerPatch):
    """Writes into the sample of a fill the letter that its rectangles have."""

    def create_artists(self, legend, handle, x, y, width, height, *look):
        letter = Text(x=width / 2.0 - x, y=height / 2.0 - y, text=handle.get_label(),
                      size=look[0], ha="center", va="center_baseline", transform=look[1],
                      color=text_on(handle.get_facecolor()))
        return [*super().create_artists(legend, handle, x, y, width, height, *look), letter]

def key_of(series, rc, grey=False):
    """Makes the sample of a series."""
    if series.draw == "rectangles":
        return Patch(facecolor=series.colour, linewidth=0, hatch=series.hatch or None,
                     edgecolor="#ffffff" if series.hatch else "none",
                     label=series.text if len(series.text) == 1 else "")
    key = Line2D([], [], **look_of(series, rc))
    if grey:
        key.set(color=GREY, markeredgecolor=GREY)
    return key

def entries(page, direct):
    """Gives names, samples and keys; `direct` are the names that stand in the panels."""
    rc, listed = page.style.rc, []
    every = [one for panel in page.figure.panels for one in panel.series]
    for name in page.figure.legend:
        first = next((one for one in every
                      if one.name == name and not one.unlisted and not one.is_cross), None)
        if first and name not in direct:
            listed.append((name, key_of(first, rc), first.key))
    for word, name in {"published": page.figure.published_legend, **CROSSES}.items():
        first = next((one for one in every if one.kind == word and one.points), None)
        if name and first:
            listed.append((name, key_of(first, rc, grey=True), word))
    return listed

def gap(page):
    """Gives the upper left corner of the empty places at the end of the grid, if it has any."""
    last, above = page.cells[-1], page.cells[-page.columns]
    if last.row == 0 or last.column == page.columns - 1:
        return []
    return [("upper left", (above.axes.get_position(True).x0, last.axes.get_position(True).y1), 1)]

def most_columns(page, names, room):
    """Gives how many columns fit into `room` points, or one more: it is arithmetic, since to make a
    legend for each number takes time in the square of the names."""
    rc, size = page.style.rc, page.style.rc["legend.fontsize"]
    widths = [max(page.text_width(line, size) for line in name.split("\n")) for name in names]
    sample = (rc["legend.handlelength"] + rc["legend.handletextpad"]) * size
    for columns in range(len(names), 1, -1):
        fewer, longer = divmod(len(names), columns)
        ends = [column * fewer + min(column, longer) for column in range(columns + 1)]
        wide = sum(sample + max(widths[begin:end]) for begin, end in zip(ends, ends[1:]))
        gaps = (columns - 1) * rc["legend.columnspacing"] + 2.0 * rc["legend.borderpad"]
        if wide + gaps * size <= room:
            return min(len(names), columns + 1)
    return min(len(names), 2)

def make_legend(page, listed, place, bottom):
    """Puts the legend into the empty places, or `bottom` points above the edge of the canvas; gives
    the height in points that it takes there."""
    if not listed or place == "none":
        return 0.0
    width, height = page.canvas.get_size_inches() * 72.0
    size = page.style.rc["legend.fontsize"]
    names = ["\n".join(page.wrap(name, width - 5.0 * size, size)) for name, *_ in listed]
    below = [("lower center", (0.5, bottom / height), columns)
             for columns in range(most_columns(page, names, width - 6.0), 0, -1)]
    for loc, anchor, columns in ([] if place else gap(page)) + below:
        page.legend = page.canvas.legend(
            [sample for _, sample, _ in listed], names, ncol=columns, loc=loc, bbox_to_anchor=anchor,
            borderaxespad=0.3, handler_map={Patch: Lettered()})
        page.legend.set_in_layout(False)
        handles = getattr(page.legend, "legend_handles", None) or page.legend.legendHandles  # < 3.7
        for made in (page.legend.get_texts(), handles):
            for one, (*_, key) in zip(made, listed):
                one.set_gid("key:" + key)
        box = page.legend.get_window_extent(page.renderer)
        if loc == "upper left" and box.x1 <= page.pt(width) and box.y0 >= page.pt(bottom):
            return 0.0
        if loc == "lower center" and (box.width <= page.pt(width - 6.0) or columns == 1):
            return box.height / page.pt(1.0) + 4.0
        page.legend.remove()
