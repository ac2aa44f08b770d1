# SPDX-License-Identifier: Apache-2.0
"""Says what cannot be read in a drawing, by the extents that matplotlib computes.

No text may stand outside the canvas, over another text, over a mark, a line or the edge of a bar;
its contrast is 4.5 at least, and its size and the height of the figure are those of the style.
"""
import numpy as np
from matplotlib.text import Text

from qbdraw import traces
from qbdraw.colour import LEAST_CONTRAST, STRIP, contrast

MOST = 0.5  # pixels that two things may overlap


def drawn_texts(page):
    """Gives the texts that are seen, without those of tics outside the view."""
    tics, seen = set(), []
    for cell in page.cells:
        for drawn in (cell.axes.xaxis, cell.axes.yaxis):
            low, high = sorted(drawn.get_view_interval())
            for tic in drawn.get_major_ticks():
                tics |= {tic.label1, tic.label2}
                margin = 1e-9 * max(abs(low), abs(high))
                if low - margin <= tic.get_loc() <= high + margin and tic.label1.get_visible():
                    seen.append(tic.label1)
    seen += [text for text in page.canvas.findobj(Text) if text not in tics]
    return [text for text in seen if text.get_visible() and text.get_text().strip()]


def named(text):
    return repr(text.get_text().replace("\n", " "))


def box_of(page, text):
    """Gives the box of a text, without the arrow of an annotation."""
    return np.array(Text.get_window_extent(text, page.renderer).extents)


def text_faults(page, texts, boxes):
    width, height = page.canvas.bbox.width, page.canvas.bbox.height
    for i, (text, box) in enumerate(zip(texts, boxes)):
        if box[0] < -MOST or box[1] < -MOST or box[2] > width + MOST or box[3] > height + MOST:
            yield f"{named(text)} stands outside the canvas"
        if text.get_fontsize() < page.style.least_font - 1e-9:
            yield f"{named(text)} has {text.get_fontsize():g} pt"
        for j in np.flatnonzero(traces.overlaps(box, boxes[:i], MOST)):
            yield f"{named(text)} stands over {named(texts[j])}"


def background(cell, box):
    """Gives the colour under the middle of a text: that of the last bar there, or of the strip."""
    x, y = (box[0] + box[2]) / 2.0, (box[1] + box[3]) / 2.0
    colour = "#ffffff"
    if cell.strip:
        base = cell.axes.transData.transform((cell.x_range[0], cell.strip_base))[1]
        colour = STRIP if cell.axes.bbox.x0 < x < cell.axes.bbox.x1 and y > base else colour
    for bar in cell.bars:
        left, bottom, right, top = bar.box()
        if left <= x <= right and bottom <= y <= top:
            colour = bar.colour
    return colour


def cell_faults(page, cell, texts, boxes):
    """Gives the faults of texts over what a panel shows."""
    marks, lines = traces.marks_on(cell.axes, page.pt), traces.lines_on(cell.axes)
    bars, owners = traces.bars_on(cell), {bar.text: bar for bar in cell.bars if bar.text}
    panel = cell.axes.bbox.extents
    for text, box in zip(texts, boxes):
        if not traces.overlaps(box, panel[None], MOST).any():
            continue
        if traces.overlaps(box, marks, MOST).any():
            yield f"{named(text)} stands over a mark"
        if traces.inside(box, lines, MOST).any():
            yield f"a line goes through {named(text)}"
        own = text in owners and not owners[text].outside
        if traces.crossed(box, bars, own):
            yield f"{named(text)} stands over a bar that is not its own"
        under = background(cell, box)
        if contrast(text.get_color(), under) < LEAST_CONTRAST:
            yield f"{named(text)} has a contrast of {contrast(text.get_color(), under):.1f}"


def faults(page):
    """Gives a sentence for each fault of a drawing."""
    page.canvas.draw_without_rendering()  # places the labels of axes
    texts = drawn_texts(page)
    boxes = np.array([box_of(page, text) for text in texts]).reshape(-1, 4)
    found = list(text_faults(page, texts, boxes))
    if page.canvas.get_figheight() > page.style.highest + 1e-6:
        found.append(f"it is {page.canvas.get_figheight():.2f} in high, and "
                     f"{page.style.highest:g} in is the most")
    inside = set()
    for cell in page.cells:
        for fault in cell_faults(page, cell, texts, boxes):
            found.append(fault)
        inside |= {id(text) for text, box in zip(texts, boxes)
                   if traces.overlaps(box, cell.axes.bbox.extents[None], MOST).any()}
    found += [f"{named(text)} has a contrast of {contrast(text.get_color(), '#ffffff'):.1f}"
              for text in texts if id(text) not in inside
              and contrast(text.get_color(), "#ffffff") < LEAST_CONTRAST]
    return found
