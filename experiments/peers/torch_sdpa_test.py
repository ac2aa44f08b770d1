# SPDX-License-Identifier: Apache-2.0
"""Tests torch_sdpa.py on runs of qb and a torch of plain Python: python3 torch_sdpa_test.py QB

Nearly all of the time is qb's, so that it runs each spec once. The tests take copies of the run, or
of those of its rows that they need.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import torch_devices
from torch_attention import problem_of

HERE = os.path.dirname(os.path.abspath(__file__))
TURN = os.path.join(HERE, "torch_turn.py")
QB = ""
ROUNDOFF = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
PASS_COLUMNS = [f"{name}_time_{what}_s" for name in ("forward", "backward")
                for what in ("low95", "median", "high95")]

# It has eight dense problems that differ in every argument of SDPA, two of them again with other
# passes, and five cases that are not for SDPA.
SPEC = """
experiment: peers
measure: {repeats: 2, warmups: 0, retakes: 0, verify_rows: 4}
cases:
  - {n_tokens: 24, head_dim: 8}
  - {n_tokens: 24, head_dim: 8, dtype: f16}
  - {n_tokens: 24, head_dim: 8, dtype: bf16}
  - {n_tokens: 24, head_dim: 8, mask: causal, seed: 3, scale: 0.5}
  - {n_tokens: 16, kv_len: 24, head_dim: 8, mask: causal, dtype: bf16}
  - {n_tokens: 24, kv_len: 16, head_dim: 8, mask: causal}
  - {n_tokens: 16, head_dim: 8, batch: 2, q_heads: 4, kv_heads: 2, dtype: f16}
  - {n_tokens: 80, head_dim: 4, threads: 1}
  - {n_tokens: 24, head_dim: 8, algorithm: cqs, workers: 7}
  - {n_tokens: 24, head_dim: 8, cpu.isa: scalar}
  - {n_tokens: 24, head_dim: 8, l2_cache: flushed}
  - {n_tokens: 24, head_dim: 8, mask: causal, sequences: 9+5 19}
  - {n_tokens: 24, head_dim: 8, mask: {sliding_window: {left: 2, right: 1}}}
  - {n_tokens: 24, head_dim: 8, pass: backward}
  - {n_tokens: 16, head_dim: 8, batch: 2, q_heads: 4, kv_heads: 2, dtype: f16, pass: both}
"""
# Kernel `reference` has no peak, which would take longer to measure than such a case.
LENGTHS = """{experiment: lengths, kernel: reference, head_dim: 4,
  measure: {repeats: 1, warmups: 0, retakes: 0},
  sweep: {n_tokens: [8, 9, 10, 11, 12, 13, 14, 15, 16, 17]}}"""
TWO_KERNELS = """{experiment: two, n_tokens: 8, head_dim: 4,
  measure: {repeats: 1, retakes: 0}, sweep: {kernel: [flash, reference]}}"""
GRADIENTS = ("d_q", "d_k", "d_v")


def read(folder, name="cases.csv"):
    with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def header(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.readline()


def measurable(run):
    return [row for row in read(run) if row["algorithm"] == "dense" and row["cpu_isa"] == "auto"
            and row["l2_cache"] == "auto" and not row["sequences"] and row["mask"] in ("full", "causal")]


def write(rows, folder):
    with open(os.path.join(folder, "cases.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


class TorchSdpa(unittest.TestCase):
    runs = {}  # folders by spec

    @classmethod
    def setUpClass(cls):
        shared = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.addClassCleanup(shared.cleanup)
        cls.shared = shared.name

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.out = self.path("torch")

    def path(self, name):
        return os.path.join(self.scratch, name)

    def qb(self, *words, python=None):
        environment = dict(os.environ, **({"QB_PYTHON": python} if python else {}))
        return subprocess.run([QB, *words], capture_output=True, text=True, check=False,
                              env=environment)

    def qb_run(self, spec, lengths=()):
        """Returns a copy of qb's run of a spec; if lengths are given, with those rows alone."""
        if spec not in self.runs:
            path = os.path.join(self.shared, f"{len(self.runs)}.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(spec)
            said = self.qb("run", path, "--quiet", "--out", self.shared, "--run-id",
                           str(len(self.runs)))
            self.assertEqual(said.returncode, 0, said.stderr)
            self.runs[spec] = said.stdout.splitlines()[-1]
        folder = self.path("a")
        shutil.copytree(self.runs[spec], folder)
        if lengths:
            write([row for row in read(folder) if int(row["n_tokens"]) in lengths], folder)
        return folder

    def program(self, *words, torch=os.path.join(HERE, "fake_torch"), faults=""):
        environment = dict(os.environ, PYTHONPATH=torch, PYTHONDONTWRITEBYTECODE="1",
                           FAKE_TORCH_FAULTS=faults)
        return subprocess.run(words, capture_output=True, text=True, check=False, env=environment)

    def sdpa(self, *words, **torch):
        return self.program(sys.executable, os.path.join(HERE, "torch_sdpa.py"), *words, **torch)

    def turns(self, **torch):
        """Returns what `qb ab` says of qb and PyTorch at one case."""
        return self.program(QB, "ab", QB, TURN, self.turn_spec(), "--pairs", "2", "--retakes", "0",
                            "--out", self.path("pairs.csv"), **torch)

    def turn_spec(self):
        spec = self.path("turns.yaml")
        with open(spec, "w", encoding="utf-8") as file:
            file.write("{experiment: turns, kernel: reference, n_tokens: 8, head_dim: 4}")
        return spec

    def without_torch(self):
        folder = self.path("none")
        os.mkdir(folder)
        with open(os.path.join(folder, "torch.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError(\"No module named 'torch'\")\n")
        return folder

    def test_rows_are_those_of_qb(self):
        run = self.qb_run(SPEC)
        said = self.sdpa(run, "--out", self.out, "--repeats", "3", "--warmups", "1")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(header(self.out, "cases.csv"), header(run, "cases.csv"))
        self.assertEqual(header(self.out, "samples.csv"), header(run, "samples.csv"))
        ours = {row["case_id"]: row for row in read(self.out)}
        theirs = measurable(run)
        self.assertEqual(len(theirs), 10)
        self.assertEqual(len(ours), len(theirs))
        for row, qb_row in zip(read(self.out), theirs):
            self.assertEqual((row["status"], row["message"]), ("ok", ""))
            self.assertEqual((row["kernel"], row["isa"]), ("torch_sdpa", "avx512"))
            for same in ("n_tokens", "kv_len", "dtype", "mask", "pass", "threads",
                         "unmasked_flop"):
                self.assertEqual(row[same], qb_row[same])
            self.assertGreater(int(row["verified_rows"]), 0)
            self.assertLessEqual(float(row["max_error"]), float(row["tolerance"]))
            self.assertLess(float(row["tolerance"]), 0.05)
            # The fake computes exactly and rounds its output once.
            self.assertGreater(float(row["relative_l2_error"]), 0.0)
            self.assertLessEqual(float(row["relative_l2_error"]), ROUNDOFF[row["dtype"]])
            self.assertGreater(float(qb_row["relative_l2_error"]), 0.0)
            self.check_times(row)
            self.check_gradients(row)
            for column in (*PASS_COLUMNS, "verified_keys", "d_v_tolerance"):
                self.assertEqual(row[column] == "", qb_row[column] == "", column)
        said = self.qb("verify", self.out)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def check_gradients(self, row):
        for name in GRADIENTS:
            if row["pass"] == "forward":
                self.assertEqual(row[name + "_max_error"], "")
                continue
            roundoff, naive = ROUNDOFF[row["dtype"]], float(row[name + "_naive_error"])
            self.assertLessEqual(float(row[name + "_max_error"]), float(row[name + "_tolerance"]))
            self.assertGreater(float(row[name + "_tolerance"]), 1.5 * naive)
            self.assertLess(float(row[name + "_tolerance"]), 0.1)
            # The reference has D from O, which the fake rounds, and the fake has its own.
            self.assertGreater(float(row[name + "_relative_l2_error"]), 0.0)
            self.assertLess(float(row[name + "_relative_l2_error"]), 2.0 * roundoff)

    def check_times(self, row):
        samples = [s for s in read(self.out, "samples.csv") if s["case_id"] == row["case_id"]]
        for sample in samples:
            passes = [sample[name] for name in ("forward_time_s", "backward_time_s")]
            if row["pass"] == "both":
                self.assertEqual(sum(map(float, passes)), float(sample["wall_time_s"]))
            else:
                self.assertEqual(passes, ["", ""])
        self.assertEqual([s["warmup"] for s in samples], ["1", "0", "0", "0"])
        times = sorted(float(s["wall_time_s"]) for s in samples if s["warmup"] == "0")
        self.assertEqual((row["n_samples"], row["interval_coverage"]), ("3", "0.75"))
        for clock in ("wall_time", "critical_path", "worker_sum", "longest_subsequence"):
            self.assertEqual([float(row[f"{clock}_{what}_s"]) for what in
                              ("low95", "median", "high95")], times)
        self.assertAlmostEqual(float(row["achieved_flop_per_s"]),
                               float(row["unmasked_flop"]) / times[1], delta=1.0)

    def test_compare_and_plot_read_them(self):
        run = self.qb_run(SPEC)
        self.assertEqual(self.sdpa(run, "--out", self.out, "--repeats", "1").returncode, 0)
        said = self.qb("compare", "--ignore", "kernel,isa", run, self.out)
        self.assertIn(said.returncode, (0, 4), said.stderr)
        self.assertIn("ignored kernel: A flash, B torch_sdpa", said.stdout)
        self.assertIn("ignored isa: A ", said.stdout)
        self.assertIn("10 in both", said.stdout)
        self.assertIn("missing in B: algorithm=cqs", said.stdout)
        # Without matplotlib qb writes the plotted numbers all the same.
        self.qb("plot", run, "--figure", "throughput", "--beside", self.out, "--out",
                self.path("figures"), python=self.path("none"))
        names = {row["series"] for row in read(self.path("figures"), "throughput.csv")}
        self.assertTrue(any(name.startswith("PyTorch SDPA, f32") for name in names), names)
        self.assertTrue(any(name.startswith("flash, f32") for name in names), names)
        for kernel in ("flash", "PyTorch SDPA"):
            for dtype, shown in (("f32", "backward pass"), ("f16", "both passes")):
                self.assertTrue(any(name.startswith(f"{kernel}, {dtype}, ") and shown in name
                                    for name in names), names)

    def test_a_case_that_fails_is_a_row(self):
        run = self.qb_run(LENGTHS)
        said = self.sdpa(run, "--out", self.out, "--repeats", "1", faults=(
            "9:oom,10:unsupported,11:wrong,12:crash,13:kill,14:error,15:nan,16:late_kill,17:quit"))
        self.assertEqual(said.returncode, 1)
        rows = {int(row["n_tokens"]): row for row in read(self.out)}
        self.assertEqual({n: row["status"] for n, row in rows.items()},
                         {8: "ok", 9: "oom", 10: "unsupported", 11: "incorrect", 12: "crashed",
                          13: "crashed", 14: "error", 15: "incorrect", 16: "crashed",
                          17: "crashed"})
        self.assertEqual([rows[n]["message"] for n in (12, 13, 16, 17)],
                         ["its process died of SIGSEGV", "its process died of SIGKILL",
                          "its process died of SIGKILL", "its process ended with exit code 0"])
        self.assertEqual(rows[14]["message"], "of two minds, and two lines")
        self.assertRegex(rows[11]["message"], "^O at batch 0, head 0, row 10, .*: error 0.5, ")
        self.assertGreater(float(rows[11]["relative_l2_error"]), 0.01)
        self.assertEqual(rows[15]["relative_l2_error"], "")
        for n, row in rows.items():
            self.assertEqual(row["wall_time_median_s"] == "", n != 8)
        self.assertEqual({s["case_id"] for s in read(self.out, "samples.csv")},
                         {rows[8]["case_id"]})
        self.assertEqual(self.qb("compare", "--ignore", "kernel", run, self.out).returncode, 4)

    def test_a_pass_that_is_asked_for_replaces_that_of_the_cases(self):
        run = self.qb_run(SPEC)
        said = self.sdpa(run, "--out", self.out, "--repeats", "3", "--warmups", "1", "--pass",
                         "both")
        self.assertEqual(said.returncode, 0, said.stderr)
        rows = read(self.out)
        self.assertEqual(len(rows), 8)  # two problems are in the run twice
        forward_flop = sorted(float(row["unmasked_flop"]) for row in measurable(run)
                              if row["pass"] == "forward")
        self.assertEqual(sorted(float(row["unmasked_flop"]) for row in rows),
                         [3.5 * flop for flop in forward_flop])
        for row in rows:
            self.assertEqual((row["status"], row["pass"]), ("ok", "both"), row["message"])
            self.check_times(row)
            self.check_gradients(row)
        self.assertEqual(self.qb("verify", self.out).returncode, 0)
        said = self.qb("compare", "--ignore", "kernel,isa", run, self.out)
        self.assertIn("1 in both", said.stdout)

    def test_gradients_that_are_wrong_are_found(self):
        run = self.qb_run(LENGTHS, (8, 9, 10, 11))
        said = self.sdpa(run, "--out", self.out, "--repeats", "1", "--pass", "backward",
                         faults="9:wrong_d_q,10:wrong_d_k,11:nan_d_v")
        self.assertEqual(said.returncode, 1)
        rows = {int(row["n_tokens"]): row for row in read(self.out)}
        self.assertEqual({n: row["status"] for n, row in rows.items()},
                         {8: "ok", 9: "incorrect", 10: "incorrect", 11: "incorrect"})
        self.assertRegex(rows[9]["message"], "^dQ at .*: error 0.5, ")
        self.assertRegex(rows[10]["message"], "^dK at .*: error 0.5, ")
        self.assertRegex(rows[11]["message"], "^dV at .* is nan: never written, or not a number")
        self.assertEqual({row["wall_time_median_s"] == "" for n, row in rows.items() if n > 8},
                         {True})
        self.assertNotEqual(rows[11]["relative_l2_error"], "")  # of the output, which was right

    def test_the_tolerance_knows_how_often_a_cpu_rounds_a_sum(self):
        cpu = torch_devices.Cpu(None, None)
        row = {"batch": "1", "q_heads": "8", "kv_heads": "4", "kv_len": "1", "head_dim": "64",
               "dtype": "bf16", "mask": "full", "scale": "", "seed": "1", "threads": "1",
               "pass": "backward"}
        roundings = [cpu.sum_roundings(problem_of(row | {"n_tokens": n}))
                     for n in ("32", "33", "192", "768", "4096")]
        self.assertEqual(roundings, [2, 4, 6, 6, 32])

    def test_a_run_is_not_written_over(self):
        words = (self.qb_run(LENGTHS, (8,)), "--out", self.out, "--repeats", "2", "--warmups", "0")
        self.assertEqual(self.sdpa(*words).returncode, 0)
        whole = read(self.out)
        said = self.sdpa(*words)
        self.assertEqual(said.returncode, 2)
        self.assertIn("holds a run already; give another --out", said.stderr)
        self.assertEqual(read(self.out), whole)

    def test_it_takes_turns_with_qb(self):
        said = self.turns()
        self.assertIn(said.returncode, (0, 4), said.stderr)
        with open(self.path("pairs.csv"), encoding="utf-8", newline="") as file:
            pairs = list(csv.DictReader(file))
        self.assertEqual(len(pairs), 2, said.stdout)
        for pair in pairs:  # neither side is a copy of the other
            self.assertNotEqual(pair["a_time_s"], pair["b_time_s"])
            self.assertAlmostEqual(float(pair["ratio"]) * float(pair["a_time_s"]),
                                   float(pair["b_time_s"]))

    def test_a_turn_is_a_run_folder_of_one_case(self):
        said = self.program(TURN, "run", self.turn_spec(), "--quiet", "--out", self.out, "--run-id",
                            "turn", "--set", "measure.repeats=3")
        self.assertEqual(said.returncode, 0, said.stderr)
        [row] = read(os.path.join(self.out, "turns", "turn"))
        self.assertEqual((row["kernel"], row["n_samples"]), ("torch_sdpa", "3"))

    def test_a_turn_that_fails_is_told(self):
        said = self.turns(faults="8:wrong")
        self.assertEqual(said.returncode, 1)
        self.assertIn("B: incorrect: ", said.stdout)
        said = self.turns(torch=self.without_torch())
        self.assertEqual(said.returncode, 1)
        self.assertIn("B: ended with exit code 3: torch_sdpa: PyTorch cannot be imported", said.stdout)
        said = self.turns(faults="8:kill")
        self.assertEqual(said.returncode, 1)
        self.assertIn("B: crashed: its process died of SIGKILL", said.stdout)
        died = self.path("died")
        with open(died, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n[ \"$1\" = run ] && kill -SEGV $$\nexec \"$REAL_QB\" \"$@\"\n")
        os.chmod(died, 0o755)
        with mock.patch.dict(os.environ, QB=died, REAL_QB=QB):
            said = self.turns()
        self.assertEqual(said.returncode, 1)
        self.assertIn("B: ended with exit code 1: torch_sdpa: qb run died of SIGSEGV", said.stdout)

    def test_two_kernels_are_one_case_here(self):
        run = self.qb_run(TWO_KERNELS)
        self.assertEqual(self.sdpa(run, "--out", self.out, "--repeats", "1").returncode, 0)
        self.assertEqual(len(read(self.out)), 1)
        said = self.qb("compare", "--ignore", "kernel", run, self.out)
        self.assertEqual(said.returncode, 2)
        self.assertIn("the same case", said.stderr)

    def as_if_on_a_gpu(self, run, gpu="Fake GPU"):
        """Makes a copy of the run with the columns of device: cuda."""
        write([row | {"device": "cuda", "gpu": gpu, "l2_cache": "flushed"} for row in read(run)],
              run)

    def test_a_backend_of_a_gpu_has_a_kernel_name_and_a_clock_of_its_own(self):
        run = self.qb_run(LENGTHS, (8, 9))
        self.as_if_on_a_gpu(run)
        said = self.sdpa(run, "--out", self.out, "--repeats", "3", "--device", "cuda",
                         "--backend", "efficient")
        self.assertEqual(said.returncode, 0, said.stderr)
        for row in read(self.out):
            self.assertEqual((row["status"], row["kernel"], row["isa"], row["gpu"]),
                             ("ok", "torch_efficient", "torch efficient", "Fake GPU"))
            self.assertEqual(row["device_time_median_s"], "0.00025")
            self.assertEqual(row["sm_clock_median_hz"], "1500000000.0")
        self.assertEqual({s["device_time_s"] for s in read(self.out, "samples.csv")}, {"0.00025"})
        said = self.sdpa(run, "--out", self.path("both"), "--repeats", "3", "--device", "cuda",
                         "--pass", "both")
        self.assertEqual(said.returncode, 0, said.stderr)
        for row in read(self.path("both")):
            self.assertEqual((row["status"], row["kernel"], row["device_time_median_s"]),
                             ("ok", "torch_flash", "0.0005"))

    def test_what_a_backend_or_a_gpu_cannot_is_a_row(self):
        run = self.qb_run(LENGTHS, (8,))
        self.assertEqual(self.sdpa(run, "--out", self.out, "--device", "cuda").returncode, 2)
        self.as_if_on_a_gpu(run)
        said = self.sdpa(run, "--out", self.out, "--device", "cuda", "--backend", "cudnn")
        self.assertEqual(said.returncode, 1)
        self.assertEqual(read(self.out)[0]["status"], "unsupported")
        self.as_if_on_a_gpu(run, gpu="Another GPU")
        said = self.sdpa(run, "--out", self.path("other"), "--device", "cuda")
        row = read(self.path("other"))[0]
        self.assertEqual(row["status"], "error")
        self.assertIn("measured on Another GPU, this is Fake GPU", row["message"])

    def test_without_torch_it_says_so(self):
        run = self.qb_run(LENGTHS, (8,))
        said = self.sdpa(run, "--out", self.out, torch=self.without_torch())
        self.assertEqual(said.returncode, 3)
        self.assertEqual(said.stderr, "torch_sdpa: PyTorch cannot be imported (No module named "
                         "'torch'); install torch, or run this script with a Python that has it\n")
        self.assertFalse(os.path.exists(self.out))

    def test_what_it_cannot_use_is_refused(self):
        self.assertEqual(self.sdpa(self.path("nowhere"), "--out", self.out).returncode, 2)
        run = self.qb_run(LENGTHS, (8,))
        self.assertEqual(self.sdpa(run, "--out", run).returncode, 2)
        self.assertEqual(self.sdpa(run, "--out", self.out, "--repeats", "0").returncode, 2)
        manifest = os.path.join(run, "manifest.json")
        with open(manifest, encoding="utf-8") as file:
            facts = json.load(file)
        facts["environment"]["memory"]["total_bytes"] = 1
        with open(manifest, "w", encoding="utf-8") as file:
            json.dump(facts, file)
        said = self.sdpa(run, "--out", self.out)
        self.assertEqual(said.returncode, 5)
        self.assertIn("measured on another machine", said.stderr)

    def test_the_manifest_says_what_computed_and_where(self):
        run = self.qb_run(LENGTHS, (8,))
        self.sdpa(run, "--out", self.out, "--repeats", "1")
        with open(os.path.join(self.out, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        with open(os.path.join(run, "manifest.json"), encoding="utf-8") as file:
            environment = json.load(file)["environment"]
        self.assertEqual(manifest["environment"]["peer"],
                         {"name": "torch", "version": "0.0-fake", "cpu_capability": "AVX512",
                          "blas": "fakeblas", "omp_wait_policy": os.environ.get("OMP_WAIT_POLICY")})
        for same in ("device_fingerprint", "memory"):
            self.assertEqual(manifest["environment"][same], environment[same])
        self.assertIsNone(manifest["environment"]["build"]["commit"])
        self.assertEqual(manifest["n_cases"], 1)
        self.assertIsNotNone(manifest["finished_at"])


if __name__ == "__main__":
    QB = os.environ["QB"] = os.path.abspath(sys.argv.pop(1))
    sys.dont_write_bytecode = True
    unittest.main()
