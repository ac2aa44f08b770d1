# SPDX-License-Identifier: Apache-2.0
"""A figure while it is drawn: its canvas, its axes, and what is known of what stands on them."""
from dataclasses import dataclass, field

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontProperties

from qbdraw.read import Figure
from qbdraw.style import Style

LAYOUT_DPI = 100


@dataclass
class Bar:
    """A filled rectangle in the coordinates of the data."""
    axes: object
    x_low: float
    x_high: float
    low: float
    high: float
    colour: str
    text: object = None    # of matplotlib, the text that belongs to it
    outside: bool = False  # the text stands above or below it

    def box(self):
        """Gives left, bottom, right and top on the canvas."""
        points = self.axes.transData.transform([(self.x_low, self.low), (self.x_high, self.high)])
        return [*points.min(axis=0), *points.max(axis=0)]


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


class Page:
    def __init__(self, figure: Figure, style: Style, width, height):
        self.figure = figure
        self.style = style
        self.canvas = Canvas(figsize=(width, height), dpi=LAYOUT_DPI, layout="constrained")
        FigureCanvasAgg(self.canvas)
        self.canvas.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.0, hspace=0.0)
        self.cells = []

    @property
    def renderer(self):
        return self.canvas._get_renderer()

    @property
    def cell_font(self):
        return max(self.style.least_font, self.style.rc["font.size"] - 0.2)

    def pt(self, points):
        """Pixels of the layout."""
        return points * LAYOUT_DPI / 72.0

    def text_width(self, text, size, weight="normal"):
        """Measures the longest line of a text, in points."""
        font = FontProperties(size=size, weight=weight)
        widths = [self.renderer.get_text_width_height_descent(line, font, False)[0]
                  for line in text.split("\n")]
        return max(widths) * 72.0 / LAYOUT_DPI

    def wrap(self, text, width, size, weight="normal"):
        """Breaks a text into lines of at most `width` points where it has spaces."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.text_width(longer, size, weight) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines
