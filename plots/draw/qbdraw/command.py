# SPDX-License-Identifier: Apache-2.0
"""The command line: reads options and figures, and draws them.

It ends with 0, with 2 if an option or a figure is wrong, and with 3 if a file cannot be read or
written, or if a program that a format needs is missing. A figure that cannot be drawn is named and
left out, the others are drawn, and the greatest of these codes counts.
"""
import argparse
import os
import re
import sys

import matplotlib

from qbdraw import save
from qbdraw.layout import NoRoom, lay_out
from qbdraw.page import Page
from qbdraw.panels import draw_panels
from qbdraw.read import FigureError, read_figure
from qbdraw.style import SHIPPED, load_style

UNITS = {"in": 1.0, "": 1.0, "mm": 1.0 / 25.4, "cm": 1.0 / 2.54, "pt": 1.0 / 72.0}

class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise FigureError(f"{message[:1].upper()}{message[1:]}; --help lists the options.")

def length(text):
    """Reads a length in inches: `3.5in`, `89mm`."""
    match = re.fullmatch(r"(\d+\.?\d*)\s*(in|mm|cm|pt|)", text)
    inches = float(match[1]) * UNITS[match[2]] if match else 0.0
    if not 1.0 <= inches <= 60.0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a length of 1 to 60 inches such as 3.5in or 89mm")
    return inches

def shaped(pattern, example):
    """Makes a reader of texts of one shape; it gives what the pattern's groups match."""
    def reader(text):
        if not (match := re.fullmatch(pattern, text)):
            raise argparse.ArgumentTypeError(f"{text!r} is not of the form {example}")
        return match.groups()
    return reader

def make_parser():
    parser = Parser(prog="qbdraw", description="Draws figures: NAME.json beside NAME.csv.")
    add = parser.add_argument
    add("figures", nargs="+", metavar="NAME.json")
    add("--out", metavar="DIR", help="folder of the pictures; default: that of the figure")
    one = "|".join(save.FORMATS)
    add("--format", type=shaped(f"((?:{one})(?:,(?:{one}))*)", "svg,pdf,png,pgf"),
        default=("svg,pdf,png",), help="default: svg,pdf,png; also pgf")
    add("--width", type=length, help="3.5in, 89mm; default: a column for one panel, else a page")
    add("--height", type=length, help="default: what the panels need, at most 7 in")
    add("--style", help=f"{', '.join(SHIPPED)}, or a .mplstyle file")
    add("--font-size", type=float, metavar="PT", help="size of tics, labels and legend")
    add("--dpi", type=float, default=300.0, help="of the PNG; default: 300")
    add("--legend", choices=("below", "none"), help="default: names at lines, else below")
    add("--panels", type=shaped(r"([1-9]\d*(?:,[1-9]\d*)*)", "1,3"), metavar="1,3",
        help="draws these panels alone")
    add("--title", help="another title, or none")
    add("--series", nargs="+", action="extend", metavar="NAME", help="draws these series alone")
    add("--colour", "--color", nargs="+", action="extend", default=[],
        type=shaped("(.+)=(#[0-9a-fA-F]{6})", "NAME=#d95f02"), metavar="NAME=#d95f02")
    return parser

def choose(figure, options, path):
    """Leaves in the figure what the options name."""
    if options.panels:
        places, count = [int(place) for place in options.panels[0].split(",")], len(figure.panels)
        if max(places) > count:
            raise FigureError(f"{path} has {count} panels; --panels names {max(places)}.")
        figure.panels = [figure.panels[place - 1] for place in places]
    names = {one.name for panel in figure.panels for one in panel.series}
    colours = dict(options.colour)
    for name in [*(options.series or []), *colours]:
        if name not in names:
            raise FigureError(f"{path} has no series {name!r}; it has {', '.join(sorted(names))}.")
    for panel in figure.panels:
        if options.series:
            panel.series = [one for one in panel.series if one.name in options.series]
        for one in panel.series:
            one.colour = colours.get(one.name, one.colour)
    if options.title is not None:
        figure.title = "" if options.title == "none" else options.title

def laid_out(figure, options):
    """Lays a figure out, in more and more columns until its panels have room."""
    style = load_style(options.style, options.font_size)
    width = options.width or (style.column if len(figure.panels) == 1 else style.page)
    matplotlib.rcdefaults()  # no settings of the user's but the style
    matplotlib.rcParams.update(style.rc)
    columns = 1
    while True:
        page = Page(figure, style, width, options.height or style.highest)
        draw_panels(page, columns)
        try:
            lay_out(page, options.legend, options.height)
            return page
        except NoRoom:
            columns = page.columns + 1
            if columns > page.most_columns:
                raise

def draw(figure, stem, options):
    """Draws a figure into STEM.svg and the like."""
    page = laid_out(figure, options)
    print("\n".join(save.save(page, stem, options.format[0].split(","), options.dpi)))

def parse(words):
    # Files come first, since --series and --colour take all words that follow them.
    options = make_parser().parse_args(sorted(words, key=lambda word: not word.endswith(".json")))
    if not (1.0 <= (options.font_size or 7.0) <= 100.0 and 20.0 <= options.dpi <= 2400.0):
        raise FigureError("--font-size must be from 1 to 100 pt, --dpi from 20 to 2400.")
    return options

def draw_file(path, options):
    """Draws what the options choose of NAME.json."""
    figure = read_figure(path)
    choose(figure, options, path)
    name = os.path.splitext(os.path.basename(path))[0]
    draw(figure, os.path.join(options.out or os.path.dirname(path), name), options)

def tried(action, *arguments):
    """Does it; gives what it gives and the exit code."""
    try:
        return action(*arguments), 0
    except (FigureError, OSError, RuntimeError) as error:
        print(f"qbdraw: {error}", file=sys.stderr)
        return None, 2 if isinstance(error, FigureError) else 3

def main(words):
    options, code = tried(parse, words)
    return max([code, *(tried(draw_file, path, options)[1]
                        for path in (options.figures if options else []))])
