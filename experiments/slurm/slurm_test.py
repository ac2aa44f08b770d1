#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""slurm_test.py QB MPIEXEC [CLASS…]: qb and its batch scripts in a Slurm cluster on this machine (testing/cluster.py).

QB_SLURM_KILLS=N leaves the usual classes out and kills N times by each kind, at random moments."""
import collections
import csv
import os
import random
import re
import signal
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

LONGER = """
    {min_repeats: 9, max_repeats: 1000000, relative_interval: 1e-9, max_time: 0.2s, warmups: 0, retakes: 0, verify_rows: 2}"""
SHARDED = """
experiment: sharded
head_dim: 8
q_heads: 1
kernel: reference
algorithm: cqs
measure: {measure}
sweep: {{n_tokens: {{from: 16, to: 65, step: 1}}, workers: [3, 7], batch: [1, 2]}}
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


def kill_shard(run_id, shard):
    """Whether there was such a process."""
    for words in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if words.read_text().split("\0")[-6:] == ["--run-id", run_id, "--shard", f"{shard}/4", "--wait", ""]:
                os.kill(int(words.parent.name), signal.SIGKILL)
                return True
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            pass
    return False


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


class OfShards(WithCluster):
    """A sweep dealt to four tasks of a job array by `qb slurm`."""

    def begin(self, name, *words, links=1, measure="{repeats: 1, warmups: 0, retakes: 0, verify_rows: 2}", out=RUN / "results",
              user=()):
        spec = RUN / "sharded.yaml"
        spec.write_text(SHARDED.format(measure=measure))
        done = said(*user, QB, "slurm", spec, "--run-id", name, "--nodes", "4", "--array", "--cpus", "1", "--links", links,
                    "--out", out, "--submit", *words, cwd=out.parent)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out / "sharded" / name, done.stdout.split("job ")[1].strip()

    def wait_for_jobs(self, number):
        def states():
            return re.findall(r"JobState=(\S+)", said("scontrol", "show", "job", number).stdout)

        self.wait_for(lambda: not set(states()) & {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED"}, states, 180)

    def wait_for_links(self, folder):
        """For all jobs in a row, whose numbers it returns."""
        def numbers():
            with open(f"{folder}.sbatch.jobs.csv", encoding="utf-8", newline="") as file:
                return [row["job"] for row in csv.DictReader(file) if row["state"] == "submitted"]

        ended = set()
        while numbers()[-1] not in ended:
            last = numbers()[-1]
            self.wait_for_jobs(last)
            ended.add(last)
        return numbers()

    def rows(self, folder):
        return [row for shard in range(1, 5) for row in rows_of(Path(f"{folder}.{shard}of4"))]

    def wait_for_some(self, folder, n=20):
        self.wait_for(lambda: len(self.rows(folder)) > n, lambda: said("squeue").stdout)

    def crash(self, node):
        CLUSTER.crash_node(node)
        said("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
        self.bring_back(node)

    def run_what_is_left(self, folder):
        """By the line that join prints. Returns what is kept, which no later job may run again."""
        kept = {row["case_id"]: row["started_at"] for row in self.rows(folder)}
        left = said(QB, "join", folder)
        self.assertEqual(left.returncode, 1, left.stdout)
        line = re.search(r"^Run them: (sbatch --array=\S+ \S+)$", left.stdout, re.M)
        self.assertTrue(line, left.stdout)
        again = said(*line[1].split(), cwd=RUN)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.wait_for_jobs(again.stdout.split()[-1])
        return kept

    def expect_joined(self, folder, kept=()):
        joined = said(QB, "join", folder)
        self.assertEqual(joined.returncode, 0, joined.stdout + joined.stderr)
        once = collections.Counter(row["case_id"] for row in rows_of(folder))
        self.assertEqual(len(once), 200)
        self.assertEqual(set(once.values()), {1})
        verified = said(QB, "verify", folder)
        self.assertEqual(verified.returncode, 0, verified.stdout)
        begun = {row["case_id"]: row["started_at"] for row in rows_of(folder)}
        for case in kept:
            self.assertEqual(begun[case], kept[case], "a finished case was run again")
        return joined.stdout


class Shards(OfShards):
    def test_a_node_that_is_lost_costs_a_case_at_most(self):
        folder, number = self.begin("lost")
        self.wait_for_some(folder)
        # Cancelled after the crash, so that nothing is requeued: what is left is what join says.
        node = NODES[random.randrange(2)]
        CLUSTER.crash_node(node)
        said("scancel", number)
        said("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
        self.bring_back(node)
        self.wait_for_jobs(number)
        self.assertIn("Largest over mean", self.expect_joined(folder, self.run_what_is_left(folder)))


class MoreShards(OfShards):
    """Outside CI, for their time."""

    def test_a_requeued_task_waits_for_its_first_instance(self):
        folder, number = self.begin("first", measure=LONGER)
        self.wait_for_some(folder)
        CLUSTER.freeze_node(NODES[0])
        said("scontrol", "update", f"nodename={NODES[0]}", "state=down", "reason=test")

        def logs():
            return "".join(path.read_text() for path in folder.parent.glob(f"first.sbatch.{number}_*.log"))

        self.wait_for(lambda: "waiting for it" in logs(), logs)
        CLUSTER.crash_node(NODES[0])
        self.bring_back(NODES[0])
        self.wait_for_jobs(number)
        self.expect_joined(folder)

    def test_a_cancelled_sweep_keeps_its_rows(self):
        folder, number = self.begin("cancelled", measure=LONGER)
        self.wait_for_some(folder)
        said("scancel", number)
        self.wait_for_jobs(number)
        self.assertNotIn("running", said(QB, "status", folder).stdout)
        self.expect_joined(folder, self.run_what_is_left(folder))

    def test_where_a_task_fails_the_next_job_ends_its_shard(self):
        folder, _ = self.begin("failing", links=3, measure=LONGER)
        self.wait_for_some(folder)
        self.assertTrue(kill_shard(folder.name, 2))
        self.assertIn("waits for job", said(QB, "status", folder).stdout)
        self.assertEqual(len(self.wait_for_links(folder)), 3, "the third never begins, since the second succeeds")
        self.expect_joined(folder)

    def test_the_next_job_ends_what_a_time_limit_leaves(self):
        folder, _ = self.begin("chained", "--max-minutes", "1", links=4, measure=LONGER.replace("0.2s", "1.2s"))
        self.assertGreater(len(self.wait_for_links(folder)), 1)
        self.expect_joined(folder)

    def test_two_users_do_not_meet(self):
        user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        own = RUN / "of_a_user"
        own.mkdir()
        os.chown(own, 65534, 65534)
        (RUN / "tmp").chmod(0o1777)
        if said(*user, QB, "--version").returncode != 0:
            self.skipTest("another user cannot read this folder")
        root, first = self.begin("shared")
        other, second = self.begin("shared", out=own / "results", user=user)
        for number in (first, second):
            self.wait_for_jobs(number)
        refused = said(*user, QB, "run", RUN / "sharded.yaml", "--out", RUN / "results", "--run-id", "shared", "--shard", "1/4")
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("ermission denied", refused.stderr)
        for folder in (root, other):
            self.expect_joined(folder)
        self.assertEqual((other / "cases.csv").stat().st_uid, 0)
        self.assertEqual(Path(f"{other}.1of4/cases.csv").stat().st_uid, 65534)

    def test_a_job_of_four_ranks_takes_two_nodes(self):
        spec = RUN / "ranks.yaml"
        spec.write_text(BATCH.replace("workers: 2\n", "").replace("sweep: {", "sweep: {workers: [2, 4], "))
        done = said(QB, "slurm", spec, "--run-id", "ranks", "--nodes", "2", "--cpus", "1", "--out", RUN / "results", "--submit",
                    cwd=RUN)
        self.assertEqual(done.returncode, 0, done.stderr)
        for number in re.findall(r"^job (\d+)$", done.stdout, re.M):
            self.wait_for_jobs(number)
            self.assertIn("NodeList=n[1-2]", said("scontrol", "show", "job", number).stdout)
        rows = rows_of(RUN / "results/batch/ranks")
        self.assertEqual(collections.Counter(row["workers"] for row in rows), {"2": 8, "4": 8})
        verified = said(QB, "verify", RUN / "results/batch/ranks")
        self.assertEqual(verified.returncode, 0, verified.stdout)


class KilledShards(OfShards):
    def test_nothing_is_lost(self):
        most, done, sweeps = int(os.environ["QB_SLURM_KILLS"]), collections.Counter(), 0
        draw = random.Random()
        kinds = ("requeue", "crash", "freeze", "scancel", "kill")
        while min(done[kind] for kind in kinds) < most:
            sweeps += 1
            folder, number = self.begin(f"killed{sweeps}", measure=LONGER)
            kept = {}

            def finished(folder=folder, kept=kept):
                rows = self.rows(folder)
                for row in rows:
                    self.assertEqual(kept.setdefault(row["case_id"], row["started_at"]), row["started_at"])
                return len(rows) == 200

            while not finished():
                time.sleep(draw.uniform(0.0, 2.0))
                kind, node, task = draw.choice(kinds), draw.choice(NODES), f"{number}_{draw.randrange(1, 5)}"
                if "JobState=RUNNING" not in said("scontrol", "show", "job", number).stdout:
                    if not finished() and not re.search("JobState=(PENDING|COMPLETING|CONFIGURING)",
                                                        said("scontrol", "show", "job", number).stdout):
                        line = re.search(r"^Run them: (sbatch \S+ \S+)$", said(QB, "join", folder).stdout, re.M)
                        if line:
                            number = said(*line[1].split(), cwd=RUN).stdout.split()[-1]
                    continue
                if kind in ("crash", "freeze"):
                    done[kind] += 1
                    if kind == "freeze":
                        CLUSTER.freeze_node(node)
                        said("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
                        time.sleep(draw.uniform(0.0, 2.0))
                    self.crash(node)
                else:
                    command = {"requeue": ("scontrol", "requeue", task), "scancel": ("scancel", task)}.get(kind)
                    done[kind] += said(*command).returncode == 0 if command else kill_shard(folder.name, draw.randrange(1, 5))
            self.wait_for_jobs(number)
            self.expect_joined(folder, kept)
        print(f"{sweeps} sweeps: {dict(done)}", file=sys.stderr)


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
    many = ["Kills", "KilledShards", "MoreShards"] if os.environ.get("QB_SLURM_KILLS") else ["InSlurm", "Shards"]
    unittest.main(argv=[sys.argv[0], *(sys.argv[3:] or many)], verbosity=2)
