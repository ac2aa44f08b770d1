# SPDX-License-Identifier: Apache-2.0
"""Tests flash_rounds.py over a fake qb and a fake torch: python3 flash_rounds_test.py"""

import ast
import contextlib
import csv
import glob
import io
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FAKE_TORCH = os.path.join(HERE, "..", "peers", "fake_torch")
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import flash_rounds  # pylint: disable=wrong-import-position

# It answers each request with times that grow from round to round, and records who was asked.
FAKE_BENCH = """#!{python}
import sys, time
assert sys.argv[1:] == ["__flash"]
speed = {{"flash": 2.0, "flash_sm80": 4.0}}
asked = 0
for line in sys.stdin:
    kernel, passes, dtype, d, mask, n, heads, warm_ups, calls = line.split()
    asked += 1
    with open("{log}", "a") as log:
        log.write(f"{{kernel}} {{passes}} d={{d}} {{mask}} {{dtype}}\\n")
    case = (kernel, d, mask, dtype) if passes == "forward" else None
    if case == ("flash_sm80", "128", "causal", "bf16") and "{faults}" == "endless":
        time.sleep(60)
    if case == ("flash", "128", "causal", "bf16") and "{faults}" == "crash":
        sys.exit(9)
    if "{faults}" == "none":
        sys.exit(3)
    if case == ("flash", "128", "causal", "bf16") and "{faults}" == "wrong":
        print("incorrect the output of query 0 is off by 1, tolerance 0.1", flush=True)
        continue
    if kernel == "flash_sm80" and d == "64" and "{faults}" == "lacks":
        print("unsupported the A100 takes no 64 today")
    else:
        drift = 1.0 + 0.01 * asked
        print("ok", *(str(speed[kernel] * drift)) .split() * int(calls))
    sys.stdout.flush()
"""


class FlashRounds(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.out = os.path.join(self.folder, "flash_rounds.csv")
        # These sizes are small enough for a torch of plain Python.
        for name, value in (("N_TOKENS", 4), ("HEADS", 1), ("WARM_UPS", 0), ("CALLS", 1)):
            self.addCleanup(setattr, flash_rounds, name, getattr(flash_rounds, name))
            setattr(flash_rounds, name, value)
        self.addCleanup(sys.modules.pop, "torch", None)

    def run_with(self, torch=True, faults=""):
        bench = os.path.join(self.folder, "qb")
        with open(bench, "w", encoding="utf-8") as file:
            file.write(FAKE_BENCH.format(python=sys.executable, faults=faults,
                                         log=os.path.join(self.folder, "log")))
        os.chmod(bench, 0o755)
        sys.modules.pop("torch", None)
        if torch:
            sys.path.insert(0, FAKE_TORCH)
            self.addCleanup(sys.path.remove, FAKE_TORCH)
        else:
            sys.modules["torch"] = None  # an import of torch now fails
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = flash_rounds.main([bench, self.out])
        with open(self.out, encoding="utf-8", newline="") as file:
            return code, list(csv.DictReader(file)), printed.getvalue()

    @staticmethod
    def row(rows, kernel, head_dim="128", mask="full", dtype="bf16", passes="forward"):
        wanted = {"kernel": kernel, "pass": passes, "head_dim": head_dim, "mask": mask,
                  "dtype": dtype}
        return next(row for row in rows if wanted.items() <= row.items())

    def test_has_a_row_of_every_contestant_at_every_shape(self):
        code, rows, printed = self.run_with()
        self.assertEqual(code, 0)
        self.assertEqual(len(rows), 5 * 12)
        ours = self.row(rows, "flash")
        self.assertEqual([ours[name] for name in ("status", "unmasked_flop", "over_flash",
                                                  "rounds")],
                         ["ok", str(4 * 4 * 4 * 128), "1.0", "6"])
        self.assertLess(float(ours["device_time_low_s"]), float(ours["device_time_median_s"]))
        self.assertIn("forward d=128 full bf16", printed)
        self.assertRegex(printed, r"\ncopy \d+ GB/s\n$")
        torch = self.row(rows, "torch_flash")
        self.assertEqual((torch["status"], torch["device_time_median_s"]), ("ok", "0.00025"))
        self.assertEqual(self.row(rows, "flash", mask="causal")["unmasked_flop"],
                         str(4 * 10 * 128))

    def test_the_backward_pass_comes_after_the_first_shape(self):
        code, rows, _ = self.run_with()
        self.assertEqual(code, 0)
        self.assertEqual([row["pass"] for row in rows[:25:5]], ["forward"] + ["backward"] * 4)
        for kernel in ("flash", "flash_sm80", "torch_flash"):
            row = self.row(rows, kernel, mask="causal", passes="backward")
            self.assertEqual((row["status"], row["unmasked_flop"]), ("ok", str(10 * 10 * 128)))

    def test_a_ratio_is_of_the_same_round_with_its_spread(self):
        rows = self.run_with()[1]
        other = self.row(rows, "flash_sm80")
        # It takes twice as long, apart from the drift between their turns.
        self.assertAlmostEqual(float(other["over_flash"]), 0.5, delta=0.05)
        self.assertLess(float(other["over_flash_low"]), float(other["over_flash"]))
        self.assertLess(float(other["over_flash"]), float(other["over_flash_high"]))

    def test_the_rounds_go_one_way_and_then_the_other(self):
        self.run_with()
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            asked = [line.split()[0] for line in file if "forward d=128 full bf16" in line]
        there = ["flash", "flash_sm80"]
        self.assertEqual(asked, (there + there[::-1]) * 3)

    def test_what_a_contestant_cannot_is_a_row_with_its_reason(self):
        code, rows, _ = self.run_with(faults="lacks")
        self.assertEqual(code, 1)
        self.assertEqual(self.row(rows, "flash_sm80", "64")["message"],
                         "the A100 takes no 64 today")
        self.assertIn("No available kernel", self.row(rows, "torch_cudnn")["message"])

    def test_without_torch_its_rows_say_so(self):
        code, rows, _ = self.run_with(torch=False)
        self.assertEqual(code, 0)
        self.assertEqual(self.row(rows, "flash")["status"], "ok")
        self.assertIn("PyTorch: ", self.row(rows, "torch_flash")["message"])

    def test_without_a_gpu_it_says_so_once(self):
        code, rows, _ = self.run_with(faults="none")
        self.assertEqual(code, 3)
        self.assertIn("no GPU", self.row(rows, "flash", mask="causal")["message"])
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1)

    def test_a_kernel_that_brings_it_down_costs_its_own_row(self):
        code, rows, _ = self.run_with(faults="crash")
        self.assertEqual(code, 1)
        row = self.row(rows, "flash", mask="causal")
        self.assertEqual((row["status"], row["message"]),
                         ("crashed", "qb ended with code 9"))
        for others in (("flash_sm80", "causal"), ("torch_flash", "causal"), ("flash", "full")):
            self.assertEqual(self.row(rows, others[0], mask=others[1])["status"], "ok")
        self.assertEqual(self.row(rows, "flash", "64", "causal")["status"], "ok")

    def test_a_kernel_that_does_not_end_is_not_asked_again(self):
        self.addCleanup(setattr, flash_rounds, "PATIENCE_S", flash_rounds.PATIENCE_S)
        flash_rounds.PATIENCE_S = 1.0
        code, rows, _ = self.run_with(faults="endless")
        self.assertEqual(code, 1)
        self.assertEqual(self.row(rows, "flash_sm80", mask="causal")["message"],
                         "no answer within 1 s")
        self.assertEqual(self.row(rows, "flash_sm80", "64")["status"], "timeout")
        self.assertEqual(self.row(rows, "flash", mask="causal")["status"], "ok")
        self.assertEqual(self.row(rows, "flash_sm80")["status"], "ok")

    def test_an_output_that_is_wrong_has_no_rate(self):
        code, rows, _ = self.run_with(faults="wrong")
        self.assertEqual(code, 1)
        row = self.row(rows, "flash", mask="causal")
        self.assertEqual((row["status"], row["device_time_median_s"]), ("incorrect", ""))
        self.assertIn("query 0 is off by 1", row["message"])

    def test_no_script_of_a_kit_needs_a_python_newer_than_3_10(self):
        for path in glob.glob(os.path.join(HERE, "..", "**", "*.py"), recursive=True):
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read(), path, feature_version=(3, 10))
            words = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
            self.assertNotIn("process_group", words, path)  # of subprocess, since 3.11


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
