# SPDX-License-Identifier: Apache-2.0
"""Sizes of a figure: title above, panels, legend and, on the web, notes below.

What stands outside the panels is measured, and matplotlib's constrained layout shares the rest.
Tics, names at lines and texts in bars depend on the panels' sizes and change them, so that they are
chosen in a few rounds.
"""
import math
import re
import warnings

from matplotlib.ticker import FixedFormatter, FixedLocator

from qbdraw import labels, legend, rectangles, scale
from qbdraw.colour import GREY
from qbdraw.page import sharing
from qbdraw.read import FigureError

ROUNDS = 3
MOST_NOTE_LINES = 5
EDGE = 2.5  # points that texts keep from the edge of the canvas
LINE = 1.15

class NoRoom(FigureError):
    """Says that the panels have no room."""

def tic_axis(page, cell, direction):
    """Chooses the tics of an axis for its length. Of declared ones that would overlap, names are
    turned, and of numbers every second or third is written."""
    axis, drawn = getattr(cell.panel, direction), getattr(cell.axes, direction + "axis")
    low, high = getattr(cell, direction + "_range")
    most = cell.strip_base if direction == "y" and cell.strip else high
    size, across = page.style.rc[direction + "tick.labelsize"], direction == "x"

    def clash(tics):
        tics = [tic for tic in tics if tic[1]]
        points = [(at, cell.y_range[0]) if across else (cell.x_range[0], at) for at, _ in tics]
        places = cell.axes.transData.transform(points or [(1, 1)])[:, 0 if across else 1]
        rooms = [page.text_width(text, size) + 4.0 if across else 1.25 * size for _, text in tics]
        ordered = sorted(zip(places, rooms))
        return any(b[0] - a[0] < page.pt((a[1] + b[1]) / 2.0) for a, b in zip(ordered, ordered[1:]))

    margin = 1e-9 * max(abs(low), abs(high))
    tics = [tic for tic in scale.choose_tics(axis, low, most, lambda tics: not clash(tics))
            if low - margin <= tic[0] <= high + margin]
    numeric = all(re.fullmatch(r"([\d.,]+ ?([KMGT]i?)?)?", text) for _, text in tics)
    stride = 1
    while tics and (numeric or not across) and clash(tics[::stride]):
        stride += 1
    turned = across and not numeric and len(tics) > 1 and clash(tics)
    drawn.set_major_locator(FixedLocator([at for at, _ in tics]))
    drawn.set_major_formatter(FixedFormatter(
        [text if i % stride == 0 else "" for i, (_, text) in enumerate(tics)]))
    cell.axes.tick_params(axis=direction, labelrotation=90 if turned else 0)

def label_axes(page, cell):
    """Labels axes once for panels that share them, and titles the panel."""
    rc, axes, panel = page.style.rc, cell.axes, cell.panel
    slot = axes.get_position(original=True).transformed(page.canvas.transFigure)
    lengths = {"x": slot.width * 0.69, "y": slot.height * 0.69}
    for direction, step, side in (("x", (1, 0), "bottom"), ("y", (0, -1), "left")):
        line = {(other.row - cell.row, other.column - cell.column): other for other in page.cells
                if (other.column == cell.column if direction == "x" else other.row == cell.row)}
        near = line.get(step)
        texts = {getattr(other.panel, direction).label for other in line.values()}
        text = "" if near and len(texts) == 1 else getattr(panel, direction).label
        axes.set(**{direction + "label": "\n".join(
            page.wrap(text, lengths[direction], rc["axes.labelsize"]))})
        own, same = getattr(panel, direction), sharing(page.figure, panel, direction)
        alike = near and own.tics == getattr(near.panel, direction).tics != [] and (
            direction == "x" or math.isclose(near.y_range[1], cell.y_range[1], rel_tol=1e-3))
        axes.tick_params(**{"label" + side: not (near and (near.panel in same or alike))})
    letter = f"({chr(ord('a') + page.cells.index(cell))}) " if len(page.cells) > 1 else ""
    axes.set_title("\n".join(page.wrap(letter + panel.title, lengths["x"], rc["axes.titlesize"])))

def write(page, lines, top, size, weight="normal", **look):
    """Writes lines at the upper or the lower edge; gives their height in points."""
    width, height = page.canvas.get_size_inches() * 72.0
    if not lines:
        return 0.0
    page.canvas.text(EDGE / width, 1.0 - EDGE / height if top else EDGE / height, "\n".join(lines),
                     size=size, va="top" if top else "bottom", linespacing=LINE, weight=weight,
                     **look)
    return 2.0 * EDGE + size * (LINE + 0.08) * len(lines)

def note_lines(page, width, size):
    """Wraps the notes that fit into a few lines, in their order; the others stand beneath the
    figure on its page."""
    fitting, lines = [], []
    for note in page.figure.notes:
        longer = page.wrap(" ".join([*fitting, note]), width, size)
        if len(longer) <= MOST_NOTE_LINES:
            fitting, lines = [*fitting, note], longer
    return lines

def write_edges(page):
    """Writes the title, and notes if the style has them; gives heights."""
    rc, width = page.style.rc, page.canvas.get_figwidth() * 72.0 - 2.0 * EDGE
    look = {"size": rc["figure.titlesize"], "weight": rc["figure.titleweight"]}
    title = page.wrap(page.figure.title, width, **look) if page.figure.title else []
    small = max(page.style.least_font, rc["font.size"] - 1.5)
    notes = note_lines(page, width, small) if page.style.web else []
    return write(page, title, True, **look), write(page, notes, False, small, color=GREY)

def frame(page, direct, place):
    """Writes all that stands outside the panels anew, and gives the rest to the layout."""
    for text in [*page.canvas.texts, *page.canvas.legends]:
        text.remove()
    page.legend, height = None, page.canvas.get_figheight() * 72.0
    top, bottom = write_edges(page)
    bottom += legend.make_legend(page, legend.entries(page, direct), place, bottom)
    page.canvas.get_layout_engine().set(rect=(
        0.0, bottom / height, 1.0, 1.0 - (top + bottom) / height))

def place_panels(page):
    """Gives the panels what their surroundings leave. Throws NoRoom if that is nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied")
        try:
            page.canvas.get_layout_engine().execute(page.canvas)
        except UserWarning:
            raise NoRoom("There is no room for {} panels in {:.3g} x {:.1f} in; give more by "
                         "--width or --height, or fewer --panels.".format(
                             len(page.cells), *page.canvas.get_size_inches())) from None

def fit_height(page):
    """Changes the height of the canvas so that the panels have theirs, within the limit. Throws
    NoRoom if they are far lower and may stand in more columns."""
    height, most, missing = page.canvas.get_figheight(), page.style.highest, 0.0
    for cell, wanted in zip(page.cells[::page.columns], page.heights):
        slot = cell.axes.get_position(original=True).transformed(page.canvas.transFigure)
        missing += min(page.pt(wanted), slot.width if page.figure.square else 1e9) - slot.height
    if (missing > 0.5 * page.pt(sum(page.heights)) and page.columns < page.most_columns
            and height >= most):
        raise NoRoom("The panels are too low.")
    if abs(missing) > 1.0:
        page.canvas.set_figheight(min(most, height + missing / page.canvas.dpi))

def dress(page):
    """Writes tics, labels and titles for the sizes that the panels have; gives their texts."""
    for cell in page.cells:
        cell.axes.apply_aspect()
        tic_axis(page, cell, "x")
        tic_axis(page, cell, "y")
        label_axes(page, cell)
        rectangles.fit_texts(page, cell)
    return [(axis.get_label_text(), axis.get_major_formatter().seq, cell.axes.get_title(loc="left"))
            for cell in page.cells for axis in (cell.axes.xaxis, cell.axes.yaxis)]

def settle(page, direct, place, fixed_height):
    """Lays the page out in rounds, until what stands around the panels stays the same; gives the
    names of `direct` that found no place."""
    last = None
    for i in range(ROUNDS + 1):
        around = page.canvas.get_figheight(), dress(page)
        if i > 0 and (homeless := labels.place_labels(page, direct)):
            return homeless
        if around == last:
            return set()
        last = around
        frame(page, direct, place)
        place_panels(page)
        if i < ROUNDS - 1 and not fixed_height:
            fit_height(page)
    return labels.place_labels(page, direct)

def lay_out(page, place, fixed_height):
    """Finds the names that stand in the panels, and lays the page out with a legend of the rest."""
    lines, limits = labels.candidates(page) if place in (None, "none") else (set(), set())
    while homeless := settle(page, lines | limits, place, fixed_height):
        limits -= homeless
        lines = set() if homeless & lines else lines
    page.canvas.set_layout_engine(None)  # what is placed stays
