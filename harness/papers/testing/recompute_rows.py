#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""recompute_rows.py QB: draws twenty answers of `qb papers` and calculates them again from the CSVs of
data/published, by code that shares nothing with the program.

Exit codes: 0 all are equal; 1 one differs, or there are none to draw; 2 usage.
"""
import csv
import io
import itertools
import pathlib
import random
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SEED = 20251126
DRAWN = 20


def cells(table):
    with open(ROOT / f"data/published/{table}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(row, column):
    return float(row[column])


def other(rows, row, keys, column, **changed):
    """The cell of the row that has the same keys, but for those that are changed."""
    wanted = {key: changed.get(key, row[key]) for key in keys}
    found = [r for r in rows if all(r[k] == v for k, v in wanted.items())]
    return number(found[0], column)


def speed_up(keys, base):
    return lambda rows, row: (other(rows, row, keys, "iteration_time_s", method=base)
                              / number(row, "iteration_time_s"))


def burst_rate(time, gpus, flop):
    return lambda rows, row: (flop * 4 * number(row, "batch_size") * 32 * 128
                              * number(row, "sequence_length_tokens") ** 2
                              / (gpus * 1e-3 * number(row, time)) / 1e12)


def covers(rows, row):
    workers = int(row["workers"])
    held = [int(word) for word in row["interest_set"].split()]
    return float({(a - b) % workers for a in held for b in held} == set(range(workers)))


LENGTHS = ("512", "1k", "2k", "4k", "8k", "16k")
FLASH_KEYS = ("pass", "head_dim", "causal", "sequence_length_label", "implementation")


def by_neighbours(rows, row):
    rate = {tuple(r[k] for k in FLASH_KEYS): number(r, "speed_tflop_per_s")
            for r in rows if r["speed_tflop_per_s"]}
    here = tuple(row[k] for k in FLASH_KEYS)

    def along(i):
        values = {r[FLASH_KEYS[i]] for r in rows} - {here[i]}
        if FLASH_KEYS[i] == "sequence_length_label":
            at = LENGTHS.index(here[i])
            values = {v for v in values if abs(LENGTHS.index(v) - at) == 1}
        return values

    def at(**changed):
        return tuple(changed.get(f"k{i}", value) for i, value in enumerate(here))

    found = []
    for i, j in itertools.combinations(range(len(here)), 2):
        for a, b in itertools.product(along(i), along(j)):
            one, two, both = at(**{f"k{i}": a}), at(**{f"k{j}": b}), at(**{f"k{i}": a, f"k{j}": b})
            if all(place in rate for place in (one, two, both)):
                found.append(rate[one] * rate[two] / rate[both])
    return statistics.median(found)


TABLE_1 = ("model", "gpus", "sequence_length_per_gpu_kilotokens", "method")
# (paper, table, claim, how its explanation begins) and what follows.
FORMULAS = {
    ("dist_flash_attn", "dist_flash_attn_table_1_vs_megatron", "identity", "speedup"):
        speed_up(TABLE_1, "megatron_lm"),
    ("dist_flash_attn", "dist_flash_attn_table_4_vs_ulysses", "identity", "speedup"):
        speed_up(TABLE_1, "deepspeed_ulysses"),
    ("ring_flash_attention", "ring_flash_attention_readme", "identity", "percent"):
        lambda rows, row: 100 * number(row, "iterations_per_s")
        / number(row, "theoretic_iterations_per_s"),
    ("ring_flash_attention", "ring_flash_attention_readme", "identity", "theoretic"):
        lambda rows, row: number(row, "flash_attention_iterations_per_s") / 8,
    ("burst_attention", "burst_attention_readme_sequence", "identity", "burst_forward_tflop"):
        burst_rate("burst_forward_ms", 8, 1),
    ("burst_attention", "burst_attention_readme_batch", "identity", "burst_forward_backward"):
        burst_rate("burst_forward_backward_ms", 8, 3.5),
    ("sparse_attention_15618", "sparse_attention_15618_table_1_main", "identity", "total_us"):
        lambda rows, row: sum(number(row, c) for c in ("dds_us", "softmax_us", "sdd_us")),
    ("stream_cqsa", "stream_cqsa_results_md_accuracy", "identity", "bf16_over"):
        lambda rows, row: number(row, "bf16_relative_error_mean_ratio")
        / number(row, "fp16_relative_error_mean_ratio"),
    ("cqs_attention", "cqs_interest_set_table", "covers", "the differences"): covers,
    **{("flash_attention", table, "neighbours", "speed_tflop"): by_neighbours
       for table in ("flash_attention_2_a100_fwd_bwd", "flash_attention_2_h100_fwd_bwd",
                     "flash_attention_3_h100_fwd_fp16")},
}


def answers(qb, paper):
    out = subprocess.run([qb, "papers", paper, "--format", "csv"], cwd=ROOT, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def main(words):
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    drawn = []
    for paper in sorted({key[0] for key in FORMULAS}):
        for answer in answers(words[0], paper):
            for (of, table, claim, begin), formula in FORMULAS.items():
                if (of, table, claim) == (paper, answer["table"], answer["claim"]) \
                        and answer["why"].startswith(begin) and answer["ours"]:
                    drawn.append((answer, formula))
    random.Random(SEED).shuffle(drawn)
    wrong = 0
    for answer, formula in drawn[:DRAWN]:
        rows = cells(answer["table"])
        mine = formula(rows, rows[int(answer["line"]) - 2])
        ours = float(answer["ours"])
        equal = abs(mine - ours) <= 1e-4 * abs(mine)  # five digits are printed
        wrong += not equal
        print(f"{answer['table']}, line {answer['line']}, {answer['claim']}: {ours:g} and {mine:g}"
              f"{'' if equal else ' DIFFER'}")
    return 1 if wrong or len(drawn) < DRAWN else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
