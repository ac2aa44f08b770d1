#!/usr/bin/env python3
"""The targets of a GPU against what acceptance.sh measured: python3 verdict.py FOLDER

One line a target: what, target, measured, verdict (met, missed, not run). Standard library only.
Exit codes: 0 nothing is missed, 4 something is, 2 usage.
"""

import csv
import json
import os
import sys


def rows_of(folder, run):
    path = os.path.join(folder, run, "cases.csv")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def chosen(rows, **wanted):
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def seconds(row):
    """By the GPU's own clock where there is one: a launch of 10 us is not the kernel's."""
    return float(row["device_time_median_s"] or row["wall_time_median_s"])


def rate(row):
    return float(row["unmasked_flop"]) / seconds(row)


class Table:
    def __init__(self):
        self.lines, self.missed = [], False

    def add(self, what, target, measured, met):
        verdict = "not run" if met is None else "met" if met else "missed"
        self.missed = self.missed or met is False
        self.lines.append((what, target, measured, verdict))

    def at_least(self, what, target, value, unit):
        text = f">= {target:g} {unit}"
        if value is None:
            self.add(what, text, "", None)
        else:
            self.add(what, text, f"{value:.3g} {unit}", value >= target)

    def at_most(self, what, target, value, unit):
        text = f"<= {target:g} {unit}"
        if value is None:
            self.add(what, text, "", None)
        else:
            self.add(what, text, f"{value:.3g} {unit}", value <= target)

    def print(self):
        width = [max(len(line[i]) for line in self.lines) for i in range(4)]
        for line in self.lines:
            print("  ".join(text.ljust(size) for text, size in zip(line, width)).rstrip())


def tera_flops(rows, **wanted):
    """The slower of the two types, since both have the target."""
    rates = [rate(row) for row in chosen(rows, status="ok", **wanted)]
    return min(rates) / 1e12 if rates else None


def add_flash(table, folder):
    rows = rows_of(folder, "attention")
    for head_dim, mask, target in (("128", "full", 600), ("128", "causal", 550),
                                   ("64", "full", 450), ("64", "causal", 420)):
        table.at_least(f"flash d={head_dim} {mask}, N=16384", target,
                       tera_flops(rows, head_dim=head_dim, mask=mask, n_tokens="16384"),
                       "TFLOP/s")
    peers = [row for backend in ("flash", "cudnn", "efficient")
             for row in rows_of(folder, "torch_" + backend)]
    for head_dim in ("128", "64"):
        for mask in ("full", "causal"):
            shares = []
            for dtype in ("bf16", "f16"):
                same = {"status": "ok", "head_dim": head_dim, "mask": mask, "dtype": dtype,
                        "n_tokens": "16384"}
                ours, theirs = chosen(rows, **same), chosen(peers, **same)
                if ours and theirs:
                    shares.append(rate(ours[0]) / max(rate(row) for row in theirs))
            table.at_least(f"flash over the best of cuDNN and torch, d={head_dim} {mask}", 0.95,
                           min(shares) if shares else None, "x")
    table.at_least("flash by the A100's path, d=128", 320,
                   tera_flops(rows_of(folder, "sm_80"), head_dim="128", mask="full"), "TFLOP/s")


def add_cqs(table, folder):
    rows = rows_of(folder, "cqs")
    for n_tokens, target in (("65536", 1.10), ("8192", 1.5)):
        for workers in ("7", "31"):
            same = {"status": "ok", "n_tokens": n_tokens, "launch": "together"}
            dense = chosen(rows, algorithm="dense", **same)
            split = chosen(rows, algorithm="cqs", workers=workers, **same)
            ratio = seconds(split[0]) / seconds(dense[0]) if dense and split else None
            table.at_most(f"CQS W={workers} over dense, N={n_tokens}", target, ratio, "x")


def add_sparse(table, folder):
    """Facts to be looked at, not targets: a mask of few pairs must take little time."""
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
            table.lines.append((f"{name} over all pairs, N={n_tokens}", "(fact)", measured,
                                "" if measured else "not run"))


def add_stages(table, folder):
    """Facts: what kernel staged takes over flash, which never stores a score."""
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
        table.lines.append((f"{name} in three stages over flash, N=16384", "(fact)", measured,
                            "" if measured else "not run"))


def add_decode(table, folder):
    rows = chosen(rows_of(folder, "decode"), status="ok")
    path = os.path.join(folder, "copy_bandwidth.json")
    slowest = None
    if rows and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            copy = json.load(file)["copy_byte_per_s"]
        shares = []
        for row in rows:  # K and V of 16 bits, read once
            elements = 2 * int(row["batch"]) * int(row["kv_heads"]) * int(row["kv_len"]) * int(
                row["head_dim"])
            shares.append(2 * elements / seconds(row) / copy)
        slowest = min(shares)
    table.at_least("decode, share of the copy bandwidth", 0.8, slowest, "")


def add_study(table, folder):
    rows = rows_of(folder, "case_study_2")
    done = [row for row in rows if row["status"] in ("ok", "oom", "oom_skipped")]
    table.add("case study 2, cells of both clocks", "90", str(len(done)) if rows else "",
              len(done) == 90 if rows else None)
    timed = {}
    for row in chosen(rows, status="ok", algorithm="dense"):
        timed[row["clock"], int(row["n_tokens"])] = float(row["wall_time_median_s"])
    for clock in ("unsynchronized", "synchronized"):
        below, above = timed.get((clock, 40000)), timed.get((clock, 45000))
        measured = f"{above / below:.3g} x" if below and above else ""
        # A fact to be looked at, not a target.
        table.lines.append((f"N = 45000 over 40000, W=1, {clock}", "(published: a cliff)",
                            measured, "" if measured else "not run"))


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    table = Table()
    for add in (add_flash, add_cqs, add_decode, add_sparse, add_stages, add_study):
        add(table, argv[0])
    table.print()
    return 4 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
