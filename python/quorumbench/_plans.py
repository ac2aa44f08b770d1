# SPDX-License-Identifier: Apache-2.0
"""What is known before anything runs: plans, interest sets, bounds, advice and published tables."""
from __future__ import annotations

import html
import io
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

from . import _core, _frames, _qb
from ._algorithm import Algorithm, Problem
from ._arrays import _number, _texts
from .errors import EnvironmentError, UsageError


class Plan:
    """Which worker computes which pairs, and what it sends and holds; no clock.

    pairs             by worker: the pairs of a query and a key that the mask leaves it, of one head
    sent_by_worker    the bytes that each sends, of all heads, in both passes if it plans both
    memory_by_worker  the most bytes that each holds
    columns           the predicted columns of cases.csv, by name (`qb columns` says what they mean);
                      each is an attribute too: device_sent_bytes, critical_path_pairs,
                      predicted_device_peak_bytes, …
    """

    def __init__(self, asked: dict[str, Any]) -> None:
        self._given = dict(asked)
        self._asked = dict(asked)
        self._own = self._asked.get("algorithm")
        recipe = None
        if isinstance(self._own, Algorithm):
            self._asked["algorithm"] = "dense"
            backward = self._asked.get("pass", "forward") != "forward"
            n_tokens = int(_qb.plain(asked.get("n_tokens", 0)))
            problem = Problem(n_tokens, asked.get("kv_len", n_tokens), mask=asked.get("mask", "full"),
                              **{name: asked[name] for name in
                                 ("q_heads", "kv_heads", "head_dim", "batch") if name in asked})
            recipe = self._own.recipe(problem, int(asked.get("workers", 1)), backward)
        self._recipe = recipe
        self._view = _core.plan(_texts(self._asked), recipe)
        self.columns: dict[str, Any] = {name: _number(text)
                                        for name, text in self._view.columns.items()}
        self.pairs: list[int] = self._view.pairs
        self.sent_by_worker: list[int] = self._view.sent
        self.memory_by_worker: list[int] = self._view.peak

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("columns", {}):
            return self.columns[name]
        raise AttributeError(f"a plan has no {name}; dir() of it lists what it has")

    def __dir__(self) -> list[str]:
        return sorted({name for name in super().__dir__() if name[0] != "_"} | set(self.columns))

    def __reduce__(self) -> Any:
        return Plan, (self._given,)  # what is asked says all of it

    def check(self) -> "Plan":
        """Gives the plan; raises UsageError with the first pair that is not computed exactly once."""
        if self._view.flaw:
            raise UsageError(self._view.flaw)
        return self

    def _words(self) -> list[str]:
        if isinstance(self._own, Algorithm):
            raise UsageError(f"{self._own} is written in Python; `qb plan` does not know it")
        if self._asked.get("pass") == "both":
            raise UsageError("this shows one pass; say passes='forward' or 'backward'")
        return ["plan", *_qb.options({"algorithm": "dense"} | self._asked)]

    def to_json(self, pairs: bool = False) -> str:
        """Gives what `qb plan --json` prints: tokens, pairs and tasks by worker, and what is moved."""
        if isinstance(self._own, Algorithm):
            return json.dumps({"algorithm": self._own.name, "columns": self.columns,
                               "pairs": self.pairs, "sent_bytes": self.sent_by_worker})
        return _qb.run([*self._words(), "--json", *(["--pairs"] if pairs else [])])

    def partition(self) -> Any:
        """Gives the rectangles of pairs that each worker computes of the first head, as a frame:
        worker, q_begin, q_end, k_begin, k_end, in tokens, and allowed (all or some)."""
        return _frames.of_csv(_core.partition(_texts(self._asked), self._recipe))

    def plot(self, ax: Any = None) -> Any:
        """Draws the partition with matplotlib, a colour a worker, and gives its axes."""
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1] if ax is None else ax
        rows = self.partition()
        colours = plt.get_cmap("tab20")
        for worker, top, bottom, left, right, allowed in zip(
                *(rows[name] for name in ("worker", "q_begin", "q_end", "k_begin", "k_end",
                                          "allowed"))):
            ax.fill((left, left, right, right), (top, bottom, bottom, top),
                    color=colours(int(worker) % 20), alpha=1.0 if allowed == "all" else 0.5)
        ax.set(xlabel="key", ylabel="query", aspect="equal", title=str(self._own or "dense"))
        ax.autoscale()
        ax.invert_yaxis()
        return ax

    def picture(self) -> str:
        """Gives the partition of queries and keys among the workers as SVG."""
        if isinstance(self._own, Algorithm):
            drawn = io.StringIO()
            figure = self.plot().figure
            figure.savefig(drawn, format="svg")
            figure.clear()
            return drawn.getvalue()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plan.svg"
            _qb.run([*self._words(), "--picture", str(path)])
            return path.read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        try:
            return self.picture()
        except (EnvironmentError, UsageError, ImportError):
            return f"<pre>{html.escape(repr(self))}</pre>"

    def __repr__(self) -> str:
        peak = self.columns.get("predicted_device_peak_bytes",
                                self.columns.get("predicted_active_peak_bytes", 0))
        return (f"<plan of {self._own or 'dense'}: {len(self.pairs)} workers, critical path "
                f"{self.critical_path_pairs} pairs a head, {self.device_sent_bytes} bytes sent by a "
                f"device, peak {peak} bytes of a device>")


def plan(algorithm: Any = "cqs", **parameters: Any) -> Plan:
    """Plans without running: plan("zigzag", n_tokens=65536, workers=8, mask="causal").

    Parameters are those of a spec (experiments/README.md): n_tokens, which is required, workers,
    q_heads, kv_heads, head_dim (64), batch, mask, dtype, kernel, …; `passes` is forward, backward
    or both. Raises UsageError for what does not exist or has no plan, with the reason.
    """
    asked = {"algorithm": algorithm} | {_qb.key(name): value
                                        for name, value in spread(parameters).items()}
    return Plan(asked)


class InterestSet(list[int]):
    """A list of residues mod `workers`, whose differences give every residue. Worker w holds the
    groups of tokens w + r of all residues r, so that for any two groups some worker holds both
    (CQS-Attention)."""

    def __init__(self, workers: int) -> None:
        if workers < 3:
            raise UsageError(f"there is no interest set for {workers} workers; W is 3 or more")
        super().__init__(_core.interest_set(workers))
        self.workers = workers

    def quorum(self, worker: int) -> list[int]:
        """Gives the groups of tokens that a worker holds, of groups 0 to workers - 1."""
        return sorted((residue + worker) % self.workers for residue in self)


def sets(workers: int | None = None) -> Any:
    """Gives the interest set of so many workers, 3 or more, or without a number the table of
    published sets as a frame. Raises UsageError for fewer workers."""
    if workers is None:
        return _frames.of_csv(_qb.run(["sets", "table", "--csv"]))
    return InterestSet(workers)


def bounds(**parameters: Any) -> Any:
    """Gives what each scheme sends and holds: bounds(n_tokens=8192, workers=8, passes="both").

    A frame with a row a scheme and pass: rounds and critical path, and the bytes that the busiest
    worker sends and the fullest one holds, as its plan counts them. With compute= (FLOP/s) and
    bandwidth= (bytes/s) of a worker it gives how many tokens each worker needs so that computing
    hides the transfers of a ring. Parameters are those of `qb bounds schemes` and
    `qb bounds min-block`.
    """
    what = "min-block" if "compute" in parameters else "schemes"
    return _frames.of_csv(_qb.run(["bounds", what, *_qb.options(parameters), "--csv"]))


@dataclass(frozen=True)
class Cluster:
    """Hosts of equal workers, for qb.advise(), qb.sweep(), qb.run() and qb.plan().

    hosts, workers_per_host   how many; a sweep without workers= has one worker for each place
    device                    who computes: a name such as "h100", a file, or "here", this machine
    inside, between           the link of a worker inside of its host, and of a NIC to other hosts,
                              each way: a name such as "nvlink4", or bytes/s and latency: "50e9,5us"
    nics                      NICs of a host, which its workers share evenly (default: one a worker)
    """

    hosts: int
    workers_per_host: int
    device: str = "here"
    inside: str | None = None
    between: str | None = None
    nics: int | None = None

    def options(self) -> dict[str, Any]:
        return {"cluster": f"{self.hosts}x{self.workers_per_host}", "device": self.device,
                "inside": self.inside, "between": self.between, "nics": self.nics}

    def _keys(self) -> dict[str, Any]:
        """Gives the keys of a spec that say the same."""
        named = {"device": "model.device", "inside": "cluster.inside", "between": "cluster.between",
                 "nics": "cluster.nics"}
        return {named.get(name, name): value for name, value in self.options().items()
                if value not in (None, "here")}


def spread(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Puts the keys of a spec in place of clusters, which may differ in their sizes."""
    given: Any = keys.get("cluster")
    asked = given if isinstance(given, (list, tuple)) else [given]
    said = [one._keys() for one in asked if isinstance(one, Cluster)]
    if not said:
        return dict(keys)
    sizes = [one.pop("cluster") for one in said]
    if any(one != said[0] for one in said) or len(said) != len(asked):
        raise UsageError("clusters of one sweep have the same device, links and NICs; sweep these "
                         "by their keys, such as cluster=\"2x8\" and cluster_inside=[…]")
    return said[0] | dict(keys) | {"cluster": sizes if asked is given else sizes[0]}


class Advice(dict[str, Any]):
    """A dict: what `qb advise --json` says, times in seconds. Printed it is the text; its "winner"
    is the scheme, and "schemes" has the times, bytes and memory of each."""

    def __init__(self, words: list[str]) -> None:
        super().__init__(json.loads(_qb.run([*words, "--json"])))
        self._words = words
        self._text = ""

    def to_json(self) -> str:
        return json.dumps(self)

    def __repr__(self) -> str:
        self._text = self._text or _qb.run(self._words)
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def advise(*, cluster: Cluster | None = None, **parameters: Any) -> Advice:
    """Says which scheme to use for a problem on a machine, and why.

    Parameters are those of `qb advise`: n_tokens, which is required, workers, q_heads, kv_heads,
    head_dim, mask, dtype, passes, device="h100" (or "here", which is measured first), link="ndr" or
    "50e9,5us"; cluster= in place of workers, device and link. Times are predicted by a model.
    """
    asked = parameters | (cluster.options() if cluster else {})
    return Advice(["advise", *_qb.options(asked)])


def papers(*names: str, **options: Any) -> Any:
    """Gives the verdicts of the published tables, as a frame: without a name the counts by paper, with
    the name of one a row for each claim, what is published, what follows (ours), and the verdict.

    Options are those of `qb papers`: verdict="differs", needs="training". Raises UsageError for a
    paper that is not in the index.
    """
    printed = _qb.run(["papers", *names, *_qb.options(options), "--format", "csv"], (0, 4))
    return _frames.of_csv(printed)
