# SPDX-License-Identifier: Apache-2.0
"""Sizes, fonts and strokes, as settings of matplotlib that a style sheet may change.

A style is the name of a shipped one or an .mplstyle file. Its figure.figsize, if it has one, is
the width and the greatest height. Text sizes that it does not set follow from its font.size.
"""
import os
from dataclasses import dataclass, field

import matplotlib
from matplotlib import font_manager

from qbdraw.read import FigureError

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "styles")

BASE = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"],
    "font.size": 7.0,
    "text.hinting": "none",
    "text.parse_math": False,
    "text.color": "#222222",
    "axes.labelcolor": "#222222",
    "axes.edgecolor": "#333333",
    "axes.linewidth": 0.6,
    "axes.labelpad": 2.0,
    "axes.titlepad": 4.0,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "figure.titleweight": "bold",
    "grid.color": "#e2e2e2",
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.5,
    "hatch.color": "#ffffff",
    "legend.frameon": False,
    "legend.handlelength": 1.9,
    "legend.columnspacing": 1.5,
    "legend.handletextpad": 0.5,
    "legend.labelspacing": 0.35,
    "legend.borderpad": 0.2,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.8,
    "patch.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "qbdraw",
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
}
# How much larger than font.size a text is.
LARGER = {"xtick.labelsize": 0.0, "ytick.labelsize": 0.0, "legend.fontsize": 0.0,
          "axes.labelsize": 0.5, "axes.titlesize": 0.5, "figure.titlesize": 1.0}


@dataclass
class Style:
    """Widths in inches of a figure of one panel and of several, and the greatest height."""
    column: float = 3.5
    page: float = 7.16
    highest: float = 7.0
    least_font: float = 6.5  # nothing smaller is printed
    notes: bool = False      # provenance and notes stand below the picture
    rc: dict = field(default_factory=dict)


def shipped():
    """Gives the shipped styles by their names; each has a file of settings beside it."""
    return {
        "ieee": Style(),
        "acm": Style(column=3.33, page=7.0),
        "neurips": Style(column=3.2, page=5.5),
        "slide": Style(column=10.0, page=10.0, highest=5.6),
        "web": Style(column=7.5, page=7.5, highest=9.0, notes=True),
    }


def installed(rc):
    """Gives the fonts of a style that this machine has, so that matplotlib does not warn. A letter
    that the first does not have is taken from the next; DejaVu Sans has all."""
    known = {font.name for font in font_manager.fontManager.ttflist}
    names = [name for family in rc["font.family"] for name in rc.get("font." + family, [family])]
    return [name for name in names if name in known and name != "DejaVu Sans"] + ["DejaVu Sans"]


def load_style(name, font_size):
    """Makes the settings of a style. Throws FigureError if there is none of this name."""
    style = shipped().get(name or "", Style())
    own = {}
    if name:
        path = os.path.join(FOLDER, name + ".mplstyle") if name in shipped() else name
        if not os.path.isfile(path):
            raise FigureError(f"There is no style {name}; name a file, or one of "
                              f"{', '.join(shipped())}.")
        own = dict(matplotlib.rc_params_from_file(path, use_default_template=False))
    style.rc = {**BASE, **own}
    if "figure.figsize" in own:
        style.column = style.page = own["figure.figsize"][0]
        style.highest = own["figure.figsize"][1]
    if font_size:
        style.rc["font.size"] = font_size
    for key, more in LARGER.items():
        if font_size or key not in own:
            style.rc[key] = style.rc["font.size"] + more
    style.rc["font.family"] = installed(style.rc)
    return style
