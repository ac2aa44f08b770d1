#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""honest_runs_test.py [TEST…] QB MPIEXEC: `qb verify` refuses no honest run, whatever else the machine does.

Prints how often each remark and each finding comes. QB_HONEST_RUNS sets how often each spec runs on a quiet machine, on
one whose cores are all taken, and stopped and continued at random moments; without it one spec runs once each."""
import collections
import csv
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

QB = MPIEXEC = ""
RUNS = int(os.environ.get("QB_HONEST_RUNS", "0"))
CORES = len(os.sched_getaffinity(0))

SMALL = """
experiment: small
device: cpu
q_heads: 2
kv_heads: 2
head_dim: 32
measure: {repeats: 6, warmups: 1, retakes: 2}
sweep:
  algorithm: [ring, zigzag, cqs, all_gather_kv]
  ranks: [serial, threads]
  n_tokens: [64, 128, 256, 512, 1024]
  workers: [3, 7, 13]
"""
LARGE = """
experiment: large
device: cpu
q_heads: 8
head_dim: 64
mask: causal
measure: {repeats: 4, warmups: 1, retakes: 2, verify_rows: 16}
sweep: {n_tokens: [4096, 8192]}
zip:
  algorithm: [dense, dense, dense, zigzag, zigzag, cqs, ulysses]
  workers: [1, 1, 1, 4, 4, 7, 8]
  threads: [1, 2, 2, 2, 2, 2, 2]
  dtype: [f32, f32, bf16, f32, f32, bf16, f16]
  ranks: [serial, serial, serial, serial, threads, serial, threads]
"""
# What takes its times apart: two passes, stages, parts of a layer, links, states; and each executor.
KINDS = """
experiment: kinds
device: cpu
q_heads: 4
head_dim: 16
measure: {repeats: 3, warmups: 1}
cases:
  - {workload: transformer_layer, n_tokens: 64, layer.feed_forward_dim: 64}
  - {workload: transformer_layer, n_tokens: 256, pass: both}
  - {n_tokens: 256, kernel: materialized}
  - {n_tokens: 256, kernel: reference, clock: cpu, threads: 1}
  - {n_tokens: 256, l2_cache: flushed}
  - {n_tokens: 256, pass: both, algorithm: ring, workers: 4, ranks: threads}
  - {n_tokens: 256, pass: both, algorithm: cqs, workers: 4, ranks: serial}
  - {n_tokens: 256, algorithm: ring, workers: 4, ranks: threads, link.bandwidth: 2e7}
  - {n_tokens: 256, mask: {sliding_window: {left: 8, right: 8}}, algorithm: striped, workers: 4, ranks: threads}
  - {n_tokens: 1, kv_len: 4096, algorithm: tree_decode, workers: 4, ranks: threads, mask: causal}
  - {workload: sequence_mixer, n_tokens: 256, mixer.operator: linear, mask: causal, workers: 4,
     ranks: threads}
"""
MPI = """
experiment: ranks
device: cpu
ranks: mpi
q_heads: 4
head_dim: 16
workers: 3
threads: 1
measure: {repeats: 6, warmups: 1}
sweep: {n_tokens: [96, 384], algorithm: [ring, zigzag, cqs, all_gather_kv], pass: [forward, both]}
"""


def spin():
    while True:
        pass


class Quiet:
    """Nothing else runs."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def while_it_runs(self, process):
        """Waits for the end of a process."""
        return process.wait()


class Busy(Quiet):
    """An endless loop a core."""

    def __enter__(self):
        self.loops = [multiprocessing.Process(target=spin, daemon=True) for _ in range(CORES)]
        for loop in self.loops:
            loop.start()
        return self

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.join()


def tell_session(session, what):
    """Sends a signal to all processes of a session: each case has a process group of its own."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(process)) == session:
                os.kill(int(process), what)
        except ProcessLookupError:
            pass


class Stopped(Quiet):
    """All of its processes stand still for 1 to 100 ms, every 20 to 200 ms."""

    def while_it_runs(self, process):
        while process.poll() is None:
            time.sleep(random.uniform(0.02, 0.2))
            tell_session(process.pid, signal.SIGSTOP)
            time.sleep(random.uniform(0.001, 0.1))
            tell_session(process.pid, signal.SIGCONT)
        return process.returncode


class HonestRuns(unittest.TestCase):
    """Specs times conditions."""

    def verified(self, spec, condition, folder):
        """Runs and verifies once; returns the number of rows, the findings and the remarks."""
        (folder / "spec.yaml").write_text(spec, encoding="utf-8")
        command = [QB, "run", folder / "spec.yaml", "--out", folder, "--quiet"]
        if "ranks: mpi" in spec:
            command[:0] = [MPIEXEC, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3"]
        with condition, open(folder / "said", "wb") as said, \
                subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True) as process:
            code = condition.while_it_runs(process)
        text = (folder / "said").read_text()
        self.assertEqual(code, 0, text)
        run, = [path for path in folder.glob("*/2*") if path.is_dir()]
        with open(run / "cases.csv", encoding="utf-8", newline="") as file:
            statuses = [row["status"] for row in csv.DictReader(file)]
        self.assertEqual(set(statuses), {"ok"}, text)
        done = subprocess.run([QB, "verify", run], capture_output=True, text=True, check=False)
        place = r"cases.csv record \d+ \(\w+\): "
        lines = [re.sub(r"[\d.]+(e[+-]?\d+)?", "#", re.sub(place, "", line)) for line in done.stdout.splitlines()]
        found = [line for line in lines if "MISMATCH" in line]
        self.assertEqual(done.returncode, 4 if found else 0, done.stdout + done.stderr)
        return len(statuses), found, [line for line in lines if line.startswith("note")]

    def none_is_refused(self, condition):
        """Prints what is said of each spec."""
        specs = {"small": SMALL, "large": LARGE, "kinds": KINDS, "mpi": MPI} if RUNS else {"kinds": KINDS}
        refused = 0
        for name, spec in specs.items():
            rows, bad, said = 0, 0, collections.Counter()
            n_runs = max(1, RUNS if name == "small" else RUNS // 10)
            for _ in range(n_runs):
                with tempfile.TemporaryDirectory() as folder:
                    n_rows, found, notes = self.verified(spec, condition, Path(folder))
                rows += n_rows
                bad += bool(found)
                said.update(found + notes)
            print(f"{name}, {type(condition).__name__.lower()}: {n_runs} runs, {rows} rows, {bad} refused", flush=True)
            for line, count in said.most_common():
                print(f"  {count} x {line}", flush=True)
            refused += bad
        self.assertEqual(refused, 0)

    def test_quiet(self):
        self.none_is_refused(Quiet())

    def test_busy(self):
        self.none_is_refused(Busy())

    def test_stopped(self):
        self.none_is_refused(Stopped())


if __name__ == "__main__":
    MPIEXEC = sys.argv.pop()
    QB = sys.argv.pop()
    unittest.main()
