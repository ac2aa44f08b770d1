# SPDX-License-Identifier: Apache-2.0
"""What each way of splitting exact attention over workers costs: computed, counted and proved.

    import quorumbench as qb
    r = qb.attend(q, k, v, do=do, algorithm="zigzag", workers=8, mask="causal")
    qb.plan("ring", n_tokens=65536, workers=8, mask="causal").device_sent_bytes
    qb.sweep(algorithm=["ring", "zigzag"], workers=[4, 8], n_tokens=4096).run().frame()

attend, attention, clear_cache       compute arrays that are there, and compare them with float64
verify                               compares what another program computed, and names its mistake
plan, sets, bounds, advise, papers   say what is known before anything runs
sweep, run, load, compare            measure cases, each in a process of its own, and read what ran
table, figure, explore               show runs
algorithm                            makes an algorithm of a function

N is the number of tokens of the whole sequence and W the number of workers; W = 1 splits nothing.
Bytes are bytes and times seconds. What cannot be done raises UsageError, what the machine lacks
EnvironmentError, what went wrong while it ran CaseError, each with a sentence that says what to do.
"""
from ._algorithm import Algorithm, Builder, Problem, algorithm
from ._arrays import Result, attend, attention, clear_cache
from ._explore import explore
from ._plans import Advice, Cluster, InterestSet, Plan, advise, bounds, papers, plan, sets
from ._runs import Planned, Run, Sweep, compare, load, run, sweep
from ._shown import Figure, Table, figure, table
from ._verify import Check, verify
from .errors import CaseError, EnvironmentError, UsageError

__version__ = "0.2.0"
__all__ = [
    "Advice", "Algorithm", "Builder", "CaseError", "Check", "Cluster", "EnvironmentError", "Figure",
    "InterestSet", "Plan", "Planned", "Problem", "Result", "Run", "Sweep", "Table", "UsageError",
    "advise", "algorithm", "attend", "attention", "bounds", "clear_cache", "compare", "explore", "figure",
    "load", "papers", "plan", "run", "sets", "sweep", "table", "verify",
]

