# SPDX-License-Identifier: Apache-2.0
"""What each way of splitting exact attention over workers costs: computed, counted and proved.

    import quorumbench as qb
    r = qb.attend(q, k, v, do=do, algorithm="zigzag", workers=8, mask="causal")
    qb.plan("ring", n_tokens=65536, workers=8, mask="causal").bytes
    qb.sweep(algorithm=["ring", "zigzag"], workers=[4, 8], n_tokens=4096).run().frame()
"""
import atexit as _atexit
import os as _os
import sys as _sys

from . import _core
from ._algorithm import Algorithm, Builder, Problem, algorithm
from ._arrays import Result, attend, attention
from ._plans import Advice, Cluster, InterestSet, Plan, advise, bounds, papers, plan, sets
from ._runs import (Figure, Planned, Run, Sweep, Table, compare, figure, load, run, sweep, table)
from .errors import CaseError, EnvironmentError, UsageError

__version__ = "0.1.0"
__all__ = [
    "Advice", "Algorithm", "Builder", "CaseError", "Cluster", "EnvironmentError", "Figure",
    "InterestSet", "Plan", "Planned", "Problem", "Result", "Run", "Sweep", "Table", "UsageError",
    "advise", "algorithm", "attend", "attention", "bounds", "compare", "figure", "load", "papers",
    "plan", "run", "sets", "sweep", "table",
]


@_atexit.register
def _leave() -> None:
    """A call that Ctrl-C left behind still computes; the program does not wait for it."""
    if _core.abandoned_calls() > 0:
        _sys.stdout.flush()
        _sys.stderr.flush()
        _os._exit(130)
