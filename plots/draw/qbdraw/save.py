# SPDX-License-Identifier: Apache-2.0
"""Writes files; the same figure gives the same bytes."""
import os
import re
import shutil

import matplotlib

from qbdraw import values

FORMATS = ("svg", "pdf", "png", "pgf")
NO_DATE = {"svg": {"metadata": {"Date": None}}, "pdf": {"metadata": {"CreationDate": None}},
           "png": {"metadata": {"Software": None}}}

def finish(page, path):
    """Moves the look of all lines in an SVG from a style sheet, which would act on a whole page, to
    the root, and adds the values of the marks for the web. What belongs to a series has its key and
    its kind in data-series, and a name has the keys or the kind that it stands for in data-key."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text.replace(
        '<style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}</style>', "")
    text = text.replace("<svg ", '<svg stroke-linejoin="round" stroke-linecap="butt" ', 1)
    text = re.sub(r'id="(series|key):', r'data-\1="', text)
    if page.style.web:
        text = text.replace("</svg>", values.marks(page) + "</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)

def save(page, stem, formats, dpi):
    """Writes STEM.svg and the like; gives their paths. Throws OSError if a program is missing."""
    if "pgf" in formats and not shutil.which(matplotlib.rcParams["pgf.texsystem"]):
        raise OSError(f"The format pgf needs {matplotlib.rcParams['pgf.texsystem']}; install LaTeX "
                      "or leave pgf out.")
    os.makedirs(os.path.dirname(stem) or ".", exist_ok=True)
    paths = [f"{stem}.{format}" for format in formats]
    for path, format in zip(paths, formats):
        page.canvas.savefig(path, format=format, dpi=dpi, **NO_DATE.get(format, {}))
        if format == "svg":
            finish(page, path)
    return paths
