# SPDX-License-Identifier: Apache-2.0
"""The memory that a call took, by worker and moment."""
from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _frames
from .errors import UsageError


class PerWorker(dict[int, Any]):
    """Active bytes of each worker: {worker: (times in seconds, bytes)}."""

    def plot(self, ax: Any = None) -> Any:
        """Draws a step line a worker with matplotlib, and gives its axes."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        for worker, (times, held) in self.items():
            ax.step([1e3 * time for time in times], [one / 2**20 for one in held], where="post",
                    label=f"worker {worker}")
        ax.set_xlabel("time (ms)")
        ax.set_ylabel("active memory (MiB)")
        ax.legend()
        return ax


class Memory:
    """The events of the ledger that gives all memory of a call."""

    def __init__(self, job: Any) -> None:
        self._job = job

    def frame(self) -> Any:
        """Gives the events as memory_timeline.csv has them."""
        return _frames.of_rows(self._job.timeline(), "memory_timeline.csv")

    @property
    def per_worker(self) -> PerWorker:
        found = PerWorker()
        signs = {"alloc": 1, "free": -1}
        for row in self._job.timeline():
            if sign := signs.get(row["action"]):
                times, held = found.setdefault(int(row["worker"]), ([0.0], [0]))
                times.append(float(row["time_s"]))
                held.append(held[-1] + sign * int(row["bytes"]))
        return found

    def save(self, path: str | Path) -> Path:
        """Writes .pickle for https://pytorch.org/memory_viz, .json for https://ui.perfetto.dev, or
        .csv."""
        path = Path(path)
        if path.suffix == ".pickle":
            path.write_bytes(self._job.snapshot())
        elif path.suffix == ".json":
            path.write_text(self._job.trace())
        elif path.suffix == ".csv":
            lines = _frames.lines_of(self._job.timeline(), "memory_timeline.csv")
            path.write_text(_frames.csv_text(lines))
        else:
            raise UsageError(f"{path}: write .pickle, .json or .csv")
        return path
