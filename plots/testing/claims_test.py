#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""claims_test.py [TEST…] QB: the titles, bounds and ties of figures, recomputed in a second way from the rows behind them.

Figures of random runs (QB_RANDOM_RUNS of them, 12 without it; QB_SEED is their seed) are drawn without pictures. A title
that claims something must follow from the rows; one that claims nothing must come where nothing does."""
import collections
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from random_runs import random_runs

QB = ""
ROOT = Path(__file__).resolve().parents[2]
RUNS = int(os.environ.get("QB_RANDOM_RUNS", "12"))
SEED = int(os.environ.get("QB_SEED", "1"))
# What says how a case is split or over which links, not what is computed or by which means.
SPLIT = set("algorithm workers interest_set new_key_owner distillation grid_heads grid_rows "
            "grid_layout helix_exchange cluster cluster_inside cluster_between cluster_nics cluster_order "
            "link_bandwidth_byte_per_s "
            "link_latency_s link_mode mixer_scan mixer_blocks partial_dtype".split())
SCHEMES = set("dense cqs cqs_sharded ring striped zigzag ulysses all_gather_kv grid usp mesh decode flash_decoding "
              "tree_decode pass_q pass_kv".split())
# Columns that a plan decides: what two schemes of one plan share.
PLANNED = re.compile(r"longest_subsequence_tokens|.*_subsequence_tokens|responsibility_ratio|.*_pairs|.*_flop|moved_bytes|"
                     r".*sent_bytes|between_hosts_bytes|predicted_.*_bytes|state_bytes|sent_states|scan_rounds|predicted_.*_s")
TRIED = ROOT / "paper_figures" / "papers" / "figures" / "model_grade.csv"


def number(row, column):
    return float(row.get(column) or "nan")


def short(value):
    return format(value, ".3g")


def span(values):
    low, high = short(min(values)), short(max(values))
    return low if low == high else f"{low} to {high}"


def modelled(row):
    return row["ranks"] == "model"


def counts(row):
    return row["status"] == "ok" and not row["disturbed_by"]


def clock(row):
    return "critical_path" if row["ranks"] == "serial" else "wall_time"


def seconds(row, name=None):
    return number(row, f"{name or clock(row)}_median_s")


def pairs_allow(row):
    return number(row, "unmasked_pairs") / number(row, "critical_path_pairs")


def one_plan(a, b):
    return all(a[column] == b[column] for column in a if PLANNED.fullmatch(column))


class Model:
    """How far nine of ten published times are from the model's, by scheme, read off the committed figure of them."""

    def __init__(self):
        self.factors = collections.defaultdict(list)
        with open(TRIED, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["kind"] == "data" and row["workers"] != "1":
                    key = row["series"].split(",")[0], row["pass"] == "forward"
                    self.factors[key].append(float(row["published_over_predicted_time"]))

    def error(self, row):
        forward = row["pass"] == "forward"
        some = self.factors.get((row["algorithm"], forward)) or [
            factor for key, own in self.factors.items() if key[1] == forward for factor in own]
        ascending = sorted(max(factor, 1.0 / factor) for factor in some)
        return ascending[(9 * len(ascending) - 1) // 10]


class Rows:
    """The rows of a run and what may be said of them."""

    def __init__(self, rows):
        self.rows = rows
        self.of_case = {row["case_id"]: row for row in rows}
        columns = list(rows[0])
        self.parameters = columns[columns.index("experiment") + 1:columns.index("status")]
        self.problem = [column for column in self.parameters if column not in SPLIT]
        self.model = Model()

    def comparable(self, a, b):
        return (("1" in (a["workers"], b["workers"]) or a["workers"] == b["workers"] or a["algorithm"] == b["algorithm"])
                and all(a[column] == b[column] for column in self.problem))

    def base(self, row):
        found = None
        for other in self.rows:
            if other["workers"] == "1" and all(row[column] == other[column] for column in self.problem):
                found = other
        return found

    def apart(self, a, b):
        if modelled(a) != modelled(b):
            return False
        x, y = seconds(a), seconds(b)
        if modelled(a):
            return max(x, y) > max(self.model.error(a), self.model.error(b)) * min(x, y)
        ends = [(number(row, clock(row) + "_low95_s"), number(row, clock(row) + "_high95_s")) for row in (a, b)]
        return (all(number(row, "n_samples") > 1 for row in (a, b))
                and (ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]))


class Figure:
    """A drawn figure: its title and its marks."""

    def __init__(self, path):
        self.said = json.loads(path.read_text(encoding="utf-8"))
        self.title = self.said["title"]
        self.name = path.stem
        with open(path.with_suffix(".csv"), encoding="utf-8", newline="") as file:
            self.marks = list(csv.DictReader(file))


def is_line_of(name, row):
    """Whether a line named so may have this row."""
    for part in name.split(", "):
        if part.startswith("W = "):
            fits = part[4:] == row["workers"]
        elif part in SCHEMES:
            fits = part == row["algorithm"]
        elif part in ("serial", "threads", "model"):
            fits = part == row["ranks"]
        elif part.endswith(" keys"):
            fits = part[:-5].replace(",", "") == row["kv_len"]
        elif part.startswith("B = "):
            fits = part[4:] == row["batch"]
        else:
            continue
        if not fits:
            return False
    return True


# ---- one rule for each figure: `titles` may be returned, or the title is held against the rows --------------------


def wall_clock(test, figure, run):
    said = re.fullmatch(r"(Modelled: )?The critical path of (.+) is (.+) times shorter than that of (.+) at N = (.+)",
                        figure.title)
    pairs = [(a, b) for a in run.rows if counts(a) for b in run.rows if counts(b) and run.comparable(a, b)
             and a is not b and seconds(a, "critical_path") < seconds(b, "critical_path") and run.apart(a, b)]
    if not said:
        return test.assertEqual(([], figure.title), (pairs, "Time against sequence length"))
    return test.assertTrue(any(
        is_line_of(said[2], a) and is_line_of(said[4], b) and said[5].replace(",", "") == a["n_tokens"]
        and said[3] == short(seconds(b, "critical_path") / seconds(a, "critical_path"))
        and bool(said[1]) == modelled(a) for a, b in pairs))


def peak_memory(test, figure, run):
    held = {id(row): max(number(row, "device_peak_bytes"), number(row, "root_peak_bytes"))
            if row["root_peak_bytes"] else number(row, "device_peak_bytes") for row in run.rows}
    pairs = [(a, b) for a in run.rows for b in run.rows if a["status"] == "ok" and run.comparable(a, b)]
    out = [(a, b) for a, b in pairs if b["status"] == "oom"]
    less = [(a, b) for a, b in pairs if b["status"] == "ok" and held[id(b)] > held[id(a)]]
    if said := re.fullmatch(r"(.+) does not fit into .+ from N = (.+) on; (.+) fits at N = (.+)", figure.title):
        first, fits = (said[i].replace(",", "") for i in (2, 4))
        test.assertTrue(any(is_line_of(said[3], a) and is_line_of(said[1], b) and a["n_tokens"] == fits for a, b in out))
        return test.assertTrue(any(is_line_of(said[1], b) and b["n_tokens"] == first and b["status"] == "oom"
                                   for b in run.rows))
    test.assertEqual(out, [])
    if said := re.fullmatch(r"A device of (.+) holds (.+) times less than (.+) at N = (.+)", figure.title):
        return test.assertTrue(any(
            is_line_of(said[1], a) and is_line_of(said[3], b) and said[4].replace(",", "") == a["n_tokens"]
            and said[2] == short(held[id(b)] / held[id(a)]) for a, b in less))
    test.assertEqual(figure.title, "Peak memory of a device against sequence length")
    return test.assertEqual(less, [])


def speed_up(test, figure, run):
    bounds = collections.defaultdict(dict)
    gains = collections.defaultdict(lambda: collections.defaultdict(list))
    for mark in figure.marks:
        if mark["series"].endswith(", bound"):
            rows = [row for row in run.rows if is_line_of(mark["series"], row) and row["n_tokens"] == str(int(
                float(mark["n_tokens"]))) and run.base(row)]
            allowed = [pairs_allow(row) for row in rows]
            test.assertTrue(any(math.isclose(float(mark["speed_up_ratio"]), one, rel_tol=1e-9) for one in allowed), mark)
            bounds[mark["series"][:-7]][mark["n_tokens"]] = float(mark["speed_up_ratio"])
        elif mark["kind"] == "data" and mark["speed_up_ratio"]:
            gains[mark["series"]][mark["panel"]].append(mark)
    for name in gains:
        own, _, most = name.partition(", ≤ ")
        test.assertEqual(most, short(max(bounds[own].values())))
    if not (said := re.fullmatch(
            r"(Modelled: )?(.+): (.+) times for the longest worker, (.+) with gather and merge", figure.title)):
        test.assertEqual(figure.title, "Speed-up over one worker")
        told = [row for row in run.rows if row["workers"] != "1" and counts(row)]
        return test.assertFalse([row for row in told if (base := run.base(row)) and counts(base)
                                 and seconds(row, "longest_subsequence") > 0 < seconds(base, "longest_subsequence")
                                 and seconds(row, "critical_path") > 0 < seconds(base, "critical_path")])
    told = [(row, run.base(row)) for row in run.rows if is_line_of(said[2], row) and row["workers"] != "1" and counts(row)]
    told = [(row, base) for row, base in told if base and counts(base)]
    for words, name in ((said[3], "longest_subsequence"), (said[4], "critical_path")):
        test.assertEqual(words, span([seconds(base, name) / seconds(row, name) for row, base in told]))
    return test.assertEqual(bool(said[1]), all(modelled(row) for row, _ in told))


def ranked(run, rows):
    """The cases of a cell by plan: the fastest, those that are a tie with it, and the names of the first."""
    fastest = {}
    for row in sorted(rows, key=lambda row: (seconds(row), row["algorithm"])):
        fastest.setdefault(row["algorithm"], row)
    plans = []
    for row in fastest.values():
        same = [plan for plan in plans if one_plan(plan[0], row)]
        (same[0] if same else plans.append([]) or plans[-1]).append(row)
    ties = [plan for plan in plans[1:] if not run.apart(plans[0][0], plan[0])]
    return plans, ties


def scheme_map(test, figure, run):
    cells = collections.defaultdict(list)
    for row in run.rows:
        if counts(row) and row["workers"] != "1" and row["ranks"] != "serial" and row["algorithm"] != "dense":
            key = [row[column] for column in run.problem if column != "seed"]
            cells[(*key, row["workers"], row["link_bandwidth_byte_per_s"], row["link_latency_s"])].append(row)
    wins, ties, drawn, shown = collections.Counter(), 0, 0, []
    for rows in cells.values():
        plans, level = ranked(run, rows)
        if len(plans) < 2:
            continue
        drawn += 1
        shown.append(plans[0][0])
        if level:
            ties += 1
        else:
            wins[" = ".join(row["algorithm"] for row in plans[0])] += 1
    noun = f"{drawn} cell" + ("s" if drawn != 1 else "")
    test.assertEqual(figure.title.startswith("Modelled: "), bool(shown) and all(map(modelled, shown)))
    if not wins:
        return test.assertIn(f"In none of {noun} one scheme leads: all are ties" if drawn else "", figure.title)
    title = figure.title.removeprefix("Modelled: ")
    said = dict(re.findall(r"([a-z_ =]+?)(?: leads)? in (\d+)", title.split(";")[0].replace(", ", ",\n")))
    test.assertEqual({name: str(number) for name, number in wins.items()}, said)
    test.assertIn(f"of {noun}", figure.title)
    return test.assertEqual(figure.title.partition("; ")[2],
                            "" if ties == 0 else "1 is a tie" if ties == 1 else f"{ties} are ties")


def striped_speed_up(test, figure, run):
    gains = collections.defaultdict(list)
    matched = []
    for row in run.rows:
        if (row["algorithm"] not in ("striped", "zigzag", "pass_kv") or row["status"] != "ok" or row["mask"] != "causal"
                or row["workers"] == "1" or row["kv_len"] != row["n_tokens"]):
            continue
        rings = [ring for ring in run.rows if ring["algorithm"] == "ring" and ring["provenance"] == row["provenance"]
                 and all(ring[column] == row[column] for column in run.parameters if column not in ("algorithm", "interest_set"))]
        if rings and rings[-1]["status"] == "ok":
            matched.append((row, rings[-1]))
    free = [pair for pair in matched if not pair[0]["link_bandwidth_byte_per_s"]]
    told = [pair for pair in free or matched if all(map(counts, pair))]
    for row, ring in told:
        gains["striped" if row["algorithm"] == "striped" else "zigzag"].append(seconds(ring) / seconds(row))
    if not gains:
        return test.assertEqual(figure.title, "Speed-up of striped and zigzag over contiguous rings")
    said = ", ".join(f"{span(gains[kind])} times as long as a {kind} one" for kind in sorted(gains))
    first = "Modelled: " if all(modelled(row) for row, _ in told) else ""
    return test.assertEqual(figure.title, f"{first}A contiguous ring takes {said}")


def exposed_time(test, figure, run):
    told = [row for row in run.rows if counts(row) and row["ranks"] != "serial" and int(row["workers"]) > 1
            and not number(row, "root_sent_bytes") > 0 and number(row, "link_bandwidth_byte_per_s") > 0]
    waits = [seconds(row, "exposed_communication") * number(row, "link_bandwidth_byte_per_s")
             / number(row, "device_sent_bytes") for row in told]
    kept = [(row, wait) for row, wait in zip(told, waits) if math.isfinite(wait)]
    if not kept:
        return test.assertTrue(figure.title.startswith("Waiting for data over what its bytes take on the link"))
    first = "Modelled: " if all(modelled(row) for row, _ in kept) else ""
    return test.assertEqual(figure.title, f"{first}Workers wait {span([wait for _, wait in kept])} times as long as their "
                            "bytes take on the link")


def least_sent(test, figure, run):
    said = re.fullmatch(r"At W = (\d+) a device sends least in (.+?), (.+) times less than in (\w+)( \(.+\))?", figure.title)
    if not said:
        return
    sent = {id(row): max(number(row, "device_sent_bytes"), number(row, "root_sent_bytes") if row["root_sent_bytes"]
                         else 0.0) for row in run.rows}
    best = said[2].split(" and ")
    settings = collections.defaultdict(list)
    for row in run.rows:
        if row["status"] == "ok" and row["workers"] == said[1] and sent[id(row)] > 0:
            settings[tuple(row[column] for column in run.problem)].append(row)
    found = False
    for rows in settings.values():
        least = min(sent[id(row)] for row in rows)
        names = {row["algorithm"] for row in rows if sent[id(row)] <= 1.001 * least}
        found = found or (names == set(best) and any(
            row["algorithm"] == said[4] and said[3] == short(sent[id(row)] / least) for row in rows))
    test.assertTrue(found)


def bytes_by_workers(test, figure, run):
    panels = {}
    for mark in figure.marks:
        panels.setdefault(mark["panel_title"], collections.defaultdict(dict))[mark["series"]][
            int(float(mark["workers"]))] = next(float(value) for name, value in mark.items()
                                                 if name.startswith("device_sent"))
        scheme = mark["series"].removesuffix(", its root")
        column = "root_sent_bytes" if scheme != mark["series"] else "device_sent_bytes"
        unit = {"b": 1, "kib": 1024, "mib": 1024**2, "gib": 1024**3, "tib": 1024**4}[
            next(name for name in mark if name.startswith("device_sent")).rsplit("_", 1)[1]]
        test.assertTrue(any(math.isclose(number(row, column), unit * panels[mark["panel_title"]][mark["series"]][
            int(row["workers"])], rel_tol=1e-9) for row in run.rows if row["algorithm"] == scheme
                            and row["workers"] == str(int(float(mark["workers"])))), mark)
    froms = []
    for title, lines in panels.items():
        shared = sorted(set(lines["ring"]) & set(lines["cqs_sharded"]))
        least = 0
        for workers in shared:
            least = 0 if lines["cqs_sharded"][workers] >= lines["ring"][workers] else least or workers
        if least:
            froms.append(f"W = {least} on" + (f" ({title})" if len(panels) > 1 else ""))
    if froms:
        return test.assertEqual(figure.title.partition(";")[0], "Sharded CQS sends less than a ring from " + " and ".join(froms))
    test.assertFalse(figure.title.startswith("Sharded"))
    return least_sent(test, figure, run)


def ttft_miss_rate(test, figure, run):
    places = collections.defaultdict(dict)
    for row in run.rows:
        if row["algorithm"] in ("pass_q", "pass_kv") and row["status"] == "ok":
            key = tuple(row[column] for column in run.parameters if column not in ("algorithm", "n_tokens", "interest_set"))
            places[key].setdefault(int(row["n_tokens"]), {})[row["algorithm"]] = row
    told = []
    for rates in places.values():
        sides = []
        for _, pair in sorted(rates.items()):
            if len(pair) == 2 and all(map(counts, pair.values())):
                q, kv = pair["pass_q"], pair["pass_kv"]
                sides.append(0 if not run.apart(q, kv) else -1 if seconds(q) < seconds(kv) else 1)
        decided = [side for side in sides if side]
        if not sides:
            continue
        noun = f"{len(sides)} miss rate" + ("s" if len(sides) > 1 else "")
        if len(set(decided)) == 2:
            told.append("equally fast between")
        elif decided:
            told.append(f"{'pass_q' if decided[0] < 0 else 'pass_kv'} is the faster at {len(decided)} of {noun}")
        else:
            told.append(f"not told apart at any of {noun}")
    if not figure.marks:
        return
    for one in told:
        test.assertIn(one, figure.title)
    if not told:
        test.assertIn("nothing to rank", figure.title)


def decode_attention(test, figure, run):
    places = collections.defaultdict(list)
    for row in run.rows:
        if row["status"] == "ok" and row["algorithm"] in ("dense", "decode", "flash_decoding", "tree_decode"):
            key = tuple(row[column] for column in run.problem if column != "n_tokens")
            places[key].append(row)
    apart, all_of = collections.defaultdict(list), collections.Counter()
    for rows in places.values():
        if all(row["algorithm"] == "dense" for row in rows):
            continue
        for row in rows:
            ones = [one for one in rows if one["workers"] == "1" and one["n_tokens"] == row["n_tokens"]]
            base = ([one for one in ones if one["algorithm"] == row["algorithm"]][-1:]
                    or [one for one in ones if one["algorithm"] == "dense"][:1])
            if row["workers"] != "1" and base and counts(row) and counts(base[0]):
                all_of[int(row["workers"])] += 1
                if run.apart(row, base[0]):
                    apart[int(row["workers"])].append(seconds(row) / seconds(base[0]))
    if len(places) > 2 or not all_of:  # two panels are drawn
        return
    most = max(all_of)
    if not apart[most]:
        return test.assertEqual(figure.title, f"No decode step of W = {most} differs from its base of W = 1")
    test.assertTrue(figure.title.startswith(f"A decode step of W = {most} takes "), figure.title)
    test.assertEqual(re.findall(r"([\d.e+-]+) \(", figure.title), [short(ratio) for ratio in sorted(apart[most])])
    level = all_of[most] - len(apart[most])
    return test.assertEqual(figure.title.partition("; ")[2], f"{level} of {all_of[most]} are not told apart" if level else "")


def shares(test, figure, run):
    """Efficiency and MFU: what the first panel shows at the most workers."""
    said = re.fullmatch(r"(?:Modelled: )?(Strong|Weak) scaling to W = (.+) leaves a worker (.+) % of (.+)", figure.title)
    column = "efficiency_percent" if figure.name == "efficiency" else "mfu_percent"
    told = [mark for mark in figure.marks if mark["panel"] == "1" and mark["kind"] == "data" and mark[column]
            and mark.get("disturbed", "") != "1"]
    if not said:
        return
    workers = said[2].replace(",", "")
    test.assertEqual(float(workers), max(float(mark["workers"]) for mark in told))
    values = [float(mark[column]) for mark in told if float(mark["workers"]) == float(workers)]
    test.assertEqual(said[3], span(values))
    if figure.name == "mfu":
        return
    base_workers = re.search(r" at W = (\d+)", said[4])
    rates = {id(row): number(row, "unmasked_flop") / number(row, "workers") / seconds(row) for row in run.rows
             if row["status"] == "ok" and seconds(row) > 0}
    bases = [row for row in run.rows if id(row) in rates and counts(row)
             and row["workers"] == (base_workers[1] if base_workers else "1")]
    for value in values:
        test.assertTrue(any(math.isclose(value, 100 * rates[id(row)] / rates[id(base)], rel_tol=1e-6)
                            for row in run.rows if id(row) in rates and row["workers"] == workers for base in bases))


def worker_time(test, figure, run):
    said = re.fullmatch(r"(Modelled: )?At W = (\d+) a ring waits for (\d+) % of its (.+?)(?:; (\w+) ends after (.+))?",
                        figure.title)
    if not said:
        return

    def parts(row):
        return [max(0.0, number(row, name + "_median_s")) if row[name + "_median_s"] else 0.0
                for name in ("compute", "idle", "exposed_communication")]
    rows = [row for row in run.rows if row["workers"] == said[2] and counts(row) and sum(parts(row)) > 0]
    rings = [row for row in rows if row["algorithm"] == "ring"
             and f"{100 * parts(row)[2] / sum(parts(row)):.0f}" == said[3]]
    test.assertTrue(rings)
    if said[5]:
        test.assertTrue(any(run.apart(row, ring) and sum(parts(row)) <= sum(parts(ring))
                            for row in rows if row["algorithm"] == said[5] for ring in rings))


def throughput(test, figure, run):
    rates = [number(row, "achieved_flop_per_s") / 1e9 for row in run.rows if counts(row)]
    rates = [rate for rate in rates if rate > 0]
    if said := re.fullmatch(r".+ reaches (.+) GFLOP/s", figure.title):
        test.assertEqual(said[1], span(rates))
    elif said := re.fullmatch(r"Lines reach (.+?) \(.+\) to (.+) GFLOP/s \(.+\)", figure.title):
        test.assertEqual(said.groups(), (short(min(rates)), short(max(rates))))


def longest_context(test, figure, _):
    said = re.fullmatch(r"With (.+) \w+ a device (.+) \(.+ in all\) reaches N = (.+), (.+) times that of (.+) \(.+ in all\)",
                        figure.title)
    marks = [mark for mark in figure.marks if mark["panel"] == "1" and mark["kind"] == "data"
             and not mark["series"].endswith(", predicted")]
    column = next((name for name in figure.marks[0] if name.startswith("memory_budget")), None) if figure.marks else None
    if said:
        there = {mark["series"]: float(mark["n_tokens"]) for mark in marks if float(mark[column]) == float(said[1])}
        test.assertEqual((there[said[2]], said[4]), (max(there.values()), short(there[said[2]] / there[said[5]])))
        test.assertEqual((f"{int(there[said[2]]):,}", there[said[5]]), (said[3], min(there.values())))


RULES = {"wall_clock": wall_clock, "peak_memory": peak_memory, "speed_up": speed_up, "scheme_map": scheme_map,
         "striped_speed_up": striped_speed_up, "exposed_time": exposed_time, "bytes_by_workers": bytes_by_workers,
         "scheme_comparison": least_sent, "ttft_miss_rate": ttft_miss_rate, "decode_attention": decode_attention,
         "efficiency": shares, "mfu": shares, "worker_time": worker_time, "throughput": throughput,
         "longest_context": longest_context}
# device_memory continues lines to lengths that no row has: its C++ test holds it against the lines.
OTHERS = {"device_memory", "model_residual", "kernel_bars", "gantt", "work_per_round"}


class Claims(unittest.TestCase):
    """What figures say of random runs."""

    def test_random_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            stub = Path(folder) / "python"  # stands in for the renderer: no picture is looked at
            stub.write_text('#!/bin/sh\nfor file; do case $file in *.json) echo "<svg></svg>" >"${file%json}svg" ;; esac; done\n',
                            encoding="utf-8")
            stub.chmod(0o755)
            told = collections.Counter()
            for path, rows in random_runs(QB, folder, RUNS, SEED):
                drawn = subprocess.run([QB, "plot", path, "--format", "svg"], env=os.environ | {"QB_PYTHON": str(stub)},
                                       capture_output=True, text=True, check=False)
                self.assertIn(drawn.returncode, (0, 2), drawn.stderr)  # 2: there is nothing to draw
                run = Rows(rows)
                for file in sorted((path / "figures").glob("*.json")):
                    if file.stem == "provenance":
                        continue
                    figure = Figure(file)
                    with self.subTest(run=path.name, figure=figure.name, title=figure.title):
                        self.assertIn(figure.name, RULES.keys() | OTHERS)
                        RULES.get(figure.name, lambda *_: None)(self, figure, run)
                    told[figure.name] += 1
            print(f"seed {SEED}:", ", ".join(f"{count} of {name}" for name, count in sorted(told.items())))


if __name__ == "__main__":
    QB = str(Path(sys.argv.pop()).resolve())
    unittest.main()
