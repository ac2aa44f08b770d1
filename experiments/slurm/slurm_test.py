#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""slurm_test.py QB MPIEXEC: qb and its batch script in a Slurm cluster on this machine (testing/cluster.py).

QB_SLURM_KILLS sets how often a job is requeued and how often it loses a node, at random moments; without it once each."""
import collections
import csv
import os
import random
import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "testing"))
from cluster import NODES, RUN, Cluster, enter  # pylint: disable=wrong-import-position

ROOT = Path(__file__).resolve().parents[2]
QB = MPIEXEC = ""
CLUSTER = None
CORES = len(os.sched_getaffinity(0))
COMMON = """
ranks: mpi
algorithm: ring
head_dim: 8
workers: 2
"""
# The memory of `flash` has a part for each thread.
THREADS = f"""
experiment: threads
{COMMON}
kernel: flash
q_heads: 8
n_tokens: 4096
threads: 0
measure: {{repeats: 1, warmups: 0, retakes: 0, timeout: 60s, verify_rows: 4}}
"""
# Each case takes its max_time.
BATCH = f"""
experiment: batch
{COMMON}
kernel: reference
q_heads: 2
measure: {{min_repeats: 9, max_repeats: 1000000, relative_interval: 1e-9, max_time: 0.4s, warmups: 0,
           retakes: 1000000, timeout: 60s, verify_rows: 4}}
sweep: {{n_tokens: [16, 24, 32, 40, 48, 56, 64, 72]}}
"""


def said(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=60,
                          **options)


def rows_of(folder):
    try:
        with open(folder / "cases.csv", encoding="utf-8", newline="") as file:
            return [row for row in csv.DictReader(file) if row["status"]]
    except FileNotFoundError:
        return []


class Job:
    """The shipped batch script on the sweep BATCH, for two ranks."""

    def __init__(self, name, nodes=1):
        self.folder, self.log = RUN / "results/batch" / name, RUN / f"{name}.log"
        spec = RUN / "batch.yaml"
        spec.write_text(BATCH)
        done = said("sbatch", "--parsable", f"--nodes={nodes}", f"--ntasks-per-node={2 // nodes}", "--cpus-per-task=1",
                    f"--job-name={name}", f"--output={self.log}", "experiments/slurm/qb-mpi.sbatch", cwd=ROOT,
                    env=os.environ | {"SPEC": str(spec), "RUN_ID": name, "OUT": str(RUN / "results"), "QB": QB})
        self.number = done.stdout.strip()
        assert self.number, done.stderr

    def facts(self):
        return dict(re.findall(r"(\w+)=(\S*)", said("scontrol", "show", "job", self.number).stdout))

    def state(self):
        return self.facts().get("JobState", "")

    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""


class WithCluster(unittest.TestCase):
    def wait_for(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, what())
            time.sleep(0.1)

    def wait_for_end(self, job, restarts):
        self.wait_for(lambda: job.state() == "COMPLETED", lambda: f"{job.facts()}\n{job.text()}")
        self.assertGreaterEqual(int(job.facts()["Restarts"]), restarts)
        rows = rows_of(job.folder)
        once = collections.Counter(int(row["n_tokens"]) for row in rows)
        self.assertEqual(once, collections.Counter(range(16, 80, 8)), job.text())
        self.assertEqual({row["status"] for row in rows}, {"ok"}, job.text())
        self.assertNotIn("exit code 3", job.text())
        verified = said(QB, "verify", job.folder)
        self.assertEqual(verified.returncode, 0, verified.stdout)

    def wait_for_rows(self, job, n):
        self.wait_for(lambda: len(rows_of(job.folder)) >= n, lambda: f"{job.facts()}\n{job.text()}")

    def bring_back(self, node):
        CLUSTER.start_node(node)

        def idle():
            said("scontrol", "update", f"nodename={node}", "state=resume")
            return CLUSTER.state(node) in ("idle", "alloc")

        self.wait_for(idle, lambda: f"{node} is {CLUSTER.state(node)}")


class InSlurm(WithCluster):
    def bytes_of(self, launcher, name, *words):
        spec = RUN / "threads.yaml"
        spec.write_text(THREADS)
        done = said(*launcher, QB, "run", spec, "--quiet", "--out", RUN / "results", "--run-id", name, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(row["device_peak_bytes"]) for row in rows_of(RUN / "results/threads" / name)]

    def test_ranks_of_a_node_share_its_cores_as_under_mpirun(self):
        srun = ("srun", "--mpi=pmix", "--cpu-bind=none", "-n2")
        by_mpirun = self.bytes_of((MPIEXEC, "--oversubscribe", "--bind-to", "none", "-n", "2"), "mpirun")
        with_all = self.bytes_of((*srun, "-N1"), "all", "--set", f"threads={CORES}")
        self.assertEqual(self.bytes_of((*srun, "-N1"), "one_node"), by_mpirun)
        self.assertEqual(self.bytes_of((*srun, "-N2"), "two_nodes"), with_all)
        if CORES in (2, 3, 4):
            self.assertNotEqual(by_mpirun, with_all)

    def test_srun_without_its_option_is_told_of_it(self):
        (RUN / "threads.yaml").write_text(THREADS)
        done = said("srun", "-n1", QB, "run", RUN / "threads.yaml", "--quiet", "--out", RUN / "results", "--run-id", "bare")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("or srun --mpi=pmix", done.stderr)

    def test_jobs_that_are_requeued_go_on(self):
        """One is requeued by a command. The other one loses its node, whose tasks are still there: its second instance
        waits for them."""
        jobs = by_command, lost_node = Job("by_command"), Job("lost_node")
        for job in jobs:
            self.wait_for_rows(job, 1)
        self.assertEqual(said("scontrol", "requeue", by_command.number).returncode, 0)
        node = lost_node.facts()["NodeList"]
        CLUSTER.freeze_node(node)
        said("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
        waits = f"on {node}) is writing {lost_node.folder}; waiting for it\n"
        self.wait_for(lambda: waits in lost_node.text(), lost_node.text)
        self.assertLess(len(rows_of(lost_node.folder)), 8)
        CLUSTER.crash_node(node)
        for job in jobs:
            self.wait_for_end(job, restarts=1)
        self.assertRegex(by_command.text(), r"(?s)interrupted: \d of 8 cases are done.*going on with")
        self.assertIn("going on with", lost_node.text().split(waits)[1])
        self.bring_back(node)


class Kills(WithCluster):
    def test_nothing_is_lost(self):
        most, done, jobs = int(os.environ["QB_SLURM_KILLS"]), collections.Counter(), 0
        draw = random.Random(1)
        while min(done["requeue"], done["crash"]) < most:
            jobs += 1
            job, kills = Job(f"job{jobs}", nodes=draw.choice((1, 2))), 0
            while job.state() != "COMPLETED":
                if job.state() != "RUNNING":
                    time.sleep(0.2)
                    continue
                time.sleep(draw.uniform(0.0, 3.0))
                node = draw.choice(NODES)
                if draw.random() < 0.5:
                    kind = "requeue"
                    worked = said("scontrol", "requeue", job.number).returncode == 0
                else:
                    kind, worked = "crash", node in job.facts().get("NodeList", "").replace("n[1-2]", "n1,n2")
                    CLUSTER.crash_node(node)
                    said("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
                    self.bring_back(node)
                done[kind] += worked
                kills += worked
                if kills == 6:
                    break
            self.wait_for_end(job, restarts=0)
        print(f"{jobs} jobs: {done['requeue']} requeues, {done['crash']} crashes of a node", file=sys.stderr)


if __name__ == "__main__":
    enter()
    QB, MPIEXEC = (os.path.abspath(word) for word in sys.argv[1:3])
    CLUSTER = Cluster()
    many = "Kills" if os.environ.get("QB_SLURM_KILLS") else "InSlurm"
    unittest.main(argv=[sys.argv[0], *(sys.argv[3:] or [many])], verbosity=2)
