# SPDX-License-Identifier: Apache-2.0
"""Values under the pointer: an unseen shape at each mark of an SVG, whose <title> says its series,
its place, its value and its interval. Browsers show it, and a page may look for the nearest."""
import math
from xml.sax.saxutils import escape

import numpy as np

from qbdraw.panels import is_category

MOST = 1000  # shapes; of more marks every nth has one
RADIUS = 4.0

def number(value):
    """Writes long whole numbers as they are and others with four digits."""
    whole = abs(value) >= 1000.0 and value == round(value)
    return f"{value if whole else float(f'{value:.4g}'):,.15g}"

def span(low, high):
    return f"{number(low)} to {number(high)}"

def place(cell, direction, value, low, high, bar):
    """Says where a mark is on an axis: by the name of the place, its ends, or its value."""
    axis = getattr(cell.panel, direction)
    if is_category(cell.panel, direction) or any(text[:1].isalpha() for _, text in axis.tics):
        text = min(axis.tics, key=lambda tic: abs(tic[0] - value))[1].replace("\n", " ")
    elif bar and abs(value - (low + high) / 2.0) <= 1e-9 * abs(high):
        text = span(low, high)
    else:
        interval = not bar and math.isfinite(low) and math.isfinite(high)
        text = number(value) + (f" ({span(low, high)})" if interval else "")
    return f"{axis.label} {text}".strip()

def title(cell, one, p):
    bar = one.draw == "rectangles"
    name = one.name + (", published" if one.kind == "published" else "")
    y = place(cell, "y", p.y, p.low, p.high, bar)
    x = place(cell, "x", p.x, p.x_low if bar else math.nan, p.x_high, bar)
    return f"<title>{escape(f'{name}: {y} at {x}')}{', disturbed' * p.disturbed}</title>"

def shape(page, cell, one, p):
    """Makes the shape of a mark; empty if it is not on the canvas or has no area."""
    bar = one.draw == "rectangles"
    corners = [(p.x_low, p.low), (p.x_high, p.high)] if bar else [(p.x, p.y)]
    xs, ys = cell.axes.transData.transform(corners).T / page.pt(1.0)
    width, height = page.canvas.get_size_inches() * 72.0
    wide, high = np.ptp(xs), np.ptp(ys)
    if (not (0.0 <= min(xs) <= max(xs) <= width and 0.0 <= min(ys) <= max(ys) <= height)
            or bar and not min(wide, high) > 0.0):
        return ""
    look = (f'rect x="{min(xs):.1f}" y="{height - max(ys):.1f}" width="{wide:.1f}" '
            f'height="{high:.1f}"' if bar else
            f'circle cx="{xs[0]:.1f}" cy="{height - ys[0]:.1f}" r="{RADIUS:g}"')
    return f"<{look}>{title(cell, one, p)}</{look.split()[0]}>"

def marks(page):
    """Gives a group of SVG with a group for each series."""
    shown = [(cell, one) for cell in page.cells for one in cell.panel.series
             if one.points and one.draw != "limit" and not one.is_cross]
    every = 1 + sum(len(one.points) for _, one in shown) // MOST
    groups = [(one, "".join(shape(page, cell, one, p) for p in one.points[::every]))
              for cell, one in shown]
    return ('<g class="marks" fill="none" pointer-events="all">\n' + "\n".join(
        f'<g data-series="{one.gid.removeprefix("series:")}">{group}</g>'
        for one, group in groups if group)
            + "\n</g>\n")
