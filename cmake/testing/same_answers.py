#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_answers.py OLD NEW: asks two qb binaries the same random questions and prints what differs.

A question is a case of a random spec (scheme or operator, mask, pass, W, N, types, ranks, links): its status and
message, pairs, bytes, peaks of memory and errors against float64 must be equal, and of modelled cases every time too.
The algorithms that a refusal lists are not compared, since there are new ones, nor a case that one had no time for.
A spec that both refuse with the same words is one question. Columns that only one of the two has are named at the end.
Exit code: 0 if all answers are equal, 1 otherwise.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import pathlib
import random
import re
import subprocess
import tempfile

RINGS = ["ring", "striped", "zigzag", "pass_kv", "burst", "pass_q"]
SPLITS = ["cqs", "cqs_sharded", "ulysses", "all_gather_kv", "grid", "usp", "mesh", *RINGS]
DECODES = ["decode", "flash_decoding", "tree_decode"]
OPERATORS = ["linear", "performer", "nystrom", "linformer", "perceiver", "axial", "ssd", "gated_delta", "selective_scan", "short_convolution",
             "softmax"]
MASKS = ["full", "causal", "{block_local: {block: 16}}", "{sliding_window: {left: 20, right: 5}}",
         "{global: {tokens: 5}}", "{random: {fraction: 0.3, block: 8, seed: 3}}", "{strided: {stride: 9}}",
         "{dilated_window: {left: 3, right: 3, dilation: 4}}", "{any_of: [causal, {global: {tokens: 5}}]}"]
LINKS = [{}, {"link.bandwidth": 25e9, "link.latency": 5e-6}, {"cluster": "2x4", "workers": 8, "cluster.inside": "nvlink4", "cluster.between": "ndr"},
         {"cluster": "dgx_h100:2", "workers": 16}, {"link.bandwidth": 1e9, "link.latency": 1e-5, "link.mode": "blocking"}]


def attention(rng):
    """Returns the parameters of an attention case."""
    kv_heads = rng.choice([1, 2, 3])
    case = {"algorithm": rng.choice([*SPLITS, *SPLITS, *DECODES, "dense"]), "workers": rng.choice([1, 2, 3, 4, 6, 7, 8, 13]),
            "n_tokens": rng.randint(1, 160), "kv_heads": kv_heads, "q_heads": kv_heads * rng.choice([1, 1, 2, 4]),
            "head_dim": rng.choice([1, 8, 16, 33]), "batch": rng.choice([1, 1, 2]), "seed": rng.randint(0, 99),
            "mask": rng.choice(MASKS), "pass": rng.choice(["forward", "forward", "backward", "both"])}
    if case["algorithm"] in DECODES or rng.random() < 0.2:
        case["kv_len"] = case["n_tokens"] + rng.randint(0, 100)
    if case["algorithm"] in ("cqs", "cqs_sharded"):
        case["distillation"] = rng.choice(["published", "balanced"])
    if case["algorithm"] in ("grid", "usp", "mesh"):
        case["grid.layout"] = rng.choice(["zigzag", "striped", "contiguous"])
    if case["algorithm"] == "decode":
        case["new_key_owner"] = rng.choice(["round_robin", "fixed"])
    if case["algorithm"] == "dense":
        case["workers"] = 1
    return case


def mixer(rng):
    """Returns the parameters of a case of another operator."""
    operator = rng.choice(OPERATORS)
    case = {"workload": "sequence_mixer", "mixer.operator": operator, "algorithm": rng.choice(["cqs", "zigzag", "dense"]),
            "workers": rng.choice([1, 2, 3, 4, 5, 8]), "n_tokens": rng.choice([16, 36, 64, 96, 120]),
            "q_heads": rng.choice([1, 2, 4]), "head_dim": rng.choice([4, 8, 16]), "mask": rng.choice(["full", "causal"]),
            "pass": rng.choice(["forward", "forward", "backward", "both"]), "seed": rng.randint(0, 99)}
    if operator not in ("axial", "softmax"):
        case["mixer.scan"] = rng.choice(["chain", "all_gather", "tree", "all_scan", "all_reduce"])
    if operator != "softmax":
        del case["algorithm"]
    return case


def layer(rng):
    """Returns the parameters of a case of a transformer layer."""
    case = {"workload": "transformer_layer", "algorithm": rng.choice(["dense", "tensor_parallel"]),
            "n_tokens": rng.randint(8, 64), "q_heads": 4, "head_dim": 8, "mask": rng.choice(["full", "causal"]),
            "pass": rng.choice(["forward", "backward"]), "layer.block_tokens": rng.choice([8, 32, None])}
    if case["algorithm"] == "tensor_parallel":
        case["workers"] = rng.choice([1, 2, 4])
    return case


def pipeline(rng):
    """Returns the parameters of a case of a modelled pipeline."""
    return {"workload": "pipeline", "algorithm": "dense", "workers": rng.choice([2, 4, 8]), "n_tokens": 4096,
            "batch": 8, "q_heads": 32, "head_dim": 128, "mask": "causal", "pipeline.layers": 16,
            "pipeline.schedule": rng.choice(["gpipe", "one_f_one_b"]), "pipeline.chunks": rng.choice([1, 2, 4])}


def question(rng):
    """Returns the parameters of a random case."""
    make = rng.choices([attention, mixer, layer, pipeline], [70, 20, 6, 4])[0]
    case = make(rng)
    ranks = rng.choices(["serial", "threads", "model"], [50, 20, 30])[0]
    if make is pipeline or (ranks == "model" and make is not layer):
        case |= {"ranks": "model", "dtype": "bf16", "model.device": rng.choice(["h100", "a100", "h800"]),
                 "head_dim": 128}
        case["n_tokens"] *= rng.choice([1, 64, 1024]) if make is attention else 1
        case |= rng.choice(LINKS) if make is not pipeline else {"link.bandwidth": 25e9, "link.latency": 5e-6}
    else:
        case["ranks"] = ranks if make is not layer or case["algorithm"] == "tensor_parallel" else "serial"
        case["dtype"] = rng.choice(["f32", "f32", "f32", "f16", "bf16"]) if make is attention else "f32"
        if make is attention:
            case["kernel"] = rng.choice(["flash", "flash", "materialized", "staged", "reference"])
            case["inputs"] = rng.choice(["random", "tied", "peaked"])
    if rng.random() < 0.03:  # what is refused
        case |= rng.choice([{"grid.rows": 2}, {"lse": "two"}, {"mixer.rank": 8}, {"workers": 0}, {"scale": -1.0},
                            {"partial_dtype": "bf16"}, {"gradient_dtype": "f16"}])
    return case


def ask(binary, spec, folder):
    """Returns (exit code, what it says of the spec, rows of cases.csv by their place in the spec)."""
    done = subprocess.run([binary, "run", spec, "--out", folder, "--order", "spec", "--quiet"], text=True,
                          capture_output=True, timeout=600, check=False)
    rows = [list(csv.DictReader(open(file, newline="", encoding="utf-8"))) for file in
            pathlib.Path(folder).rglob("cases.csv")]
    said = "" if rows else plain(re.sub(r"\S*\.yaml:\d+:\d+", "SPEC", done.stderr))
    return done.returncode, said, rows[0] if rows else []


def plain(sentence):
    """Returns a sentence without the list of algorithms that a key is for, in which new ones stand."""
    return re.sub(r"needs algorithm: .*?, and this", "needs algorithm: NAMES, and this", sentence)


def compared(column, row):
    """Says whether both binaries must write the same in a column of a case."""
    if column in ("case_id", "schema_version", "started_at", "duration_s", "resident_peak_bytes", "isa"):
        return False
    if row["ranks"] == "threads" and re.search("active|reserved|system", column):
        return False  # which worker frees first is chance
    measured = r"(_s|_s_low|_s_high|_per_s|repeats|coverage|rounds|disturbed.*|.*cpu.*|.*clock.*|.*ghz.*|system.*|speed_?up.*|.*fraction|.*residual.*)$"
    return row["ranks"] == "model" or not re.search(measured, column)


def differences(old, new, only):
    """Yields (what, old answer, new answer) of one spec."""
    late = [number for number, rows in enumerate(zip(old[2], new[2])) if "timeout" in [row["status"] for row in rows]]
    if old[0] != new[0] and not late:
        yield "exit code", (old[0], [row["status"] for row in old[2]]), (new[0], [row["status"] for row in new[2]])
    if old[1] != new[1]:
        yield "refusal", old[1], new[1]
    if len(old[2]) != len(new[2]):
        yield "rows", len(old[2]), len(new[2])
    for number, (a, b) in enumerate(zip(old[2], new[2])):
        only.update(set(a) ^ set(b))
        if number in late:
            continue
        for column in a:
            if column in b and compared(column, a) and plain(a[column]) != plain(b[column]):
                yield column, (a["algorithm"], a["workload"], a["ranks"], a[column]), b[column]


def main():
    """Asks, prints the first differences of each kind, and returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--specs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the first spec of the seed")
    parser.add_argument("--cases", type=int, default=10, help="cases of a spec")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    found, statuses, only = collections.defaultdict(list), collections.Counter(), set()

    def one(number):
        rng = random.Random(options.seed * 1_000_003 + number)
        cases = [question(rng) for _ in range(options.cases if number % 4 else 1)]
        with tempfile.TemporaryDirectory() as folder:
            spec = pathlib.Path(folder, "net.yaml")
            asked = {"experiment": "net", "cases": [{k: v for k, v in case.items() if v is not None} for case in cases],
                     "measure": {"warmups": 0, "repeats": 1, "verify_rows": 100000, "timeout": 60, "retakes": 0}}
            spec.write_text(re.sub(r'"(\{[^"]*\})"', r"\1", json.dumps(asked)), encoding="utf-8")
            old, new = (ask(binary, spec, f"{folder}/{name}") for name, binary in (("a", options.old), ("b", options.new)))
        return number, old, new

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, old, new in pool.map(one, range(options.first, options.first + options.specs)):
            statuses.update([row["status"] for row in old[2]] or ["refused"])
            for what, was, now in differences(old, new, only):
                if not found[what]:
                    print(f"spec {number}: {what}: {was} | {now}", flush=True)
                found[what].append((number, was, now))
            if number % 50 == 0:
                print(f"spec {number}: {sum(statuses.values())} questions", flush=True)
    print(f"{sum(statuses.values())} questions:", dict(statuses))
    for what, places in found.items():
        print(f"{what}: {len(places)} differ")
        for number, was, now in places[:3]:
            print(f"  spec {number}: {was} | {now}")
    print("columns of one only:", sorted(only))
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
