# SPDX-License-Identifier: Apache-2.0
"""Sizes of a figure: title above, panels, legend and notes below.

What stands outside the panels is measured, and matplotlib's constrained layout shares the rest.
Tics, names at lines and texts in bars depend on the panels' sizes and change them, so that they are
chosen in a few rounds.
"""
import warnings

from matplotlib.ticker import FixedFormatter, FixedLocator

from qbdraw import labels, legend, panels, rectangles, scale
from qbdraw.colour import GREY
from qbdraw.read import FigureError

class NoRoom(FigureError):
    """Says that the panels have no room."""


ROUNDS = 3
MOST_NOTE_LINES = 4
EDGE = 2.5  # points that texts keep from the edge of the canvas


def tic_axis(page, cell, direction):
    """Chooses the tics of an axis for its length."""
    axis = getattr(cell.panel, direction)
    drawn = getattr(cell.axes, direction + "axis")
    low, high = getattr(cell, direction + "_range")
    if direction == "y" and cell.strip:
        high = cell.strip_base
    size = page.style.rc[direction + "tick.labelsize"]

    def clash(tics, upright=True):
        points = [(at, low) if direction == "x" else (cell.x_range[0], at) for at, _ in tics]
        places = cell.axes.transData.transform(points)[:, 0 if direction == "x" else 1]
        if direction == "x" and upright:
            rooms = [page.text_width(text, size) + 4.0 for _, text in tics]
        else:
            rooms = [1.25 * size] * len(tics)
        ordered = sorted(zip(places, rooms))
        return any(b[0] - a[0] < page.pt((a[1] + b[1]) / 2.0) for a, b in zip(ordered, ordered[1:]))

    tics = scale.choose_tics(axis, low, high, lambda tics: not clash(tics))
    tics = [tic for tic in tics if low - 1e-9 * abs(low) <= tic[0] <= high + 1e-9 * abs(high)]
    stride = 1
    numeric = all(text.replace(",", "").replace(".", "").isdigit() for _, text in tics)
    while tics and (numeric or direction == "y") and clash(tics[::stride]):
        stride += 1
    turned = direction == "x" and not numeric and len(tics) > 1 and clash(tics)
    texts = [text if i % stride == 0 else "" for i, (_, text) in enumerate(tics)]
    drawn.set_major_locator(FixedLocator([at for at, _ in tics]))
    drawn.set_major_formatter(FixedFormatter(texts))
    cell.axes.tick_params(axis=direction, labelrotation=90 if turned else 0)


def neighbour(page, cell, down, right):
    return next((other for other in page.cells
                 if (other.row, other.column) == (cell.row + down, cell.column + right)), None)


def label_axes(page, cell):
    """Labels axes once for panels that share them, and titles the panel."""
    rc, axes, panel = page.style.rc, cell.axes, cell.panel
    size = rc["axes.labelsize"]
    below, left = neighbour(page, cell, 1, 0), neighbour(page, cell, 0, -1)
    column = [other.panel.x.label for other in page.cells if other.column == cell.column]
    row = [other.panel.y.label for other in page.cells if other.row == cell.row]
    wide, high = axes.bbox.width * 0.72, axes.bbox.height * 0.72
    once = below is not None and len(set(column)) == 1
    axes.set_xlabel("" if once else "\n".join(page.wrap(panel.x.label, wide, size)))
    once = left is not None and len(set(row)) == 1
    axes.set_ylabel("" if once else "\n".join(page.wrap(panel.y.label, high, size)))
    if below is not None and below.panel in panels.sharing(page.figure, panel, "x"):
        axes.tick_params(labelbottom=False)
    if left is not None and left.panel in panels.sharing(page.figure, panel, "y"):
        axes.tick_params(labelleft=False)
    several = len(page.cells) > 1
    letter = f"({chr(ord('a') + page.cells.index(cell))}) " if several else ""
    axes.set_title("\n".join(page.wrap(letter + panel.title, wide, rc["axes.titlesize"])))


def write_title(page, title):
    """Writes the figure's title at the top left; gives its height in points."""
    if not title:
        return 0.0
    size = page.style.rc["figure.titlesize"]
    width, height = page.canvas.get_size_inches() * 72.0
    lines = page.wrap(title, width - 2.0 * EDGE, size, page.style.rc["figure.titleweight"])
    page.canvas.text(EDGE / width, 1.0 - EDGE / height, "\n".join(lines), size=size, va="top",
                     ha="left", weight=page.style.rc["figure.titleweight"], linespacing=1.15)
    return EDGE + size * 1.2 * len(lines) + 2.0


def write_notes(page):
    """Writes provenance and notes at the bottom if they are short; gives their height in points."""
    if not page.style.notes:
        return 0.0
    size = max(page.style.least_font, page.style.rc["font.size"] - 1.5)
    width, height = page.canvas.get_size_inches() * 72.0
    for texts in ([page.figure.provenance, *page.figure.notes], [page.figure.provenance]):
        lines = [line for text in texts if text
                 for line in page.wrap(text, width - 2.0 * EDGE, size)]
        if 0 < len(lines) <= MOST_NOTE_LINES:
            page.canvas.text(EDGE / width, EDGE / height, "\n".join(lines), size=size, va="bottom",
                             ha="left", color=GREY, linespacing=1.15)
            return EDGE + size * 1.25 * len(lines) + 2.0
    return 0.0


def frame(page, direct, place):
    """Writes all that stands outside the panels anew, and gives the rest to the layout."""
    for text in list(page.canvas.texts) + list(page.canvas.legends):
        text.remove()
    page.legend = None
    width, height = page.canvas.get_size_inches() * 72.0
    top, bottom, right = write_title(page, page.figure.title), write_notes(page), 0.0
    wide, high = legend.make_legend(page, legend.entries(page, direct), place or "below")
    if place == "right":
        right = wide
    elif page.legend:
        page.legend.set_bbox_to_anchor((0.5, bottom / height), page.canvas.transFigure)
        bottom += high
    page.canvas.get_layout_engine().set(rect=(
        0.0, bottom / height, 1.0 - right / width, 1.0 - (top + bottom) / height))


def place_panels(page):
    """Gives the panels what their surroundings leave. Throws NoRoom if that is nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied")
        try:
            page.canvas.get_layout_engine().execute(page.canvas)
        except UserWarning:
            width, height = page.canvas.get_size_inches()
            raise NoRoom(f"There is no room for {len(page.cells)} panels in {width:g} x "
                         f"{height:.1f} in; give more by --width or --height, or fewer --panels."
                         ) from None


def fit_height(page):
    """Changes the height of the canvas so that the panels have theirs, within the limit."""
    width, height = page.canvas.get_size_inches()
    missing = 0.0
    for row in range(page.rows):
        cell = next(cell for cell in page.cells if cell.row == row)
        slot = cell.axes.get_position(original=True)
        wanted = slot.width * width * 72.0 if page.figure.square else cell.height
        missing += wanted - slot.height * height * 72.0
    if missing > 0.5 * sum(page.heights) and page.columns < page.most_columns:
        if height >= page.style.highest:
            raise NoRoom("The panels are too low.")
    page.canvas.set_size_inches(width, min(page.style.highest, height + missing / 72.0))


def settle(page, direct, place, fixed_height):
    """Lays the page out in rounds; gives the names of `direct` that found no place."""
    homeless = set()
    for i in range(ROUNDS):
        frame(page, direct, place)
        place_panels(page)
        for cell in page.cells:
            cell.axes.apply_aspect()
            tic_axis(page, cell, "x")
            tic_axis(page, cell, "y")
            label_axes(page, cell)
            rectangles.fit_texts(page, cell)
        homeless = labels.place_labels(page, direct)
        if homeless:
            return homeless
        if not fixed_height and i < ROUNDS - 1:
            place_panels(page)
            fit_height(page)
    return homeless


def lay_out(page, place, fixed_height):
    """Finds the names that stand in the panels, and lays the page out with a legend of the rest."""
    lines, limits = labels.candidates(page) if place is None else (set(), set())
    while homeless := settle(page, lines | limits, place, fixed_height):
        limits -= homeless
        if homeless & lines:
            lines = set()
    frame(page, lines | limits, place)
    place_panels(page)
    for cell in page.cells:
        tic_axis(page, cell, "x")
        tic_axis(page, cell, "y")
        rectangles.fit_texts(page, cell)
    labels.place_labels(page, lines | limits)
    page.canvas.set_layout_engine("none")
