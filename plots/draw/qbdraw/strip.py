# SPDX-License-Identifier: Apache-2.0
"""Cases without a value: out of memory, or not tried after a shorter one ran out.

They stand in a grey strip at the top of the panel, above the limit if there is one, a row for each
line: never at a height that nobody measured.
"""
import math

from qbdraw.colour import STRIP
from qbdraw.lines import look_of

def rows_of(panel):
    """Gives the names of the lines with such cases, each once."""
    return list(dict.fromkeys(one.name for one in panel.series if one.is_cross and one.points))

def share_of(panels):
    """Gives the share of the panels' height that their strip takes."""
    rows = max(len(rows_of(panel)) for panel in panels)
    return min(0.4, 0.03 + 0.05 * rows) if rows else 0.0

def with_strip(axis, low, high, values, limits, share):
    """Gives the high end of an axis with room for the strip, and the value where the strip begins:
    a limit that no value exceeds, or the end that the axis has without it."""
    base = max(limits, default=high)
    if any(v > base for v in values if math.isfinite(v)):
        base = high
    if axis.log:
        return base * (base / low)**(share / (1.0 - share)), base
    return base + (base - low) * share / (1.0 - share), base

def draw_strip(cell, rc):
    if not (names := rows_of(cell.panel)):
        return
    cell.axes.axhspan(cell.strip_base, cell.y_range[1], color=STRIP, linewidth=0, zorder=0.6)
    for one in cell.panel.series:
        if one.is_cross and one.points:
            y = 1.0 - cell.strip * (names.index(one.name) + 0.5) / len(names)
            cell.axes.plot([p.x for p in one.points], [y] * len(one.points), zorder=3.0,
                           transform=cell.axes.get_xaxis_transform(), **look_of(one, rc))
