# SPDX-License-Identifier: Apache-2.0
"""Runs the package as a folder, `python3 plots/draw/qbdraw`, or as a module, `-m qbdraw`."""
import os
import sys

if not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
try:
    from qbdraw.command import main
except ModuleNotFoundError as error:
    print(f"qbdraw: {error}: install python3-matplotlib, or use the python3 that has it, such as "
          "/usr/bin/python3.", file=sys.stderr)
    sys.exit(3)
sys.exit(main(sys.argv[1:]))
