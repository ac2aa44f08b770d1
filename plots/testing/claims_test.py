#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""claims_test.py [TEST…] QB: the titles, bounds and ties of figures, recomputed in a second way from the rows behind them.

Figures of random runs (QB_RANDOM_RUNS of them, 12 without it; QB_SEED is their seed) are drawn without pictures, and
QB_RANDOM_FIGURES random declared ones of each. A title that claims something must follow from the rows; one that claims
nothing must come where nothing does; a mark of a declared figure is a value of a row of its line."""
import collections
import csv
import json
import math
import os
import random
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
DECLARED = int(os.environ.get("QB_RANDOM_FIGURES", "2"))  # of each run
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


# ---- declared figures ----------------------------------------------------------------------------------------------

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "µs": 1e6, "MiB": 2.0**-20, "GiB": 2.0**-30, "GFLOP/s": 1e-9}
TIMED = {"time", "speed_up", "paper_speed_up", "efficiency", "worker_speed", "mfu", "exposed_ratio", "over_ideal",
         "achieved_flop_per_s"}
QUOTIENTS = {"speed_up", "paper_speed_up", "efficiency", "over_ideal"}


def presets():
    """The declarations of base/schema/figure_names.h, by name."""
    text = (ROOT / "base/schema/figure_names.h").read_text(encoding="utf-8")
    found = {}
    for name, said in re.findall(r'PRESET\((\w+), R"\((.*?)\)",', text):
        one = json.loads(said)
        for key in ("y", "lines", "panels", "only"):
            one[key] = [one[key]] if isinstance(one.get(key), str) else one.get(key, [])
        found[name] = {"x": "n_tokens", "base": {}, "bound": ""} | one
    return found


def of_root(row, column):
    return max(number(row, column), number(row, column.replace("device", "root")) if
               row[column.replace("device", "root")] else 0.0)


def holds(row, condition):
    column, relation, value = re.fullmatch(r"(\w+)(!=|<=|>=|=|<|>)(.*)", condition).groups()
    if relation in ("=", "!="):
        return (row[column] in value.split("|")) == (relation == "=")
    own, other = float(row[column] or "nan"), float(row[value] if value in row else value)
    return {"<": own < other, "<=": own <= other, ">": own > other, ">=": own >= other}[relation]


class Declared:
    """What a declaration says of the rows of a run."""

    def __init__(self, said, run):
        self.said, self.run = said, run
        self.rows = [row for row in run.rows if all(holds(row, one) for one in said["only"])]

    def base(self, row):
        """The case that a speed-up divides: with one worker, or with other words of `base`."""
        wanted = self.said["base"]
        if not wanted:
            return self.run.base(row)
        among = [one for one in self.run.rows if all(one[key] == value for key, value in wanted.items())]

        def last(rows, free, more):
            fits = [one for one in rows if all(one[key] == row[key] for key in self.run.parameters
                                               if key not in wanted and key not in free) and more(one)]
            return fits[-1] if fits else None
        return (last(among, (), lambda one: True)
                or (last(among, SPLIT, lambda one: one["workers"] == row["workers"])
                    or last(among, SPLIT, lambda one: one["workers"] == "1") if set(wanted) & SPLIT else None))

    def value(self, row, word):
        if row["status"] != "ok":
            return math.nan
        if word in QUOTIENTS:
            base = self.base(row)
            if base is None or base["status"] != "ok":
                return math.nan
            clock_name = "longest_subsequence" if word == "paper_speed_up" else clock(row)
            over = 1.0 if base is row else seconds(base, clock_name) / seconds(row, clock_name)
            return over / float(row["workers"]) if word == "efficiency" else over
        if word == "time":
            return seconds(row)
        if word in ("device_sent", "device_peak"):
            return of_root(row, word + "_bytes")
        if word == "planned_peak":
            return max(number(row, "predicted_device_peak_bytes"), float(row["predicted_root_peak_bytes"] or 0.0))
        if word == "worker_speed":
            return number(row, "unmasked_flop") / float(row["workers"]) / seconds(row)
        if word == "imbalance":
            return number(row, "critical_path_pairs") * float(row["workers"]) / number(row, "unmasked_pairs")
        if word == "exposed_ratio":
            if row["ranks"] == "serial" or float(row["root_sent_bytes"] or 0.0) > 0.0:
                return math.nan
            return (seconds(row, "exposed_communication") * number(row, "link_bandwidth_byte_per_s")
                    / number(row, "device_sent_bytes"))
        return number(row, word if word in row else word + "_median_s")

    def x(self, row):
        word = self.said["x"]
        if word == "tokens_per_worker":
            return float(row["n_tokens"]) / float(row["workers"])
        if word == "miss_rate":
            return 100.0 * float(row["n_tokens"]) / float(row["kv_len"])
        if word == "link_bandwidth_byte_per_s":
            return number(row, word) / 1e9
        try:
            return number(row, word) if word in row else self.value(row, word)
        except ValueError:
            return row[word]

    def tells(self, row, word):
        """Whether a title may speak of a value of a row."""
        if not self.value(row, word) > 0.0 or (timed(word) and not counts(row)):
            return False
        return word not in QUOTIENTS or counts(self.base(row))

    def may_compare(self, a, b, word):
        """Whether a title may say how far two rows are apart."""
        differ = [key for key in self.run.parameters if a[key] != b[key]
                  and not (key == "kv_len" and a["n_tokens"] == a["kv_len"] and b["n_tokens"] == b["kv_len"])]
        return ((self.run.comparable(a, b) or len(differ) == 1) and modelled(a) == modelled(b)
                and (not timed(word) or self.run.apart(a, b)) and not self.overlap(a, b, word))

    def overlap(self, a, b, word):
        """Whether the measured intervals of the value itself overlap; False where it has none."""
        name = {"time": clock(a), "worker_speed": clock(a)}.get(word, word.removesuffix("_median_s"))
        if modelled(a) or name + "_low95_s" not in a:
            return False
        ends = [(number(row, name + "_low95_s"), number(row, name + "_high95_s")) for row in (a, b)]
        return ends[0][0] <= ends[1][1] and ends[1][0] <= ends[0][1]


def timed(word):
    return word in TIMED or word.endswith("_median_s") or word in (
        "critical_path", "longest_subsequence", "wall_time")


def named(name, row):
    """Whether a line or a panel named so may have this row."""
    for part in re.split(r", (?!\d{3}\b)", name):
        for prefix, value in (("N = ", row["n_tokens"]), ("W = ", row["workers"]), ("B = ", row["batch"])):
            if part.startswith(prefix) and part[len(prefix):].replace(",", "") != value:
                return False
        if part.startswith("N/W = ") and abs(float(part[6:].replace(",", "")) - float(row["n_tokens"]) /
                                             float(row["workers"])) >= 1.0:
            return False
        if part.endswith(" mask") and part[:-5] != row["mask"]:
            return False
        if part.endswith(" keys") and part[:-5].replace(",", "") != row["kv_len"]:
            return False
        if part in ("forward pass", "forward", "backward pass", "both passes") and not row["pass"].startswith(part.split()[0]):
            return False
        if (part in SCHEMES and part != row["algorithm"]) or (
                part in ("serial", "threads", "model") and part != row["ranks"]):
            return False
    return True


def drawn_values(figure, one):
    """Yields each mark with its line, the value that it shows and the number in SI units, and its x."""
    panels = figure.said["panels"]
    for mark in figure.marks:
        if mark["kind"] != "data" or mark["series"].startswith(("∝", "machine ", "budget ")) or (
                mark["series"] == "1"):
            continue
        panel = panels[int(mark["panel"]) - 1]
        columns = list(mark)[4:6]
        dots = panel["y"]["column"] == "line_index"
        label = panel["x" if dots else "y"]["label"]
        unit = re.search(r" \(([^()]+)\)$", label)
        at = mark[columns[0] if dots else columns[1]]
        if not at or mark["series"].endswith((", interval", ", repeats")):
            continue
        column = panel["x" if dots else "y"]["column"]
        word = max((y for y in one.said["y"] if column.startswith(y.removesuffix("_median_s"))), key=len)
        si = float(at) / (UNITS.get(unit[1], 1.0) if unit else 1.0)
        yield mark, word, si, None if dots else float(mark[columns[0]]), panel


def declared(test, figure, run, said):
    """Every mark is a value of a row of its line; a title that claims something follows from rows."""
    one = Declared(said, run)
    for mark, word, si, x, panel in drawn_values(figure, one):
        if word in ("mfu", "over_ideal"):
            continue
        series, bound = re.sub(r", ≤ .*| = .*", "", mark["series"]), mark["series"].endswith(", bound")
        rows = [row for row in one.rows if named(series, row) and named(mark["panel_title"], row)]
        if x is not None and not panel["x"].get("tics"):
            rows = [row for row in rows if isinstance(one.x(row), float) and math.isclose(
                one.x(row) * (1.0 if said["x"] in row or said["x"] in ("tokens_per_worker", "miss_rate") else x /
                              one.x(row)), x, rel_tol=1e-6)]
        if bound:
            allowed = [pairs_allow(row) / pairs_allow(one.base(row)) / (
                float(row["workers"]) if word == "efficiency" else 1.0) for row in rows if one.base(row)]
        else:
            allowed = [one.value(row, word) for row in rows]
        test.assertTrue(any(math.isclose(si, value, rel_tol=1e-6) for value in allowed), (mark, allowed[:4]))
    claim(test, figure, one)


def claim(test, figure, one):
    title = figure.title
    if said := re.fullmatch(r"(.+) does not fit into .+ from (.+) on; (.+) fits at (.+)", title):
        return test.assertTrue(any(
            named(said[3], a) and named(said[1], b) and run_fits(a, b) and one.run.comparable(a, b)
            for a in one.rows for b in one.rows))
    said = re.fullmatch(r"(Modelled: )?(?:At|With) (.+?),? (\S.*) has ([\d.,e+]+) times the (.+)", title)
    if said and said[4]:
        ratio = said[4].replace(",", "")
        for split in range(len(said[5])):  # `NAME of LINE`, where a name may have `of`
            if not said[5].startswith(" of ", split):
                continue
            less, panel = said[5][split + 4:], ""
            if in_panel := re.fullmatch(r"(.+?) \((.+)\)", less):
                less, panel = in_panel[1], in_panel[2]
            if "mfu" in one.said["y"]:
                return None  # the peak of a modelled device is in no row
            for word in one.said["y"]:
                for a in one.rows:
                    for b in one.rows:
                        if (named(said[3], a) and named(less, b) and named(panel, a) and named(panel, b)
                                and one.tells(a, word) and one.tells(b, word) and one.x(a) == one.x(b)
                                and math.isclose(one.value(a, word) / one.value(b, word), float(ratio), rel_tol=6e-3)
                                and one.may_compare(a, b, word) and bool(said[1]) == modelled(a)):
                            return None
        return test.fail(f"no two rows are as far apart: {title}")
    said = re.fullmatch(r"(Modelled: )?(.+?)(?: \((.+)\))?: ((?:speed-up|tokens).*?)(; it passes 1 .*)?", title)
    if said:
        spans = re.findall(r"(speed-up(?:[^,]*?)) ([\d.e+-]+)(?: to ([\d.e+-]+))?(?=,|$)", said[4])
        test.assertTrue(spans, title)
        words = [word for word in one.said["y"] if word in QUOTIENTS]
        for (_, low, high), word in zip(spans, words[-len(spans):]):
            best = {}
            for row in one.rows:
                if named(said[2], row) and named(said[3] or "", row) and one.tells(row, word) and one.base(row) is not row:
                    best[one.x(row)] = max(best.get(one.x(row), 0.0), one.value(row, word))
            test.assertTrue(best, title)
            test.assertEqual(f"{low} to {high}" if high else low, span(best.values()), title)
        return None
    # It claims nothing: no mark may be told from another one of its panel and x.
    test.assertIn(" against ", title)
    if one.said["y"][-1] in QUOTIENTS:
        shown = {row["case_id"] for row in one.rows if one.tells(row, one.said["y"][-1]) and one.base(row) is not row}
        drawn = any(mark.get("disturbed", "") != "1" and word in QUOTIENTS and si != 1.0 and not
                    mark["series"].endswith(", bound") for mark, word, si, _, _ in drawn_values(figure, one))
        return test.assertFalse(shown and drawn, title)
    there = collections.defaultdict(list)
    for mark, word, si, x, panel in drawn_values(figure, one):
        rows = [row for row in one.rows if named(re.sub(r" = .*", "", mark["series"]), row) and named(mark["panel_title"], row)
                and math.isclose(one.value(row, word), si, rel_tol=1e-9)] if word not in ("mfu", "over_ideal") else []
        if len(rows) == 1 and word not in QUOTIENTS and one.tells(rows[0], word):
            there[mark["panel"], one.x(rows[0]), word].append(rows[0])
    for (_, _, word), rows in there.items():
        for a in rows:
            for b in rows:
                test.assertFalse(one.value(a, word) > 1.001 * one.value(b, word) and one.may_compare(a, b, word),
                                 f"{title}: {a['case_id']} and {b['case_id']} are told apart")
    return None


def run_fits(fits, lost):
    return fits["status"] == "ok" and lost["status"].startswith("oom")


def random_declaration(chance):
    """The words of a declared figure for `qb plot`, and what they mean."""
    said = {"y": chance.sample(["time", "device_sent", "device_peak", "planned_peak", "speed_up", "paper_speed_up",
                                "efficiency", "worker_speed", "imbalance", "critical_path", "longest_subsequence",
                                "wall_time"], chance.choice([1, 1, 2])),
            "x": chance.choice(["n_tokens", "n_tokens", "workers", "workers", "tokens_per_worker", "algorithm"]),
            "lines": chance.choice([[], [], ["algorithm"], ["workers"], ["algorithm", "workers"]]),
            "panels": chance.choice([[], [], ["mask"], ["pass"], ["workers"], ["n_tokens"]]),
            "base": chance.choice([{}, {}, {"algorithm": "ring"}, {"algorithm": "dense"}]),
            "bound": chance.choice(["", "", "pairs", "memory", "one"]), "only": []}
    for names in (said["lines"], said["panels"]):
        if said["x"] in names:
            names.remove(said["x"])
    words = ["--y", ",".join(said["y"]), "--x", said["x"]]
    for key in ("lines", "panels"):
        words += ["--" + key, ",".join(said[key])] if said[key] else []
    words += [word for key, value in said["base"].items() for word in ("--base", f"{key}={value}")]
    return words + (["--bound", said["bound"]] if said["bound"] else []), said


# ---- figures that are functions: `titles` may be returned, or the title is held against the rows ------------------


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


RULES = {"scheme_map": scheme_map, "worker_time": worker_time, "longest_context": longest_context}
OTHERS = {"model_residual", "kernel_bars", "gantt", "work_per_round"}


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
                known = presets()
                for file in sorted((path / "figures").glob("*.json")):
                    if file.stem == "provenance":
                        continue
                    figure = Figure(file)
                    with self.subTest(run=path.name, figure=figure.name, title=figure.title):
                        self.assertIn(figure.name, RULES.keys() | OTHERS | known.keys())
                        if figure.name in known:
                            declared(self, figure, run, known[figure.name])
                        RULES.get(figure.name, lambda *_: None)(self, figure, run)
                    told[figure.name] += 1
                for at in range(DECLARED):
                    words, said = random_declaration(random.Random(f"{SEED} {path.name} {at}"))
                    out = path / f"declared_{at}"
                    drawn = subprocess.run([QB, "plot", path, *words, "--format", "svg", "--out", out],
                                           env=os.environ | {"QB_PYTHON": str(stub)}, capture_output=True, text=True, check=False)
                    self.assertIn(drawn.returncode, (0, 2), (words, drawn.stderr))
                    for file in out.glob("*_by_*.json"):
                        figure = Figure(file)
                        with self.subTest(run=path.name, words=words, title=figure.title):
                            declared(self, figure, run, said)
                        told["declared"] += 1
            print(f"seed {SEED}:", ", ".join(f"{count} of {name}" for name, count in sorted(told.items())))


if __name__ == "__main__":
    QB = str(Path(sys.argv.pop()).resolve())
    unittest.main()
