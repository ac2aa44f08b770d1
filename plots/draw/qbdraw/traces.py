# SPDX-License-Identifier: Apache-2.0
"""Where lines and marks are on the canvas, in pixels of the layout: what a text must not cover."""
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.path import Path
from matplotlib.transforms import Bbox

def lines_on(axes):
    """Gives all lines and intervals of a panel as paths."""
    paths = []
    for line in axes.lines:
        if line.get_linestyle() != "None":
            corners = line.get_path().vertices
            corners = line.get_transform().transform(corners)
            breaks = np.flatnonzero(np.isnan(corners).any(axis=1))
            paths += [Path(part) for part in np.split(corners, breaks) if len(part)]
    for lines in axes.collections:
        if isinstance(lines, LineCollection):
            paths += [axes.transData.transform_path(path) for path in lines.get_paths()]
    return paths

def struck(box, paths, most=0.5):
    """Says whether a path goes into a box by over `most` pixels."""
    core = Bbox.from_extents(box).padded(-most)
    return any(path.intersects_bbox(core, filled=False) for path in paths)

def marks_on(axes, pixels_of):
    """Gives the boxes of all marks of a panel, one a row: left, bottom, right, top."""
    found = [np.empty((0, 4))]
    for line in axes.lines:
        if line.get_marker() in ("", "None", None):
            continue
        at = line.get_transform().transform(np.column_stack(line.get_data(orig=False)))
        half = pixels_of(line.get_markersize() / 2.0)
        found.append(np.hstack([at - half, at + half]))
    boxes = np.concatenate(found)
    return boxes[np.isfinite(boxes).all(axis=1)]

def overlaps(box, boxes, most=0.5):
    """Says for each of `boxes` whether it overlaps the box by over `most` pixels both ways."""
    left, bottom, right, top = box
    wide = np.minimum(right, boxes[:, 2]) - np.maximum(left, boxes[:, 0])
    high = np.minimum(top, boxes[:, 3]) - np.maximum(bottom, boxes[:, 1])
    return (wide > most) & (high > most)

def crossed(box, bars, own):
    """Says whether a text lies on a bar that is not its own: with `own`, the text is in a bar and
    may be within several, as a part of a stack that is drawn twice; else it may be on none."""
    within = ((bars[:, 0] <= box[0] + 0.5) & (bars[:, 1] <= box[1] + 0.5)
              & (bars[:, 2] >= box[2] - 0.5) & (bars[:, 3] >= box[3] - 0.5))
    return overlaps(box, bars[~within] if own else bars).any()

def bars_on(cell):
    """Gives the boxes of all bars of a panel, one a row: left, bottom, right, top."""
    return np.array([bar.box() for bar in cell.bars]).reshape(-1, 4)
