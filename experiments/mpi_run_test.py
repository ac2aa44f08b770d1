# SPDX-License-Identifier: Apache-2.0
"""Tests qb run over MPI, from the command line to the rows: python3 mpi_run_test.py QB MPIEXEC"""

import csv
import fcntl
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

QB = ""
MPIEXEC = ""

# It has every kind of plan over ranks, fewer workers than ranks, other executors in between, and
# two impossible cases: more workers than ranks, and too little memory for rank 0's whole tensors
# and a worker's shards.
SPEC = """
experiment: ranks
dtype: f32
mask: causal
q_heads: 4
head_dim: 8
threads: 1
kernel: reference  # it has no peak, which would take longer to measure than a case
measure: {repeats: 2, warmups: 0, retakes: 0, timeout: 60s, verify_rows: 8}
cases:
  - {ranks: mpi, workers: 4, n_tokens: 96, algorithm: ring}
  - {ranks: mpi, workers: 4, n_tokens: 96, algorithm: zigzag}
  - {ranks: mpi, workers: 4, n_tokens: 96, algorithm: ulysses}
  - {ranks: mpi, workers: 4, n_tokens: 96, algorithm: cqs}
  - {ranks: mpi, workers: 3, n_tokens: 96, algorithm: cqs_sharded}
  - {ranks: mpi, workers: 2, n_tokens: 96, algorithm: all_gather_kv}
  - {ranks: mpi, workers: 1, n_tokens: 96, algorithm: dense}
  - {ranks: threads, workers: 4, n_tokens: 96, algorithm: ring}
  - {ranks: serial, workers: 7, n_tokens: 96, algorithm: cqs}
  - {ranks: mpi, workers: 5, n_tokens: 96, algorithm: ring}
  - {ranks: mpi, workers: 4, n_tokens: 1024, algorithm: ring, memory_budget: 600000}
"""
BACKWARD = """
experiment: gradients
ranks: mpi
dtype: f32
mask: causal
q_heads: 4
head_dim: 8
n_tokens: 96
threads: 1
kernel: reference
measure: {repeats: 2, warmups: 0, retakes: 0, timeout: 60s, verify_rows: 8}
cases:
  - {pass: backward, workers: 4, algorithm: ring}
  - {pass: both, workers: 4, algorithm: ulysses}
  - {pass: both, workers: 4, algorithm: cqs}
  - {pass: backward, workers: 3, algorithm: burst}
  - {pass: both, workers: 2, algorithm: all_gather_kv}
"""
SWEEP = """
experiment: parts
ranks: mpi
q_heads: 2
head_dim: 8
n_tokens: 64
algorithm: ring
threads: 1
kernel: reference
measure: {repeats: 1, warmups: 0, retakes: 0, timeout: 60s, verify_rows: 4}
sweep: {workers: [2, 3]}
"""
# The first pass of the first case has too little memory on any rank.
PASSES = """
experiment: passes
workload: sequence_mixer
mixer.operator: axial
ranks: mpi
dtype: f32
q_heads: 2
head_dim: 8
n_tokens: 64
workers: 2
threads: 1
measure: {repeats: 1, warmups: 0, retakes: 0, timeout: 60s, verify_rows: 8}
cases:
  - {pass: both, memory_budget: 20000}
  - {pass: both}
  - {pass: backward}
"""
# It is long enough to be disturbed; ranks wait for messages a third of the timeout.
LONG = """
experiment: long
ranks: mpi
algorithm: ring
q_heads: 8
workers: 3
threads: 1
measure: {warmups: 0, repeats: 100000, max_time: 60s, timeout: 6s, verify_rows: 4}
sweep: {n_tokens: [512]}
"""
# mpirun sees the shell end with 0, whatever becomes of qb.
EXITS_WITH_0 = ("/bin/sh", "-c", '"$@"; exit 0', "sh")


class MpiRun(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def path(self, name):
        return os.path.join(self.scratch, name)

    def command(self, spec, words, ranks, within=()):
        with open(self.path("spec.yaml"), "w", encoding="utf-8") as file:
            file.write(spec)
        command = [QB, "run", self.path("spec.yaml"), "--out", self.path("results"), "--quiet",
                   "--run-id", "a", *words]
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("OMPI_", "PMIX_", "PMI_"))}
        if ranks:
            command = [MPIEXEC, "--oversubscribe", "--bind-to", "none", "--mca",
                       "mpi_yield_when_idle", "1", "-n", str(ranks), *within, *command]
            environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return command, environment

    def rows(self):
        rows = []
        for path in glob.glob(self.path("results/*/a/cases.csv")):
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        return rows

    def run_spec(self, spec, *words, ranks=0):
        """Returns the rows of the run, and what qb printed. Without `ranks` there is no mpirun."""
        command, environment = self.command(spec, words, ranks)
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env=environment, timeout=120)
        return self.rows(), done

    def process_of_rank(self, rank):
        """Finds the qb process of a rank of this test's run by its command line and environment."""
        for folder in glob.glob("/proc/[0-9]*"):
            try:
                with open(folder + "/cmdline", "rb") as file:
                    words = file.read().decode(errors="replace").split("\0")
                with open(folder + "/environ", "rb") as file:
                    variables = file.read().decode(errors="replace").split("\0")
            except OSError:
                continue
            if (os.path.basename(words[0]) == os.path.basename(QB) and
                    self.path("spec.yaml") in words and
                    f"OMPI_COMM_WORLD_RANK={rank}" in variables):
                return int(os.path.basename(folder))
        return None

    def disturb(self, rank, sent, within=()):
        """Runs LONG and sends a rank a signal once it is under way; `within` begins its command."""
        command, environment = self.command(LONG, [], 3, within)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=environment) as mpirun:
            try:
                deadline = time.monotonic() + 30
                while not glob.glob(self.path("results/long/a/cases.csv")):
                    self.assertLess(time.monotonic(), deadline, "the run does not begin")
                    time.sleep(0.1)
                time.sleep(1.0)
                os.kill(self.process_of_rank(rank), sent)
                said = mpirun.communicate(timeout=60)[0]
            finally:
                mpirun.terminate()  # does nothing if it has ended; its ranks end with it
        return self.rows(), mpirun.returncode, said

    def test_backward_passes_are_verified(self):
        rows, done = self.run_spec(BACKWARD, ranks=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows), 5, done.stderr)
        for row in rows:
            with self.subTest(algorithm=row["algorithm"]):
                self.assertEqual(row["status"], "ok", row["message"])
                self.assertEqual(row["verified_keys"], "8")
                self.assertLessEqual(float(row["d_k_max_error"]), float(row["d_k_tolerance"]))
                self.assertEqual(row["forward_time_median_s"] == "", row["pass"] == "backward")
                self.assertGreater(int(row["backward_sent_bytes"]), 0)

    def test_ranks_and_other_executors_share_a_run(self):
        rows, done = self.run_spec(SPEC, ranks=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows), 11, done.stderr)
        told = {(row["ranks"], row["workers"], row["n_tokens"], row["algorithm"]): row
                for row in rows}
        too_many = told.pop(("mpi", "5", "96", "ring"))
        self.assertEqual(too_many["status"], "unsupported")
        self.assertIn("5 workers need as many MPI processes; there are 4", too_many["message"])
        too_large = told.pop(("mpi", "4", "1024", "ring"))
        self.assertEqual(too_large["status"], "oom", too_large["message"])
        self.assertIn("rank 0", too_large["message"])
        for key, row in told.items():
            with self.subTest(key=key):
                self.assertEqual(row["status"], "ok", row["message"])
                self.assertGreater(float(row["wall_time_median_s"]), 0)
                self.assertEqual(row["provenance"], "measured")
        self.assertGreater(
            float(told["mpi", "4", "96", "ring"]["exposed_communication_median_s"]), 0)

    def test_after_a_failure_in_the_first_of_two_passes_the_run_goes_on(self):
        rows, done = self.run_spec(PASSES, ranks=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = {(row["pass"], row["memory_budget_bytes"]): row for row in rows}
        self.assertEqual(len(told), 3, done.stderr)
        too_large = told.pop(("both", "20000"))
        self.assertEqual(too_large["status"], "oom", too_large["message"])
        self.assertIn("over the budget", too_large["message"])
        for row in told.values():
            self.assertEqual(row["status"], "ok", row["message"])

    def test_parts_of_a_run_by_different_numbers_of_ranks(self):
        rows, done = self.run_spec(SWEEP, "--only", "workers=2", ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["workers"] for row in rows], ["2"])
        rows, done = self.run_spec(SWEEP, "--only", "workers=3", ranks=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(row["workers"], row["status"]) for row in rows],
                         [("2", "ok"), ("3", "ok")])

    def test_without_mpirun_the_row_says_what_to_do(self):
        rows, done = self.run_spec(SWEEP)
        self.assertEqual(done.returncode, 1, done.stderr)
        for row in rows:
            self.assertEqual(row["status"], "unsupported")
            self.assertIn(f"mpirun -n {row['workers']} qb run", row["message"])
        self.assertEqual(len(rows), 2)

    def test_a_rank_that_stands_still_is_a_timeout(self):
        rows, code, said = self.disturb(2, signal.SIGSTOP)
        self.assertEqual([row["status"] for row in rows], ["timeout"], said)
        self.assertIn("rank", rows[0]["message"])
        self.assertEqual(code, 1, said)

    def test_a_rank_that_dies_is_a_crash_of_its_case(self):
        rows, code, said = self.disturb(1, signal.SIGKILL)
        self.assertEqual([row["status"] for row in rows], ["crashed"], said)
        self.assertIn("signal 9", said)  # mpirun has the end of its child, rank 0 has not
        self.assertIn("rank 1 (process ", rows[0]["message"])
        self.assertNotEqual(code, 0, said)
        again, done = self.run_spec(LONG, ranks=3)
        self.assertEqual((again, done.returncode), (rows, 1), done.stderr)  # the rows are kept

    def test_a_rank_that_ends_as_if_all_were_well_is_a_crash(self):
        rows, code, said = self.disturb(1, signal.SIGKILL, EXITS_WITH_0)
        self.assertEqual([row["status"] for row in rows], ["crashed"], said)
        self.assertIn("rank 1 (process ", rows[0]["message"])
        self.assertNotEqual(code, 0, said)

    def test_without_rank_0_no_row_is_written_and_mpirun_fails(self):
        for within in ((), EXITS_WITH_0):
            with self.subTest(within=within):
                rows, code, said = self.disturb(0, signal.SIGKILL, within)
                self.assertEqual(rows, [], said)
                self.assertNotEqual(code, 0, said)

    def test_a_case_without_end_is_a_timeout(self):
        rows, done = self.run_spec(LONG, "--set", "measure.timeout=1s", ranks=3)
        self.assertEqual([row["status"] for row in rows], ["timeout"], done.stderr)
        self.assertIn("not done after", rows[0]["message"])

    def test_ranks_wait_for_another_run_where_asked(self):
        self.run_spec(SWEEP, "--only", "workers=2", ranks=2)
        with open(self.path("results/parts/a/.lock"), "r+", encoding="utf-8") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            command, environment = self.command(SWEEP, ["--wait"], 3)
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env=environment) as mpirun:
                said = ""
                while "; waiting for it" not in said:
                    line = mpirun.stderr.readline()
                    self.assertTrue(line, said)
                    said += line
                fcntl.flock(other, fcntl.LOCK_UN)
                said += mpirun.communicate(timeout=60)[1]
        self.assertEqual(mpirun.returncode, 0, said)
        self.assertEqual(said.count("is writing"), 1, "only rank 0 says so")
        self.assertEqual([(row["workers"], row["status"]) for row in self.rows()], [("2", "ok"), ("3", "ok")])

    def test_exit_codes_are_those_without_ranks(self):
        self.run_spec(SWEEP, "--only", "workers=2", ranks=2)
        _, done = self.run_spec(SWEEP.replace("q_heads: 2", "q_heads: 4"), ranks=2)
        self.assertEqual(done.returncode, 2, done.stderr)  # the run of that id has another spec

    def test_a_mistake_in_the_spec_ends_all_ranks(self):
        rows, done = self.run_spec(SWEEP + "colour: red\n", ranks=2)
        self.assertEqual(rows, [])
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown key 'colour'", done.stderr)


if __name__ == "__main__":
    QB, MPIEXEC = (os.path.abspath(word) for word in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
