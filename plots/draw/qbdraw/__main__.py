# SPDX-License-Identifier: Apache-2.0
"""Runs the package as a folder, `python3 plots/draw/qbdraw`, or as a module, `python3 -m qbdraw`."""
import os
import sys

if not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from qbdraw.command import main

sys.exit(main(sys.argv[1:]))
