#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the targets of a GPU with what acceptance.sh measured: python3 verdict.py FOLDER

Prints one line for each target: what, target, measured, verdict (met, missed, not measured). Ours
is kernel flash; kernel cudnn and PyTorch's backends are peers. If the run `attention` lacks a cell
of a target, that of the microbenchmark (flash_rounds.csv) is taken. Standard library only.
Exit codes: 0 nothing is missed, 4 something is, 2 usage.
"""

import json
import os
import sys

from verdict_layer import add_layer
from verdict_table import SIXTEEN_BITS, Table, cell, chosen, is_right, rate, rows_of, seconds

NCCL_CELLS = {"1": 14, "2": 12, "4": 16, "8": 16}  # cells by number of workers
STUDY_CELLS = 90
DECODE_CELLS = 3
TORCH_BACKENDS = ("flash", "cudnn", "efficient")
MICROBENCHMARK = "microbenchmark"


def timed_rounds(folder, passes):
    """The microbenchmark's rows of a pass. A wrong output counts as measured; a shape that could
    not be timed does not."""
    return [row for row in rows_of(folder, ".", "flash_rounds.csv")
            if row["pass"] == passes and row["status"] in ("ok", "incorrect")]


class FlashRows:
    """Our cells and the peers' cells, from the runs or, if they lack one, the microbenchmark."""

    def __init__(self, folder):
        runs = rows_of(folder, "attention")
        self.ours = chosen(runs, kernel="flash")
        self.a100 = chosen(rows_of(folder, "sm_80"), kernel="flash")
        self.peers = chosen(runs, kernel="cudnn") + [
            row for backend in TORCH_BACKENDS for row in rows_of(folder, "torch_" + backend)]
        self.rounds = timed_rounds(folder, "forward")

    def slowest(self, rows, kernel, **shape):
        """TFLOP/s of the slower of the two types, since both have the target; and the source."""
        for source, known in (("", rows), (MICROBENCHMARK, chosen(self.rounds, kernel=kernel))):
            cells = [cell(known, dtype=dtype, **shape) for dtype in SIXTEEN_BITS]
            if all(cells):
                return min(rate(row) for row in cells) / 1e12, source
        return None

    def over_peers(self, **shape):
        """Our rate over the best peer's, in the type in which this ratio is less."""
        by_rounds = [row for row in self.rounds if not row["kernel"].startswith("flash")]
        for source, ours, peers in (
                ("", self.ours, self.peers),
                (MICROBENCHMARK, chosen(self.rounds, kernel="flash"), by_rounds)):
            shares = [share_of_best(cell(ours, dtype=dtype, **shape),
                                    chosen(peers, dtype=dtype, **shape)) for dtype in SIXTEEN_BITS]
            if all(shares):
                return min(shares), source
        return None


def share_of_best(ours, peers):
    """Our rate over the best peer's; None unless both cuDNN and FlashAttention were measured."""
    done = chosen(peers, status="ok")
    kernels = {row["kernel"] for row in done}
    if not ours or "torch_flash" not in kernels or not kernels & {"cudnn", "torch_cudnn"}:
        return None
    return rate(ours) / max(rate(row) for row in done)


def add_flash(table, folder):
    rows = FlashRows(folder)

    def shape(head_dim, mask):
        return {"head_dim": head_dim, "mask": mask, "n_tokens": "16384"}

    for head_dim, mask, target in (("128", "full", 600), ("128", "causal", 550),
                                   ("64", "full", 450), ("64", "causal", 420)):
        table.at_least(f"flash d={head_dim} {mask}, N=16384", target, "TFLOP/s",
                       lambda s=shape(head_dim, mask): rows.slowest(rows.ours, "flash", **s))
    for head_dim in ("128", "64"):
        for mask in ("full", "causal"):
            table.at_least(f"flash over the best of cuDNN and torch, d={head_dim} {mask}", 0.95,
                           "x", lambda s=shape(head_dim, mask): rows.over_peers(**s))
    table.at_least("flash by the A100's path, d=128", 320, "TFLOP/s", lambda: rows.slowest(
        rows.a100, "flash_sm80", **shape("128", "full")))


def add_backward(table, folder):
    """The targets are the least of the 550 to 600 TFLOP/s that FlashAttention-3 published, and 0.9 of
    cuDNN's rate."""
    rows = chosen(rows_of(folder, "attention_backward"), n_tokens="16384")
    shape = {"pass": "backward", "dtype": "bf16", "head_dim": "128", "mask": "causal"}
    sources = ("", rows), (MICROBENCHMARK, timed_rounds(folder, "backward"))

    def in_teraflops():
        for source, known in sources:
            row = cell(known, kernel="flash", **shape)
            if row:
                return rate(row) / 1e12, source
        return None

    def over_cudnn():
        for source, known in sources:
            ours = cell(known, kernel="flash", **shape)
            peers = [row for row in chosen(known, status="ok", **shape)
                     if row["kernel"] in ("cudnn", "torch_cudnn")]
            if ours and peers:
                return rate(ours) / max(rate(row) for row in peers), source
        return None

    table.at_least("flash backward d=128 causal bf16, N=16384", 550, "TFLOP/s", in_teraflops)
    table.at_least("flash backward over cuDNN's, d=128 causal bf16", 0.9, "x", over_cudnn)
    for head_dim in ("128", "64"):
        for mask in ("full", "causal"):
            same = chosen(rows, kernel="flash", status="ok", head_dim=head_dim, mask=mask,
                          **{"pass": "both"})
            measured = f"{rate(same[0]) / 1e12:.3g} TFLOP/s" if same else ""
            table.fact(f"flash both passes d={head_dim} {mask} f16, N=16384", measured)


def add_cqs(table, folder):
    rows = chosen(rows_of(folder, "cqs"), kernel="flash")

    def ratio(n_tokens, workers):
        same = {"n_tokens": n_tokens, "launch": "together"}
        dense = cell(rows, algorithm="dense", **same)
        split = cell(rows, algorithm="cqs", workers=workers, **same)
        return (seconds(split) / seconds(dense), "") if dense and split else None

    for n_tokens, target in (("65536", 1.10), ("8192", 1.5)):
        for workers in ("7", "31"):
            table.at_most(f"CQS W={workers} over dense, N={n_tokens}", target, "x",
                          lambda n=n_tokens, w=workers: ratio(n, w))


def add_sparse(table, folder):
    """Adds facts, not targets: a mask with few pairs should take little time."""
    rows = chosen(rows_of(folder, "sparse"), status="ok")
    for n_tokens in ("16384", "65536"):
        same = chosen(rows, n_tokens=n_tokens)
        dense = chosen(same, mask="full")
        for name in ("sliding_window", "bigbird"):
            sparse = [row for row in same if name in row["mask"]]
            measured = ""
            if dense and sparse:
                time = seconds(sparse[0]) / seconds(dense[0])
                pairs = float(sparse[0]["unmasked_pairs"]) / float(dense[0]["unmasked_pairs"])
                measured = f"{time:.3g} x time, {pairs:.3g} x pairs"
            table.fact(f"{name} over all pairs, N={n_tokens}", measured)


def add_nccl(table, folder):
    """Compares with the wall clock of one GPU by itself, divided by the number of workers."""
    alone = chosen(rows_of(folder, "nccl_1"), status="ok", algorithm="dense")
    for workers, cells in NCCL_CELLS.items():
        rows = chosen(rows_of(folder, f"nccl_{workers}"), kernel="flash")
        table.count(f"nccl W={workers}, cells whose output is right", rows, cells, is_right)
        if workers == "1":
            continue
        for n_tokens in ("16384", "65536"):
            same = chosen(rows, status="ok", n_tokens=n_tokens)
            dense = chosen(alone, n_tokens=n_tokens)
            measured = ""
            if same and dense:
                best = min(same, key=lambda row: float(row["wall_time_median_s"]))
                wall = float(best["wall_time_median_s"])
                ideal = float(dense[0]["wall_time_median_s"]) / int(workers)
                exposed = float(best["exposed_communication_median_s"]) / wall
                measured = (f"{best['algorithm']}: {wall / ideal:.3g} x, exposed communication "
                            f"{exposed:.3g} of it")
            table.fact(f"nccl W={workers}, fastest scheme over one GPU's time / W, N={n_tokens}",
                       measured)


def add_stages(table, folder):
    """Adds facts: the time of kernel staged over that of flash, which never stores a score."""
    rows = chosen(rows_of(folder, "sparse_stages"), status="ok", n_tokens="16384")
    for name in ("sliding_window", "bigbird"):
        same = [row for row in rows if name in row["mask"]]
        fused, staged = (chosen(same, kernel=kernel) for kernel in ("flash", "staged"))
        measured = ""
        if fused and staged:
            stages = [float(staged[0][f"stage_{stage}_median_s"])
                      for stage in ("scores", "softmax", "product")]
            shares = ", ".join(f"{100 * stage / sum(stages):.0f} %" for stage in stages)
            measured = f"{sum(stages) / seconds(fused[0]):.3g} x time; stages {shares}"
        table.fact(f"{name} in three stages over flash, N=16384", measured)


def add_decode(table, folder):
    rows = chosen(rows_of(folder, "decode"), kernel="flash")
    path = os.path.join(folder, "copy_bandwidth.json")

    def share_of_copy(row, copy):  # K and V have 16 bits and are read once
        elements = 2 * int(row["batch"]) * int(row["kv_heads"]) * int(row["kv_len"]) * int(
            row["head_dim"])
        return 2 * elements / seconds(row) / copy

    def slowest():
        cells = [cell(rows, batch=row["batch"]) for row in rows]
        if len(cells) < DECODE_CELLS or not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            copy = json.load(file)["copy_byte_per_s"]
        return min(share_of_copy(row, copy) for row in cells), ""

    table.at_least("decode, share of the copy bandwidth", 0.8, "", slowest)


def add_study(table, folder):
    rows = rows_of(folder, "case_study_2")
    table.count("case study 2, cells of both clocks", rows, STUDY_CELLS,
                lambda row: row["status"] in ("ok", "oom", "oom_skipped"))
    timed = {}
    for row in chosen(rows, status="ok", algorithm="dense"):
        timed[row["clock"], int(row["n_tokens"])] = float(row["wall_time_median_s"])
    for clock in ("unsynchronized", "synchronized"):
        below, above = timed.get((clock, 40000)), timed.get((clock, 45000))
        measured = f"{above / below:.3g} x" if below and above else ""
        table.fact(f"N = 45000 over 40000, W=1, {clock}", measured, "(published: a cliff)")


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    table = Table()
    for add in (add_flash, add_backward, add_cqs, add_decode, add_sparse, add_stages, add_layer,
                add_nccl, add_study):
        add(table, argv[0])
    table.print()
    return 4 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
