# SPDX-License-Identifier: Apache-2.0
"""Tests the long stage and its archive without a GPU: python3 acceptance_long_test.py QB"""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
QB = ""
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
from acceptance_fakes import OnFakes  # pylint: disable=wrong-import-position
import acceptance  # pylint: disable=wrong-import-position
import acceptance_place  # pylint: disable=wrong-import-position
import acceptance_results  # pylint: disable=wrong-import-position
import acceptance_run  # pylint: disable=wrong-import-position
import acceptance_steps  # pylint: disable=wrong-import-position


class Long(OnFakes):
    def setUp(self):
        super().setUp()
        for table in ("CASE_WORK_S",):
            known = getattr(acceptance_steps, table)
            self.patch(mock.patch.dict(known, dict.fromkeys(known, 1)))

    def few(self, *names):
        """Gives the stage only these steps."""
        whole = acceptance.long_steps
        self.patch(mock.patch.object(acceptance, "long_steps", lambda *words: [
            step for step in whole(*words) if step.name in names]))

    def test_plays_all_specs_with_the_cells_of_targets_first(self):
        code, _, err = self.run_stage("long")
        self.assertEqual(self.results()["stages"], ["long"], err)
        self.assertEqual(set(self.states("long").values()), {"done"}, err)
        self.assertIn(code, (0, 4))
        runs = [call for call in self.kit.calls("qb run") if "--dry-run" not in call]
        specs = [re.search(r"/([a-z_0-9]+)\.yaml", call).group(1) for call in runs]
        self.assertEqual(set(specs) | {"nccl"}, {os.path.basename(path)[:-5] for path in
                                                 glob.glob(os.path.join(HERE, "*.yaml"))})
        self.assertTrue(runs[0].endswith("--only kernel=flash --only n_tokens=16384"), runs[0])
        first = {spec: specs.index(spec) for spec in specs}
        for target in ("attention", "attention_backward", "sm_80", "cqs", "decode", "bert_layer",
                       "case_study_2"):
            for fact in ("sparse", "sparse_stages", "memory_timeline"):
                self.assertLess(first[target], first[fact])
        # No case runs twice when two steps share a run.
        self.assertEqual(self.rows("attention"), ["1", "2", "3"])
        peers = self.kit.calls("torch_sdpa")
        self.assertEqual(len(peers), 6)
        self.assertTrue(all(call.endswith("--resume") for call in peers))

    def test_goes_on_where_the_last_call_stopped(self):
        self.few("decode", "sparse")
        self.kit.set("decode.sleep", 0.9)
        code, out, err = self.run_stage("long", "--minutes", "0.04")
        self.assertEqual(code, 1)
        self.assertIn("2 of 2 steps are left to be run; the same command goes on: decode sparse",
                      err)
        self.assertEqual(self.states("long")["decode"], "cut off")
        begun = self.rows("decode")
        self.assertTrue(0 < len(begun) < 3, begun)
        self.assertTrue(os.path.exists(out.splitlines()[-1]))
        self.kit.set("decode.sleep", None)
        self.kit.forget_calls()
        code, _, err = self.run_stage("long")
        self.assertEqual(self.rows("decode"), ["1", "2", "3"])
        self.assertEqual(self.states("long")["decode"], "done")
        step = [step for step in self.results()["steps"] if step["name"] == "decode"]
        self.assertEqual((len(step), step[0]["attempts"]), (1, 2))
        # Steps that are done do not run again.
        self.kit.forget_calls()
        code, _, err = self.run_stage("long")
        self.assertIn(code, (0, 4), err)
        self.assertEqual([call for call in self.kit.calls("qb run")], [])

    def test_what_overruns_its_budget_comes_last_and_is_given_up_in_the_end(self):
        self.few("decode", "sparse")
        self.kit.set("decode.sleep", 30)
        self.patch(mock.patch.object(acceptance_steps, "SLACK", 0.0))
        self.patch(mock.patch.dict(acceptance_steps.CASE_WORK_S, decode=0.1))
        for attempt in range(acceptance.ATTEMPTS):
            code, _, err = self.run_stage("long")
            self.assertEqual(code, 1)
            self.assertIn("overran: decode", err)
            decode = next(step for step in self.results()["steps"] if step["name"] == "decode")
            self.assertEqual(decode["attempts"], attempt + 1)
        self.assertEqual(self.states("long")["sparse"], "done")
        self.assertEqual(self.results()["stages"], ["long"])
        self.run_stage("long")
        decode = next(step for step in self.results()["steps"] if step["name"] == "decode")
        self.assertEqual(decode["attempts"], acceptance.ATTEMPTS)

    def test_budgets_are_of_the_cases_and_the_start_up_that_quick_measured(self):
        self.run_stage("quick", "--only", "startup")
        err = self.run_stage("long", "--only", "decode")[2]
        # Each of three cases takes 1.5 times 2.5 s to start and a second of work.
        self.assertIn("decode (at most 14 s)", err)

    def test_without_matplotlib_a_whole_run_is_done(self):
        self.patch(mock.patch.dict(os.environ, QB_PYTHON="/nonexistent"))
        self.kit.set("decode.code", 3)
        code, _, err = self.run_stage("long", "--only", "decode")
        self.assertIn(code, (0, 4), err)
        self.assertIn("figures are drawn at home", err)
        self.assertEqual(self.states("long")["decode"], "done")

    def test_rows_that_are_not_ok_are_a_failure_that_is_not_repeated(self):
        self.few("decode")
        self.kit.set("decode.code", 1)
        code, _, err = self.run_stage("long", "--only", "decode")
        self.assertEqual(code, 1)
        self.assertIn("failed: decode", err)
        self.kit.forget_calls()
        self.run_stage("long")
        self.assertFalse([call for call in self.kit.calls("qb run") if "decode.yaml" in call])

    def test_results_that_came_home_and_back_are_gone_on_with(self):
        self.run_stage("long", "--only", "decode")
        # On another machine of the kind, the folder is as the archive has it.
        subprocess.run(["rm", "-rf", os.path.join(self.out, ".runs")], check=True,
                       env={"PATH": "/bin:/usr/bin"})
        self.kit.set("decode.sleep", 30)
        code, _, err = self.run_stage("long", "--only", "decode", "--minutes", "0.05")
        self.assertIn(code, (0, 4), err)
        self.assertEqual(self.rows("decode"), ["1", "2", "3"])

    def test_of_several_gpus_plays_ranks_in_a_checkout_only(self):
        place = acceptance_place.Place()
        with mock.patch.object(acceptance_steps.shutil, "which", lambda name: "/bin/" + name):
            names = [step.name for step in acceptance_steps.long_steps(place, "o", 1.0, 4)]
            self.assertEqual([n for n in names if n.startswith("nccl")], ["nccl_1"])
            place.is_kit = False
            names = [step.name for step in acceptance_steps.long_steps(place, "o", 1.0, 4)]
        self.assertEqual([n for n in names if n.startswith("nccl")], ["nccl_1", "nccl_4", "nccl_2"])


class Interrupting(OnFakes):
    def test_a_call_that_is_stopped_keeps_what_there_is(self):
        self.kit.set("decode.sleep", 0.7)
        child = subprocess.Popen(  # pylint: disable=consider-using-with
            ["bash", os.path.join(self.kit.gpu, "acceptance.sh"), "--stage", "long", "--only",
             "decode", "--out", self.out],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=dict(self.environment, PATH=self.kit.tools + ":" + os.path.dirname(sys.executable)))
        for _ in range(200):
            if glob.glob(os.path.join(self.out, "decode", "cases.csv")) and self.rows("decode"):
                break
            time.sleep(0.05)
        child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 130, err)
        self.assertIn("interrupted; the same command goes on", err)
        self.assertEqual(self.states("long")["decode"], "cut off")
        with open(os.path.join(self.out, "logs", "decode.log"), encoding="utf-8") as file:
            self.assertIn("terminated", file.read())
        self.assertTrue(os.path.exists(out.splitlines()[-1]))


class Archive(OnFakes):
    def write(self, name, size=0):
        path = os.path.join(self.out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(os.urandom(size))

    def names(self, path):
        if path.endswith(".zst"):
            subprocess.run(["zstd", "-q", "-d", "-f", path, "-o", path[:-4]], check=True)
            path = path[:-4]
        with tarfile.open(path) as tar:
            return sorted(tar.getnames())

    def test_has_one_folder_and_all_that_is_in_it_but_hidden_files(self):
        for name in ("results.json", "decode/cases.csv", "decode/logs/a.log", ".runs/x/y"):
            self.write(name, 10)
        path, remarks = acceptance_results.pack(self.out)
        self.assertEqual(self.names(path), ["h200/decode/cases.csv", "h200/decode/logs/a.log",
                                            "h200/results.json"])
        if path.endswith(".zst"):
            self.assertEqual(remarks, [])

    def test_without_zstd_it_says_what_it_is(self):
        self.write("results.json", 10)
        for xz, ending in ((True, ".tar.xz"), (False, ".tar.gz")):
            with mock.patch.object(acceptance_results.shutil, "which", lambda name: None):
                if not xz:
                    self.patch(mock.patch.object(acceptance_results, "import_xz", lambda: None))
                path, remarks = acceptance_results.pack(self.out)
            self.assertEqual(path, self.out + ending)
            self.assertEqual(self.names(path), ["h200/results.json"])
            self.assertIn("there is no zstd program here", remarks[0])
        self.assertFalse(os.path.exists(self.out + ".tar.xz"))  # one archive, the newest

    def test_too_large_it_leaves_logs_out_first_and_says_so(self):
        self.write("results.json", 10)
        self.write("decode/logs/a.log", 40000)
        self.write("decode/traces/a.json", 40000)
        self.write("decode/samples.csv", 1000)
        path, remarks = acceptance_results.pack(self.out, 60000)
        self.assertEqual(self.names(path), ["h200/decode/samples.csv", "h200/decode/traces/a.json",
                                            "h200/results.json"])
        self.assertIn("is without logs, which", remarks[-1])
        path, remarks = acceptance_results.pack(self.out, 20000)
        self.assertEqual(self.names(path), ["h200/decode/samples.csv", "h200/results.json"])
        self.assertIn("is without logs, traces, which", remarks[-1])
        self.write("decode/cases.csv", 40000)
        self.assertIn("is larger than 20000 bytes all the same",
                      acceptance_results.pack(self.out, 20000)[1][-1])


class RealRun(unittest.TestCase):
    SPEC = ("experiment: tiny\nhead_dim: 8\nmeasure: {repeats: 1, warmups: 0}\n"
            "sweep: {n_tokens: [8, 16, 24]}\n")

    def test_runs_of_qb_itself_are_gone_on_with_from_the_folder_that_travels(self):
        with tempfile.TemporaryDirectory() as folder:
            spec, out = os.path.join(folder, "tiny.yaml"), os.path.join(folder, "h200")
            with open(spec, "w", encoding="utf-8") as file:
                file.write(self.SPEC)
            os.mkdir(out)
            results = acceptance_results.Results(out, "NVIDIA H200", "abc")
            player = acceptance_run.Player(acceptance_place.Place(), out, results,
                                           time.monotonic() + 60)
            rows = []
            for words in (["--only", "n_tokens=16"], []):
                step = acceptance_steps.Step(
                    "tiny", [QB, "run", spec, "--out", os.path.join(out, ".runs"), "--run-id",
                             "tiny", *words], 30, run="tiny", cases=[spec, *words])
                self.assertEqual(acceptance_run.count_cases(QB, step.cases), 3 - 2 * len(words[1:]))
                outcome = player.run(step, 30, cut=False)
                self.assertEqual(outcome, ("done", 0, ""))
                rows.append(acceptance_run.rows_of_run(os.path.join(out, "tiny")))
                # An unpacked archive lacks this folder.
                shutil.rmtree(os.path.join(out, ".runs"))
            self.assertEqual([row["n_tokens"] for row in rows[0]], ["16"])
            self.assertEqual(rows[1][0], rows[0][0])
            self.assertEqual(sorted(row["n_tokens"] for row in rows[1]), ["16", "24", "8"])


if __name__ == "__main__":
    QB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
