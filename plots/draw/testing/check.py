# SPDX-License-Identifier: Apache-2.0
"""Says what cannot be read in a drawing, by the extents that matplotlib computes, for tests.

No text may stand outside the canvas, over another text, over a mark, a line or the edge of a bar;
its contrast is 4.5 at least, and its size and the height of the figure are those of the style.
"""
import numpy as np
from matplotlib.text import Text

from qbdraw import traces
from qbdraw.colour import LEAST_CONTRAST, STRIP, contrast

def drawn_texts(page):
    """Gives the texts that are seen; an axis has no tics outside the view."""
    page.canvas.draw_without_rendering()  # places the labels of axes and the legend
    return [text for text in page.canvas.findobj(Text)
            if text.get_visible() and text.get_text().strip()]

def named(text):
    return repr(text.get_text().replace("\n", " "))

def under(cell, bars, x, y):
    """Gives the colour at a place of a panel: that of the last bar there, or of the strip."""
    in_strip = cell.strip and y > cell.height_of(cell.strip_base)
    found = np.flatnonzero(traces.overlaps((x - 1.0, y - 1.0, x + 1.0, y + 1.0), bars))
    return cell.bars[found[-1]].colour if len(found) else STRIP if in_strip else "#ffffff"

def panel_faults(page, cell, texts, boxes):
    """Gives the faults of texts over what a panel shows."""
    marks, lines = traces.marks_on(cell.axes, page.pt), traces.lines_on(cell.axes)
    bars, owners = traces.bars_on(cell), {bar.text: bar for bar in cell.bars if bar.text}
    for text, box in zip(texts, boxes):
        if not traces.overlaps(box, cell.axes.bbox.extents[None]).any():
            continue
        if traces.overlaps(box, marks).any():
            yield f"{named(text)} stands over a mark"
        if traces.struck(box, lines):
            yield f"a line goes through {named(text)}"
        if traces.crossed(box, bars, text in owners and not owners[text].outside):
            yield f"{named(text)} stands over a bar that is not its own"

def faults(page):
    """Gives a sentence for each fault of a drawing."""
    texts, canvas = drawn_texts(page), page.canvas.bbox
    # An annotation's box is without its arrow.
    boxes = np.array([Text.get_window_extent(text, page.renderer).extents
                      for text in texts]).reshape(-1, 4)
    found = [fault for cell in page.cells for fault in panel_faults(page, cell, texts, boxes)]
    bars = [traces.bars_on(cell) for cell in page.cells]
    fills = [(fill.get_window_extent(page.renderer), fill.get_facecolor())
             for fill in (page.legend.get_patches() if page.legend else [])]
    for i, (text, box) in enumerate(zip(texts, boxes)):
        if min(box) < -0.5 or box[2] > canvas.width + 0.5 or box[3] > canvas.height + 0.5:
            found.append(f"{named(text)} stands outside the canvas")
        found += [f"{named(text)} stands over {named(texts[j])}"
                  for j in np.flatnonzero(traces.overlaps(box, boxes[:i]))]
        if text.get_fontsize() < page.style.least_font - 1e-9:
            found.append(f"{named(text)} has {text.get_fontsize():g} pt")
        middle = (box[0] + box[2]) / 2.0, (box[1] + box[3]) / 2.0
        ground = next((colour for fill, colour in fills if fill.contains(*middle)), "#ffffff")
        ground = next((under(cell, on_it, *middle) for cell, on_it in zip(page.cells, bars)
                       if cell.axes.bbox.contains(*middle)), ground)
        if (ratio := contrast(text.get_color(), ground)) < LEAST_CONTRAST:
            found.append(f"{named(text)} has a contrast of {ratio:.1f}")
    if (height := page.canvas.get_figheight()) > page.style.highest + 1e-6:
        found.append(f"it is {height:.2f} in high, and {page.style.highest:g} in is the most")
    return found
