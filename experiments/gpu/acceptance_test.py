# SPDX-License-Identifier: Apache-2.0
"""Tests the quick stage without a GPU, with scripts as programs: python3 acceptance_test.py QB"""

import ast
import contextlib
import glob
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
QB = ""
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
from acceptance_fakes import OnFakes  # pylint: disable=wrong-import-position
import acceptance  # pylint: disable=wrong-import-position
import acceptance_place  # pylint: disable=wrong-import-position
import acceptance_run  # pylint: disable=wrong-import-position
import acceptance_steps  # pylint: disable=wrong-import-position


class Quick(OnFakes):
    def test_plays_every_step_and_says_so_in_results_json(self):
        start = time.time()
        code, out, err = self.run_stage("quick")
        self.assertEqual(code, 4, err)  # it measured 500 TFLOP/s, the target is 600
        self.assertIn("kit " + self.kit.root, err)
        results = self.results()
        self.assertEqual((results["gpu"], results["commit"], results["stages"]),
                         ("NVIDIA H200", "abc", ["quick"]))
        self.assertEqual(set(self.states("quick").values()), {"done"})
        self.assertEqual([step["name"] for step in results["steps"]],
                         ["device", "tests.flash_work", "flash", "tests.execute", "tests.kernels",
                          "tests.workload", "tests.experiment", "startup", "driver", "memcheck",
                          "racecheck", "verdict"])
        for step in results["steps"]:
            self.assertGreater(step["seconds"], 0.0)
            self.assertLess(step["seconds"], time.time() - start)
        self.assertEqual(results["case_startup_s"], 2.5)
        self.assertIn("flash d=128 full, N=16384", out)
        self.assertIn("(microbenchmark)", out)
        self.assertRegex(out, r"d=128 full bf16 +flash_sm80 +\d")
        self.assertEqual(out.splitlines()[-1][:len(self.out) + 4], self.out + ".tar")
        with open(os.path.join(self.out, "environment.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "cuda devices\n")

    def test_the_checkers_see_tiny_kernels_only(self):
        self.run_stage("quick", "--only", "memcheck,racecheck")
        calls = self.kit.calls("qb_execute_test")
        self.assertEqual(len(calls), 2)
        for call in calls:
            self.assertTrue(call.endswith("--gtest_filter=CudaTiny*"), call)

    def test_what_racecheck_finds_is_reported_and_fails_nothing(self):
        self.kit.set("qb_execute_test.code", 9)
        code, _, err = self.run_stage("quick", "--only", "racecheck")
        self.assertEqual((code, self.states("quick")["racecheck"]), (0, "reported"), err)
        self.assertIn("reported: racecheck", err)
        self.assertEqual(self.run_stage("quick", "--only", "memcheck")[0], 1)

    def test_the_tests_of_flash_work_are_shared_by_processes_whose_results_count_as_they_come(self):
        self.patch(mock.patch.object(acceptance_steps.os, "cpu_count", lambda: 3))
        self.kit.set("qb_flash_work_test.out", "[ RUN      ] A.c\n[       OK ] A.c (1 ms)\n"
                                               "[ RUN      ] A.d\n")
        self.kit.set("qb_flash_work_test.sleep", 30)
        self.budgets(flash_work=0.5)
        code, _, err = self.run_stage("quick", "--only", "tests.flash_work", "--minutes", "0.015")
        self.assertEqual(code, 1)
        self.assertEqual(sorted(self.kit.calls("shard")),
                         ["shard 0 of 3", "shard 1 of 3", "shard 2 of 3"])
        self.assertIn("3 tests ran, 0 skipped, 0 failed; stopped in A.d", err)

    def test_a_step_that_overruns_is_stopped_and_named_and_the_others_go_on(self):
        self.kit.set("qb_kernels_test.sleep", 30)
        self.budgets(kernels=0.5, experiment=5)
        start = time.monotonic()
        code, _, err = self.run_stage("quick", "--only", "tests.kernels,tests.experiment",
                                      "--minutes", "0.094")
        self.assertLess(time.monotonic() - start, 10.0)
        self.assertEqual(code, 1)
        self.assertEqual(self.states("quick")["tests.kernels"], "overran")
        self.assertEqual(self.states("quick")["tests.experiment"], "done")
        self.assertIn("overran: tests.kernels", err)

    def test_what_a_step_leaves_over_is_for_those_behind_it(self):
        self.budgets(kernels=60, workload=0.1)
        self.kit.set("qb_workload_test.sleep", 0.5)
        words = ("quick", "--only", "tests.kernels,tests.workload", "--minutes")
        self.assertEqual(self.run_stage(*words, "1.01")[0], 0)
        self.budgets(kernels=0.2)
        self.kit.set("qb_workload_test.sleep", 30)
        self.run_stage(*words, "0.03")
        self.assertEqual(self.states("quick")["tests.workload"], "overran")

    def test_a_step_that_does_not_listen_is_killed(self):
        self.kit.program("qb_kernels_test",
                         "#!/bin/bash\ntrap '' TERM\nwhile :; do sleep 0.1; done")
        self.budgets(kernels=0.3)
        self.patch(mock.patch.object(acceptance_run, "GRACE_S", 0.3))
        self.run_stage("quick", "--only", "tests.kernels", "--minutes", "0.01")
        steps = {step["name"]: step for step in self.results()["steps"]}
        self.assertEqual((steps["tests.kernels"]["state"], steps["tests.kernels"]["code"]),
                         ("overran", -signal.SIGKILL))

    def test_tests_that_fail_are_named_and_too_few_are_a_failure(self):
        self.patch(mock.patch.object(acceptance_steps.os, "cpu_count", lambda: 1))
        self.kit.set("qb_flash_work_test.out", "[       OK ] Gpu.a (1 ms)\n"
                     "[  FAILED  ] Gpu.b/1, where GetParam() = 2 (1 ms)\n"
                     "[  SKIPPED ] Gpu.c (0 ms)\n[  FAILED  ] 1 test, listed below:\n"
                     "[  FAILED  ] Gpu.b/1, where GetParam() = 2\n")
        self.kit.set("qb_flash_work_test.code", 1)
        self.kit.set("qb_workload_test.out", "[  SKIPPED ] Gpu.a (0 ms)\n")
        self.kit.set("qb_kernels_test.out", "")
        self.kit.set("qb_experiment_test.out", "[       OK ] Gpu.a (1 ms)\n"
                     "[  SKIPPED ] Gpu.b (0 ms)\n[  SKIPPED ] Gpu.c (0 ms)\n")
        code, _, err = self.run_stage("quick", "--only", "tests")
        self.assertEqual(code, 1)
        self.assertIn("failed: tests.flash_work tests.kernels tests.workload tests.experiment", err)
        self.assertIn("2 tests ran, 1 skipped, 1 failed: Gpu.b/1\n", err)

    def test_without_a_checker_its_steps_are_left_out(self):
        os.remove(os.path.join(self.kit.tools, "compute-sanitizer"))
        self.patch(mock.patch.object(acceptance_steps, "find_tool", lambda name: None))
        code, _, err = self.run_stage("quick", "--only", "memcheck,racecheck")
        self.assertEqual(code, 0, err)
        self.assertIn("there is no compute-sanitizer here", err)
        self.assertIn("left out: memcheck racecheck", err)

    def test_a_missing_program_is_a_failure_of_its_step(self):
        os.remove(os.path.join(self.kit.bin, "qb_workload_test"))
        code, _, err = self.run_stage("quick", "--only", "tests.workload,tests.execute")
        self.assertEqual(code, 1)
        self.assertEqual(self.states("quick")["tests.workload"], "failed")
        self.assertEqual(self.states("quick")["tests.execute"], "done")
        self.assertIn("No such file", err)

    def test_a_verdict_that_breaks_is_a_failure(self):
        with open(os.path.join(self.kit.gpu, "verdict.py"), "w", encoding="utf-8") as file:
            file.write("raise SystemExit(1)\n")
        self.assertEqual(self.run_stage("quick", "--only", "device")[0], 1)

    def test_is_played_anew_each_time(self):
        self.run_stage("quick", "--only", "tests.workload")
        self.kit.set("qb_workload_test.code", 1)
        self.assertEqual(self.run_stage("quick", "--only", "tests.workload")[0], 1)
        self.assertEqual([step["name"] for step in self.results()["steps"]],
                         ["tests.workload", "verdict"])

    def test_the_budgets_fit_into_three_minutes(self):
        steps = acceptance_steps.quick_steps(acceptance_place.Place(), self.out)
        self.assertLess(sum(step.budget_s for step in steps) + 16, 180)


class Refusals(OnFakes):
    def refused(self, *words):
        with self.assertRaises(acceptance_place.Refusal) as caught:
            self.run_stage("long", *words)
        return caught.exception.code, str(caught.exception)

    def test_results_of_another_commit_are_not_mixed_with_these(self):
        self.run_stage("quick", "--only", "device")
        self.kit.commit_as("def")
        code, sentence = self.refused()
        self.assertEqual(code, 2)
        self.assertIn("holds results of commit abc on NVIDIA H200, this is def", sentence)
        self.assertIn("give another --out", sentence)
        self.kit.commit_as("abc", modified=True)
        self.assertIn("this is abc-modified on NVIDIA H200", self.refused()[1])

    def test_a_manifest_that_is_of_something_else_is_refused(self):
        with open(os.path.join(self.kit.root, "manifest.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        self.assertIn("is not a manifest of a kit", self.refused()[1])

    def test_without_a_gpu_or_a_program_it_says_so(self):
        os.remove(os.path.join(self.kit.bin, "qb"))
        code, sentence = self.refused()
        self.assertEqual(code, 3)
        self.assertIn("unpack a kit, or build the checkout", sentence)
        os.remove(os.path.join(self.kit.tools, "nvidia-smi"))
        self.assertEqual(self.refused(), (3, "no GPU: there is no nvidia-smi"))

    def test_a_mistake_is_a_sentence(self):
        code, sentence = self.refused("--only", "decod,sweep")
        self.assertEqual(code, 2)
        self.assertIn("there is no step sweep; known: attention.flash", sentence)
        for words in (("--stage", "short"), ("--minutes", "0.001"), ("--dry",)):
            with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()):
                acceptance.parse_words(list(words))
            self.assertEqual(caught.exception.code, 2)


class DryRun(unittest.TestCase):
    def run_dry(self, *words, qb=None):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(qb or QB, os.path.join(folder, "qb"))
            said = subprocess.run(
                ["bash", os.path.join(HERE, "acceptance.sh"), "--dry-run", "--bin", folder, *words],
                capture_output=True, text=True, check=False)
        return said.returncode, said.stdout, said.stderr

    def test_prints_each_step_with_its_command_and_budget_and_checks_every_spec(self):
        code, out, err = self.run_dry("--stage", "long")
        self.assertEqual(code, 0, err)
        for spec in glob.glob(os.path.join(HERE, "*.yaml")):
            self.assertIn(f"/{os.path.basename(spec)} ", out)
        self.assertRegex(out, r"attention\.flash \(at most \d+ s, 10 cases\)\n  \+ \S+/qb run ")
        self.assertRegex(out, r"case_study_2 \(at most \d+ s, 90 cases\)")
        self.assertIn("--backend cudnn", out)
        self.assertIn("9 minutes a call", out)
        code, out, err = self.run_dry("--stage", "quick")
        self.assertEqual(code, 0, err)
        for word in ("--tool memcheck", "--tool racecheck", "OnGpu", "flash_rounds.py", " env"):
            self.assertIn(word, out)
        self.assertLess(int(re.search(r"at most (\d+) s in all", out).group(1)), 180)

    def test_needs_no_environment_and_writes_nothing(self):
        before = sorted(os.listdir(HERE))
        said = subprocess.run([os.path.join(HERE, "acceptance.sh"), "--dry-run"], env={}, cwd="/",
                              capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stdout, r"verdict .*\n  \+ /\S*python\S* ")
        self.assertEqual(sorted(os.listdir(HERE)), before)

    def test_a_spec_that_is_wrong_fails_it(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "broken")
            with open(broken, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho 'qb: it is wrong' >&2\nexit 2\n")
            os.chmod(broken, 0o755)
            code, out, _ = self.run_dry("--stage", "long", "--only", "cqs,decode", qb=broken)
        self.assertEqual(code, 1)
        self.assertEqual(out.count("WRONG: qb: it is wrong"), 3)

    def test_in_a_checkout_it_says_so_and_help_says_how(self):
        err = self.run_dry("--stage", "long", "--only", "decode")[2]
        self.assertIn("no kit (no manifest.json above", err)
        said = subprocess.run(["bash", os.path.join(HERE, "acceptance.sh"), "--help"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0)
        self.assertIn("--stage quick|long", said.stdout)


class Names(unittest.TestCase):
    NEEDS_A_GPU = re.compile(r"^\w*(OnGpu|Cuda)\w*\.")  # by the name of its suite

    def test_every_binary_plays_each_of_its_own_tests_that_need_a_gpu(self):
        known = set()
        for name, (pattern, _) in acceptance_steps.GPU_TESTS.items():
            program = self.program(f"qb_{name}_test")
            played = acceptance_run.list_tests(program, pattern)
            self.assertTrue(played, program)
            needing = set(filter(self.NEEDS_A_GPU.search, acceptance_run.list_tests(program)))
            self.assertEqual(needing - set(played), set(), program)
            known |= needing
        if not any(test.startswith("FlashOnGpu.") for test in known):
            self.skipTest("this build is without CUDA")
        in_sources = {test for tests in self.names_in_sources().values() for test in tests
                      if self.NEEDS_A_GPU.search(test)}
        self.assertEqual(in_sources, known)

    def test_the_checkers_see_both_passes(self):
        tests = acceptance_run.list_tests(self.program("qb_execute_test"),
                                          acceptance_steps.TINY_TESTS)
        self.assertEqual(tests, ["CudaTiny.FlashMergeAndCopiesAgreeWithFloat64",
                                 "CudaTiny.GradientsAgreeWithFloat64"])

    def program(self, name):
        build = os.path.normpath(os.path.join(os.path.dirname(QB), "..", ".."))
        path = os.path.join(build, acceptance_place.PROGRAMS[name], name)
        if not os.path.exists(path):
            self.skipTest(f"{name} is not built")
        return path

    def test_a_file_that_opens_a_gpu_has_a_suite_whose_name_says_so(self):
        for text, tests in self.names_in_sources().items():
            if re.search(r"\b(open_cuda_device|probe_cuda)\(", text):
                self.assertTrue(any(map(self.NEEDS_A_GPU.search, tests)), tests)

    def test_no_script_needs_a_python_newer_than_3_10(self):
        for path in glob.glob(os.path.join(HERE, "..", "**", "*.py"), recursive=True):
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read(), path, feature_version=(3, 10))
            words = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
            self.assertNotIn("process_group", words, path)  # of subprocess, since 3.11

    @staticmethod
    def names_in_sources():
        """The names of the tests by the text of their file."""
        found = {}
        for folder in ("base", "kernels", "harness"):
            for path in glob.glob(os.path.join(ROOT, folder, "**", "*_test.cpp"), recursive=True):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                found[text] = [".".join(pair) for pair in
                               re.findall(r"^TEST(?:_F)?\((\w+),\s*(\w+)\)", text, re.MULTILINE)]
        return found

    def test_the_folder_of_a_gpu(self):
        self.assertEqual(acceptance_place.gpu_folder("NVIDIA H200"), "h200")
        self.assertEqual(acceptance_place.gpu_folder("NVIDIA A100-SXM4-80GB"), "a100-sxm4-80gb")
        self.assertEqual(acceptance_place.gpu_folder("NVIDIA H100 80GB HBM3"), "h100-80gb-hbm3")


if __name__ == "__main__":
    QB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
