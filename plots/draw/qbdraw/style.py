# SPDX-License-Identifier: Apache-2.0
"""Sizes, fonts and strokes: the settings of styles/base.mplstyle and of a style that changes some.

A style is the name of a shipped one or an .mplstyle file. Its figure.figsize, if it has one, is
the width and the greatest height. Text sizes that it does not set follow from its font.size.
"""
import os
from dataclasses import dataclass, field

import matplotlib

from qbdraw.read import FigureError

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "styles")
# How much larger than font.size a text is.
LARGER = {"xtick.labelsize": 0.0, "ytick.labelsize": 0.0, "legend.fontsize": 0.0,
          "axes.labelsize": 0.5, "axes.titlesize": 0.5, "figure.titlesize": 1.0}

@dataclass
class Style:
    """Widths in inches of a figure of one panel and of several, and the greatest height."""
    column: float = 3.5
    page: float = 7.16
    highest: float = 7.0
    web: bool = False        # notes stand below the panels, and its SVG tells the values of marks
    least_font: float = 6.5  # nothing smaller is printed
    rc: dict = field(default_factory=dict)

SHIPPED = {"ieee": (3.5, 7.16), "acm": (3.33, 7.0), "neurips": (3.2, 5.5),
           "slide": (10.0, 10.0, 5.6), "web": (7.5, 7.5, 9.0, True)}

def settings(path):
    return dict(matplotlib.rc_params_from_file(path, use_default_template=False))

def load_style(name, font_size):
    """Makes the settings of a style. Throws FigureError if there is none of this name."""
    style = Style(*SHIPPED.get(name, ()))
    path = os.path.join(FOLDER, name + ".mplstyle") if name in SHIPPED else name
    if path and not os.path.isfile(path):
        raise FigureError(f"There is no style {name}; name a file, or one of {', '.join(SHIPPED)}.")
    own = settings(path) if path else {}
    style.rc = {**settings(os.path.join(FOLDER, "base.mplstyle")), **own}
    if "figure.figsize" in own:
        style.column, style.highest = own["figure.figsize"]
        style.page = style.column
    if font_size:
        style.rc["font.size"] = font_size
    for key, more in LARGER.items():
        if font_size or key not in own:
            style.rc[key] = style.rc["font.size"] + more
    # A letter that the first font does not have is taken from the next; this one has all.
    style.rc["font.family"] = [*style.rc["font.family"], "DejaVu Sans"]
    return style
