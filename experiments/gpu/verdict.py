#!/usr/bin/env python3
"""The targets of a GPU against what acceptance.sh measured: python3 verdict.py FOLDER

One line a target: what, target, measured, verdict (met, missed, not run). Standard library only.
Exit codes: 0 nothing is missed, 4 something is, 2 usage.
"""

import csv
import json
import os
import statistics
import sys


def rows_of(folder, run, table="cases.csv"):
    path = os.path.join(folder, run, table)
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

    def fact(self, what, measured, target="(fact)"):
        """To be looked at; not a target."""
        self.lines.append((what, target, measured, "" if measured else "not run"))

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
            table.fact(f"{name} over all pairs, N={n_tokens}", measured)


def add_right(table, what, rows, wanted):
    """Rows that are ok have been held against float64."""
    n_right = len(chosen(rows, status="ok"))
    table.add(f"{what}, cells whose output is right", str(wanted), str(n_right) if rows else "",
              n_right >= wanted if rows else None)


LAYER_CELLS = 11  # of both specs
NCCL_CELLS = {"1": 14, "2": 12, "4": 16, "8": 16}  # by workers
PRODUCTS = ("qkv", "attention_output", "feed_forward_in", "feed_forward_out")


def part_times(folder, run):
    """Median seconds of each part of each case's timed repeats, and its FLOP: {case: {part: …}}."""
    times, flop = {}, {}
    for row in rows_of(folder, run, "parts.csv"):
        if row["warmup"] == "0":
            key = row["case_id"], row["part"]
            times.setdefault(key, []).append(float(row["time_s"]))
            flop[key] = float(row["flop"])
    cases = {}
    for (case, part), values in times.items():
        cases.setdefault(case, {})[part] = (statistics.median(values), flop[case, part])
    return cases


def shares(parts):
    total = sum(time for time, _ in parts.values())
    texts = []
    for name, of in (("attention", ("attention",)), ("products", PRODUCTS)):
        time = sum(parts[part][0] for part in of)
        rate_of = sum(parts[part][1] for part in of) / time / 1e12
        texts.append(f"{name} {time / total:.3g} at {rate_of:.3g} TFLOP/s")
    return ", ".join(texts)


def add_layer(table, folder):
    rows = rows_of(folder, "bert_layer")
    sparse = rows_of(folder, "bert_layer_sparse")
    add_right(table, "layer", rows + sparse, LAYER_CELLS)
    timed = chosen(rows + sparse, status="ok")
    exact = [row for row in timed
             if row["predicted_active_peak_bytes"] == row["active_memory_peak_bytes"]]
    table.add("layer, cells whose peak memory was predicted to the byte", "all",
              f"{len(exact)} of {len(timed)}" if timed else "",
              len(exact) == len(timed) if timed else None)
    parts = part_times(folder, "bert_layer")
    for n_tokens in ("512", "8192", "32768"):
        same = chosen(rows, status="ok", n_tokens=n_tokens)
        plain = chosen(same, layer_block_tokens="")
        known = parts.get(plain[0]["case_id"]) if plain else None
        table.fact(f"layer, shares of its time, N={n_tokens}", shares(known) if known else "")
    for n_tokens in ("8192", "32768"):
        same = chosen(rows, status="ok", n_tokens=n_tokens)
        plain = chosen(same, layer_block_tokens="")
        blocks = chosen(same, layer_block_tokens="1024")
        measured = ""
        if plain and blocks:
            def over(column):
                return float(blocks[0][column]) / float(plain[0][column])
            measured = (f"{over('worker_active_peak_bytes'):.3g} x memory "
                        f"({over('predicted_worker_active_peak_bytes'):.3g} x predicted), "
                        f"{seconds(blocks[0]) / seconds(plain[0]):.3g} x time")
        table.fact(f"layer in blocks of 1024 over plain, N={n_tokens}", measured)
    dense = chosen(sparse, status="ok", mask="full")
    for name in ("sliding_window", "bigbird"):
        some = [row for row in chosen(sparse, status="ok") if name in row["mask"]]
        measured = ""
        if dense and some:
            def attention_s(row):
                return float(row["longest_subsequence_median_s"])
            measured = (f"{seconds(some[0]) / seconds(dense[0]):.3g} x time, attention "
                        f"{attention_s(some[0]) / attention_s(dense[0]):.3g} x")
        table.fact(f"layer with {name} over all pairs, N=16384", measured)


def add_nccl(table, folder):
    """Against the wall clock of one GPU by itself, shared out evenly."""
    alone = chosen(rows_of(folder, "nccl_1"), status="ok", algorithm="dense")
    for workers, cells in NCCL_CELLS.items():
        rows = rows_of(folder, f"nccl_{workers}")
        add_right(table, f"nccl W={workers}", rows, cells)
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
        table.fact(f"{name} in three stages over flash, N=16384", measured)


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
        table.fact(f"N = 45000 over 40000, W=1, {clock}", measured, "(published: a cliff)")


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    table = Table()
    for add in (add_flash, add_cqs, add_decode, add_sparse, add_stages, add_layer, add_nccl,
                add_study):
        add(table, argv[0])
    table.print()
    return 4 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
