# SPDX-License-Identifier: Apache-2.0
"""Algorithms that are written in Python: which worker computes what, and what it sends."""
from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from . import _core
from .errors import UsageError


@dataclass(frozen=True)
class Problem:
    """The attention problem that an algorithm splits: numbers of tokens, heads and elements of a
    head; mask is "full", "causal" or a pattern."""

    n_tokens: int
    kv_len: int
    q_heads: int = 1
    kv_heads: int = 1
    head_dim: int = 64
    batch: int = 1
    mask: Any = "full"

    @staticmethod
    def of_arrays(arrays: Mapping[str, Any], layout: str, mask: Any) -> "Problem":
        def sizes(array: Any) -> Sequence[int]:
            shape = [1] * (4 - len(array.shape)) + [int(side) for side in array.shape]
            return [shape[0], shape[2], shape[1], shape[3]] if layout in ("bnhd", "nhd") else shape

        batch, q_heads, n_tokens, head_dim = sizes(arrays["q"])
        _, kv_heads, kv_len, _ = sizes(arrays["k"])
        return Problem(n_tokens, kv_len, q_heads, kv_heads, head_dim, batch, mask or "full")


class Builder:
    """Takes what worker 0 does in each step; worker w does the same, with every number shifted by w.

    A shard is what one worker holds of Q, K and V at first: `keys=-1` is that of the worker one
    place before. Steps count from 0. What a worker sends in a step is received when the next one
    begins.

    workers             W
    backward            True while the plan of the backward pass is written
    inputs, gradients   what a ring sends round: ("K", "V") and ("dK", "dV")
    """

    inputs = ("K", "V")
    gradients = ("dK", "dV")

    def __init__(self, workers: int, backward: bool) -> None:
        self.workers = workers
        self.backward = backward
        self._deal = "contiguous"
        self._tasks: list[tuple[int, int, int]] = []
        self._sends: list[tuple[int, int, str, str, int]] = []

    def deal(self, how: str) -> None:
        """Deals the tokens to the shards: contiguous (the default), striped (one by one) or zigzag
        (chunks i and 2W - 1 - i). Of several calls the last one counts."""
        self._deal = how

    def task(self, step: int, *, keys: int, queries: int = 0) -> None:
        """Computes a shard of queries with a shard of keys; what the mask forbids is left out."""
        self._tasks.append((step, queries, keys))

    def send(self, step: int, *, to: int, what: str, of: int, kind: str = "p2p") -> None:
        """Sends a tensor of the shard `of` to the worker `to` places on. what is K, V or Q, partial
        (an O with its LSE, which the owner of the queries merges), or in a backward pass dK, dV or
        dQ, which the receiver adds up."""
        self._sends.append((step, to, kind, what, of))


@dataclass(frozen=True)
class Algorithm:
    """A function that is an algorithm, which @qb.algorithm makes. qb.plan(), qb.attend(),
    qb.attention() and qb.sweep() take it where they take the name of one. A sweep writes its plans
    to NAME.HASH.json in the current folder, which the spec names; each case reads it and is
    checked."""

    function: Callable[[Problem, int, Builder], None]
    name: str

    def _plan(self, problem: Problem, workers: int, backward: bool) -> dict[str, Any]:
        plan: dict[str, Any] = {"deal": "contiguous", "forward": ([], []), "backward": ([], [])}
        for of_backward in (False, True) if backward else (False,):
            builder = Builder(workers, of_backward)
            self.function(problem, workers, builder)
            plan["deal"] = builder._deal
            plan["backward" if of_backward else "forward"] = (builder._tasks, builder._sends)
        return plan

    def recipe(self, problem: Problem, workers: int, backward: bool) -> Any:
        recipe = _core.Recipe()
        recipe.name = self.name
        for name, value in self._plan(problem, workers, backward).items():
            setattr(recipe, name, value)
        return recipe

    def _file(self, cases: Sequence[Mapping[str, str]]) -> str:
        """Writes its plans for such cases into the current folder, and gives the file's name."""
        backward = any(case["pass"] != "forward" for case in cases)
        plans: dict[int, dict[str, Any]] = {}
        for case in cases:
            sizes = {name: int(case[name])
                     for name in ("n_tokens", "kv_len", "q_heads", "kv_heads", "head_dim", "batch")}
            workers = int(case["workers"])
            plan = self._plan(Problem(**sizes, mask=case["mask"]), workers, backward)
            if plans.setdefault(workers, plan) != plan:
                raise UsageError(
                    f"{self} has other tasks for another problem with {workers} workers; a sweep takes "
                    "one that depends on the workers only, so make one sweep a problem")
        text = json.dumps({"name": self.name, "plans": [{"workers": workers} | plan
                                                        for workers, plan in plans.items()]})
        path = f"{self.name}.{hashlib.sha256(text.encode()).hexdigest()[:6]}.json"
        Path(path).write_text(text)
        return path

    def __str__(self) -> str:
        return self.name


def shown(algorithm: str) -> str:
    """Gives the name of an algorithm that a row names by its file."""
    return Path(algorithm).name.partition(".")[0]


def algorithm(function: Callable[[Problem, int, Builder], None]) -> Algorithm:
    """Makes an algorithm of `function(problem, workers, b)`, which calls b.deal, b.task and b.send.

    problem is a Problem and b a Builder. The plan is checked: each unmasked pair once, and each
    tensor where it is used; what is not so raises UsageError, which names the first block. The
    function is called once a pass; b.backward says for which. Raises UsageError for what is not a
    function.
    """
    if not callable(function):
        raise UsageError("@qb.algorithm stands before a function of (problem, workers, b)")
    return Algorithm(function, getattr(function, "__name__", "algorithm"))
