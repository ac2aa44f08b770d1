# SPDX-License-Identifier: Apache-2.0
"""Writes files; the same figure gives the same bytes.

The SVG ends with a comment that says where the axes are, so that a page can find the values under
the pointer.
"""
import json
import os
import shutil

import matplotlib

FORMATS = ("svg", "pdf", "png", "pgf")
NO_DATE = {"svg": {"metadata": {"Date": None}}, "pdf": {"metadata": {"CreationDate": None}},
           "png": {"metadata": {"Software": None}}}

def places(page):
    """Says for each panel the ends of its axes, as values and in the SVG's user units."""
    height, panels = page.canvas.get_figheight() * 72.0, []
    for cell in page.cells:
        ends = cell.axes.transData.transform(list(zip(cell.x_range, cell.y_range)))
        (left, bottom), (right, top) = (ends / page.pt(1.0)).tolist()
        panels.append({
            name: {"log": axis.log, "min": low, "max": high, "from": round(start, 3),
                   "to": round(end, 3)}
            for name, axis, (low, high), start, end in (
                ("x", cell.panel.x, cell.x_range, left, right),
                ("y", cell.panel.y, cell.y_range, height - bottom, height - top))})
    return {"panels": panels}

def css(fonts):
    return ", ".join(name if name.endswith("serif") else f"'{name}'" for name in fonts)

def scoped(svg):
    """Moves the look of all lines from a style sheet, which would act on a whole page, to the root."""
    sheet = '<style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}</style>'
    return svg.replace(sheet, "").replace(
        "<svg ", '<svg stroke-linejoin="round" stroke-linecap="butt" ', 1)

def save(page, stem, formats, dpi):
    """Writes STEM.svg and the like; gives their paths. Throws OSError if a program is missing."""
    if "pgf" in formats and not shutil.which(matplotlib.rcParams["pgf.texsystem"]):
        raise OSError(f"The format pgf needs {matplotlib.rcParams['pgf.texsystem']}; install LaTeX "
                      "or leave pgf out.")
    os.makedirs(os.path.dirname(stem) or ".", exist_ok=True)
    comment = f"<!-- qb: {json.dumps(places(page))} -->\n"
    paths = []
    for format in formats:
        path = f"{stem}.{format}"
        page.canvas.savefig(path, format=format, dpi=dpi, **NO_DATE.get(format, {}))
        if format == "svg":
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text = text.replace(css(page.style.rc["font.family"]), css(page.style.fonts))
            text = scoped(text)
            at = text.rindex("</svg>")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text[:at] + comment + text[at:])
        paths.append(path)
    return paths
