# SPDX-License-Identifier: Apache-2.0
"""Lets other programs read the cases of a qb run and write rows of the same columns.

Standard library only. A program that computes attention (a "peer") takes the dense cases of a run,
measures each, and appends rows that `qb compare --ignore kernel,isa` and `qb plot --beside` read.
"""

import collections
import copy
import csv
import ctypes
import functools
import glob
import hashlib
import json
import math
import os
import signal
import statistics
import subprocess
import time
import types

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# where qb lies in a kit and in a checkout, if the environment variable QB does not say
QB_PLACES = ("bin/qb", "build/release/harness/cli/qb")


def qb_path():
    places = [os.environ["QB"]] if "QB" in os.environ else [
        os.path.join(ROOT, place) for place in QB_PLACES]
    for place in places:
        if os.path.exists(place):
            return place
    raise Refusal(3, f"qb is not at {' or '.join(places)}; build it, or set QB to its path")


def run_once(words, folder):
    """Returns the run of `qb run` with these words, of one repeat, which lies in the folder."""
    said = subprocess.run(
        [qb_path(), "run", *words, "--out", folder, "--run-id", "qb", "--set", "measure.repeats=1",
         "--set", "measure.warmups=0", "--set", "measure.verify_rows=0"],
        capture_output=True, text=True, check=False)
    sources = glob.glob(os.path.join(folder, "*", "qb"))
    if said.returncode or not sources:
        lines = said.stderr.strip().splitlines() or ["qb run " + how_it_ended(said.returncode)]
        raise Refusal(said.returncode if said.returncode > 0 else 1, lines[-1])
    return Run(sources[0])


@functools.cache
def schema():
    """What `qb env --schema` says about the columns of run folders."""
    said = json.loads(subprocess.run([qb_path(), "env", "--schema"], capture_output=True, text=True,
                                     check=True).stdout)
    fields = said["tables"]["cases.csv"]
    return types.SimpleNamespace(
        version=said["schema_version"], samples=[field["name"] for field in said["tables"]["samples.csv"]],
        parameters=[field["name"] for field in fields if field["key"]])


# columns that the plan of one worker determines, whichever program computes it
PLANNED = (
    "longest_subsequence_tokens shortest_subsequence_tokens mean_subsequence_tokens "
    "stddev_subsequence_tokens responsibility_ratio unmasked_pairs critical_path_pairs "
    "unmasked_flop moved_bytes"
).split()
# With one worker its time is the critical path, the sum and the wall clock at once.
CLOCKS = ("wall_time", "critical_path", "worker_sum", "longest_subsequence")
# Their times are also given apart where a case times both passes.
PASS_CLOCKS = ("forward_time", "backward_time")
# FLOP of a pass for each unmasked pair, head and element of head_dim
FLOP_OF_PASS = {"forward": 4.0, "backward": 10.0, "both": 14.0}
# `seconds`: a list of those of each timed pass, in turn. `device`: its own time in seconds, the
# clock of its multiprocessors in Hz, 1 if it was throttled; unknown values are empty.
Sample = collections.namedtuple("Sample", "repeat warmup seconds device", defaults=[("", "", "")])

LGAMMA = ctypes.CDLL("libm.so.6").lgamma  # the one that qb calls: Python's differs in the last bits
LGAMMA.restype, LGAMMA.argtypes = ctypes.c_double, [ctypes.c_double]


class Refusal(Exception):
    """The program cannot measure; `code` is the exit code, with the meaning that qb gives it."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


def number_text(value):
    """The shortest decimal that is the same double, with a point or an exponent."""
    return repr(float(value))


def how_it_ended(code):
    """Says how a process ended whose exit code Python gives as `code`, as `qb run` says it."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"died of {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal
        return f"died of signal {-code}"


def utc_now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def median_interval(values):
    """Returns median, low, high and coverage, computed as in base/statistics.h."""
    ordered = sorted(values)
    n = len(ordered)
    low, coverage, tail = 0, 1.0 - 2.0 ** (1 - n), 0.0
    for rank in range((n + 1) // 2):
        tail += math.exp(LGAMMA(n + 1) - LGAMMA(rank + 1) - LGAMMA(n - rank + 1) - n * math.log(2.0))
        if 2.0 * tail > 0.05:
            break
        low, coverage = rank, 1.0 - 2.0 * tail
    return statistics.median(ordered), ordered[low], ordered[n - 1 - low], coverage


class Run:
    """A finished or interrupted run of qb."""

    def __init__(self, path):
        self.path = path
        try:
            with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
                self.manifest = json.load(file)
            with open(os.path.join(path, "cases.csv"), encoding="utf-8", newline="") as file:
                whole = file.read()
        except (OSError, ValueError) as problem:
            raise Refusal(2, f"{path} is not a run folder: {problem}") from problem
        if not isinstance(self.manifest, dict) or "environment" not in self.manifest:
            raise Refusal(2, f"{path} is not a run folder: its manifest.json has no environment")
        if self.manifest.get("schema_version") != schema().version:
            raise Refusal(5, f"{path} has schema_version {self.manifest.get('schema_version')}, "
                             f"this qb writes {schema().version}")
        # A last line without a line feed is dropped: the writer died there.
        lines = csv.DictReader(whole[: whole.rfind("\n") + 1].splitlines(keepends=True))
        self.columns = list(lines.fieldnames or [])
        missing = [name for name in (*schema().parameters, *PLANNED) if name not in self.columns]
        if missing:
            raise Refusal(2, f"{path}/cases.csv has no column {missing[0]}")
        self.rows = list(lines)

    def dense_cases(self, device="cpu", passes=None, **chosen):
        """One row for each dense problem on one worker, whatever kernel computed it.

        Cases with a forced instruction set are left out, since it concerns qb's kernels only, and
        so are packed sequences, sinks, masks that are patterns, CPUs with a flushed cache, clocks
        that do not wait, and other values than `chosen`. `passes` replaces the pass of each.
        """
        wanted = {"algorithm": "dense", "workers": "1", "device": device, "cpu_isa": "auto",
                  "workload": "attention", "cuda_path": "auto", "clock": "synchronized",
                  "sequences": "", "sinks": "false"} | chosen
        if device == "cpu":  # a peer flushes no cache of a CPU
            wanted["l2_cache"] = "auto"
        cases = {}
        for row in self.rows:
            if row["mask"] in ("full", "causal") and all(
                    row[name] == value for name, value in wanted.items()):
                row = of_pass(row, passes or row["pass"])
                key = tuple(row[name] for name in schema().parameters
                            if name not in ("kernel", "launch", "allocator"))
                # If several kernels have a row, one that has a plan knows the FLOP.
                if not cases.get(key, {}).get("unmasked_flop"):
                    cases[key] = row
        if not cases:
            and_with = "".join(f", {name}={value}" for name, value in chosen.items())
            raise Refusal(2, f"{self.path} has no dense case of one worker on device {device} "
                             f"without a forced instruction set{and_with}")
        return list(cases.values())

    def require_this_machine(self):
        """Refuses another machine than the run's, whose facts the manifest takes over."""
        environment = self.manifest["environment"]
        cpu = environment.get("cpu", {})
        there = (cpu.get("processors"), cpu.get("usable_processors"),
                 environment.get("memory", {}).get("total_bytes"))
        here = (os.cpu_count(), sorted(os.sched_getaffinity(0)), memory_bytes())
        for fact, theirs, ours in zip(("processors", "usable processors", "bytes of memory"),
                                      there, here):
            if theirs is not None and theirs != ours:
                raise Refusal(5, f"{self.path} was measured on another machine ({fact}: {theirs} "
                                 f"there, {ours} here); measure both on one")


def of_pass(case, passes):
    """The case with another pass and its FLOP; one worker moves no bytes in any pass."""
    flop = case["unmasked_flop"]
    if flop and passes != case["pass"]:
        flop = number_text(float(flop) / FLOP_OF_PASS[case["pass"]] * FLOP_OF_PASS[passes])
    return case | {"pass": passes, "unmasked_flop": flop}


def memory_bytes():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next((int(line.split()[1]) * 1024 for line in file if line.startswith("MemTotal:")), None)


class Writer:
    """Writes a new run folder row by row."""

    def __init__(self, run, path, kernel, peer, description, argv):
        self.path, self.columns, self.kernel = path, run.columns, kernel
        if os.path.exists(os.path.join(path, "cases.csv")):
            raise Refusal(2, f"{path} holds a run already; give another --out")
        name = os.path.basename(os.path.abspath(path))
        self.manifest = {
            "schema_version": schema().version, "experiment": run.manifest.get("experiment", ""),
            "description": description, "figures": ["throughput"], "run_id": name, "spec_hash": "",
            "order_seed": 0, "n_cases": 0, "argv": argv, "started_at": utc_now(),
            "resumed_at": [], "finished_at": None,
            "environment": peer_environment(run.manifest["environment"], peer)}
        os.makedirs(path, exist_ok=True)
        self.write_manifest()
        self.append("cases.csv", [self.columns])
        self.append("samples.csv", [schema().samples])

    def append(self, name, rows):
        path = os.path.join(self.path, name)
        with open(path, "a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
            file.flush()
            os.fsync(file.fileno())

    def write_manifest(self):
        path = os.path.join(self.path, "manifest.json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.manifest, file, indent=2, ensure_ascii=False)
            file.write("\n")
        os.replace(path + ".new", path)

    def add(self, case, result, started_at, duration_s):
        """`result` has status, message, values by column, and the samples of a case that is ok."""
        row = {name: case[name] for name in (*schema().parameters, *PLANNED)} | {"provenance": "measured"}
        row |= {"kernel": self.kernel, "schema_version": str(schema().version),
                "experiment": case["experiment"], "status": result["status"],
                "message": " ".join(result["message"].split()), "started_at": started_at,
                "duration_s": number_text(duration_s)}
        row["case_id"] = case_id(row)
        row |= result["values"]
        if result["status"] == "ok":
            row |= timed_columns(result["samples"], row["unmasked_flop"])
            self.append("samples.csv", [sample_row(row["case_id"], s) for s in result["samples"]])
        self.append("cases.csv", [[row.get(name, "") for name in self.columns]])
        self.manifest["n_cases"] += 1
        return row

    def finish(self):
        self.manifest["finished_at"] = utc_now()
        self.write_manifest()


def case_id(row):
    text = "".join(f"{name}={row[name]}\n" for name in schema().parameters)
    digits = hashlib.sha256(text.encode()).hexdigest()
    return chr(ord("g") + int(digits[0], 16)) + digits[1:12]  # id_of() of base/hash.h


def sample_row(identity, sample):
    device = dict(zip(("device_time_s", "sm_clock_hz", "throttled"), sample.device))
    values = {"case_id": identity, "repeat": sample.repeat, "warmup": int(sample.warmup),
              "gather_s": "0.0", "merge_s": "0.0", **device,
              **{f"{clock}_s": number_text(value) for clock, value in times_of(sample).items()}}
    return [values.get(name, "") for name in schema().samples]


def times_of(sample):
    """The seconds of a repeat by clock."""
    times = dict.fromkeys(CLOCKS, sum(sample.seconds))
    return times | (dict(zip(PASS_CLOCKS, sample.seconds)) if len(sample.seconds) > 1 else {})


def timed_columns(samples, flop):
    times = [times_of(sample) for sample in samples if not sample.warmup]
    columns = {"n_samples": str(len(times)), "gather_median_s": "0.0", "merge_median_s": "0.0"}
    for clock in times[0]:
        median, low, high, coverage = median_interval([one[clock] for one in times])
        columns |= {f"{clock}_median_s": number_text(median), f"{clock}_low95_s": number_text(low),
                    f"{clock}_high95_s": number_text(high),
                    "interval_coverage": number_text(coverage)}
    if flop:
        rate = float(flop) / float(columns["wall_time_median_s"])
        columns["achieved_flop_per_s"] = number_text(rate)
    return columns


def peer_environment(environment, peer):
    """Copies the run's facts of the machine and renews those of the moment and the program."""
    facts = copy.deepcopy(environment)
    facts["time_utc"] = utc_now()
    facts["build"] = dict.fromkeys(facts.get("build", {}))  # no code of qb ran
    facts.get("cpu", {}).pop("flash_kernel_runs_with", None)
    if "system" in facts:
        facts["system"]["load_average"] = " ".join(f"{load:.2f}" for load in os.getloadavg())
        facts["system"]["omp_num_threads"] = os.environ.get("OMP_NUM_THREADS")
    facts["peer"] = peer
    return facts
