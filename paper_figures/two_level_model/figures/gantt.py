#!/usr/bin/python3
# Draws the figure of this name: change what you like, and run this file.
import os, pathlib, sys
here = pathlib.Path(__file__).resolve()
sys.path += [os.environ.get("QBDRAW", "."), *(str(up / "plots/draw") for up in here.parents)]
try:
    import qbdraw
except ModuleNotFoundError as error:
    sys.exit(f"{error}: set QBDRAW to plots/draw of QuorumBench, and install python3-matplotlib.")
figure = qbdraw.load(here.with_suffix(".json"))
# figure.title = "Another title"
# figure.panels[0].series[0].colour = "#d95f02"
qbdraw.draw(figure, here.with_suffix(""))  # width="3.5in", height="2in", style="ieee", dpi=600
