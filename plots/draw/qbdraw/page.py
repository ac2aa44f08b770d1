# SPDX-License-Identifier: Apache-2.0
"""A figure while it is drawn: its canvas, its axes, and what is known of what stands on them."""
import re
from dataclasses import dataclass, field

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontProperties

LAYOUT_DPI = 100

@dataclass
class Bar:
    """A filled rectangle."""
    axes: object
    point: object  # its edges, in the coordinates of the data
    colour: str
    text: object = None    # of matplotlib, the text that belongs to it
    outside: bool = False  # the text stands above or below it

    def box(self):
        """Gives left, bottom, right and top on the canvas."""
        p = self.point
        ends = self.axes.transData.transform([(p.x_low, p.low), (p.x_high, p.high)])
        return [*ends.min(axis=0), *ends.max(axis=0)]

@dataclass
class Cell:
    """A panel on the page: where it stands, its axes and the ranges of these."""
    panel: object
    row: int
    column: int
    axes: object
    x_range: tuple = (0.0, 1.0)
    y_range: tuple = (0.0, 1.0)
    strip: float = 0.0       # share of the height that the strip for missing values has
    strip_base: float = 0.0  # the value where it begins
    bars: list = field(default_factory=list)
    groups: list = field(default_factory=list)  # of lines that lie on one another
    labels: list = field(default_factory=list)  # names in the panel, with their leaders

    def set_range(self, direction, ends):
        setattr(self, direction + "_range", ends)
        axis = getattr(self.panel, direction)
        self.axes.set(**{direction + "lim": ends[::-1] if axis.reversed else ends})

    def height_of(self, y):
        """Gives the pixels of a value on the y axis."""
        return self.axes.transData.transform((self.x_range[0], y))[1]

def sharing(figure, panel, direction):
    """Gives the panels that have one range of an axis with this one, itself included."""
    shared = figure.shared_axes or (direction == "x" and figure.shared_x)
    if not shared or panel.own_axes:
        return [panel]
    return [other for other in figure.panels if not other.own_axes]

class Page:
    def __init__(self, figure, style, width, height):
        self.figure, self.style, self.cells, self.widths = figure, style, [], {}
        self.canvas = Canvas(figsize=(width, height), dpi=LAYOUT_DPI, layout="constrained")
        FigureCanvasAgg(self.canvas)
        self.canvas.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.0, hspace=0.0)

    @property
    def renderer(self):
        return self.canvas._get_renderer()

    def pt(self, points):
        """Pixels of the layout."""
        return points * LAYOUT_DPI / 72.0

    def text_width(self, text, size, weight="normal"):
        """Measures the longest line of a text, in points."""
        if (text, size, weight) not in self.widths:
            font = FontProperties(size=size, weight=weight)
            self.widths[text, size, weight] = max(
                self.renderer.get_text_width_height_descent(line, font, False)[0]
                for line in text.split("\n")) / self.pt(1.0)
        return self.widths[text, size, weight]

    def wrap(self, text, width, size, weight="normal"):
        """Breaks a text into lines of at most `width` points at its spaces, but not in `W = 7` and `≤ 7`."""
        lines = [""]
        for word in re.split(r" (?!= \d)(?!(?<=[=≤] )\d)", text):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.text_width(longer, size, weight) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines
