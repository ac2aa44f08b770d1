# SPDX-License-Identifier: Apache-2.0
"""Writes files; the same figure gives the same bytes.

The SVG ends with a comment that says where the axes are, so that a page can find the values under
the pointer.
"""
import json
import os

FORMATS = ("svg", "pdf", "png", "pgf")
METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}


def axis_place(drawn, log, ends):
    low, high = sorted(ends)
    return {"log": log, "min": low, "max": high, "from": round(drawn(low), 3),
            "to": round(drawn(high), 3)}


def places(page):
    """Says for each panel the ends of its axes, as values and in the SVG's user units."""
    unit = 72.0 / page.canvas.dpi
    height = page.canvas.get_figheight() * 72.0
    panels = []
    for cell in page.cells:
        to_pixels = cell.axes.transData.transform
        x0, y0 = cell.axes.get_xlim()[0], cell.axes.get_ylim()[0]
        panels.append({
            "x": axis_place(lambda v: float(to_pixels((v, y0))[0]) * unit, cell.panel.x.log,
                            cell.axes.get_xlim()),
            "y": axis_place(lambda v: height - float(to_pixels((x0, v))[1]) * unit,
                            cell.panel.y.log, cell.axes.get_ylim())})
    return {"panels": panels}


def save(page, stem, formats, dpi):
    """Writes STEM.svg and the like; gives their paths."""
    os.makedirs(os.path.dirname(stem) or ".", exist_ok=True)
    comment = f"<!-- qb: {json.dumps(places(page))} -->\n"
    paths = []
    for format in formats:
        path = f"{stem}.{format}"
        page.canvas.savefig(path, format=format, dpi=dpi, metadata=METADATA.get(format))
        if format == "svg":
            with open(path, encoding="utf-8") as file:
                text = file.read()
            at = text.rindex("</svg>")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text[:at] + comment + text[at:])
        paths.append(path)
    return paths
