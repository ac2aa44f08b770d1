"""flash_rounds.py over a fake flash_bench and a fake torch: python3 flash_rounds_test.py"""

import contextlib
import csv
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

# Answers each request with times that grow from round to round, and writes down who was asked.
FAKE_BENCH = """#!{python}
import sys
assert sys.argv[1:] == ["--serve"]
speed = {{"flash": 2.0, "flash_sm80": 4.0, "cudnn": 1.0}}
asked = 0
for line in sys.stdin:
    kernel, dtype, d, mask, n, heads, warm_ups, calls = line.split()
    asked += 1
    with open("{log}", "a") as log:
        log.write(f"{{kernel}} d={{d}} {{mask}} {{dtype}}\\n")
    if asked > {most}:
        sys.exit(3)
    if kernel == "cudnn" and d == "64":
        print("unsupported cuDNN takes no 64 today")
    else:
        drift = 1.0 + 0.01 * asked
        print("ok 1e9", *(str(speed[kernel] * drift)) .split() * int(calls))
    sys.stdout.flush()
"""


class FlashRounds(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.out = os.path.join(self.folder, "flash_rounds.csv")
        # Small enough for a torch of plain Python.
        for name, value in (("N_TOKENS", 4), ("HEADS", 1)):
            self.addCleanup(setattr, flash_rounds, name, getattr(flash_rounds, name))
            setattr(flash_rounds, name, value)
        self.addCleanup(sys.modules.pop, "torch", None)

    def run_with(self, torch=True, most=10**6):
        bench = os.path.join(self.folder, "flash_bench")
        with open(bench, "w", encoding="utf-8") as file:
            file.write(FAKE_BENCH.format(python=sys.executable, most=most,
                                         log=os.path.join(self.folder, "log")))
        os.chmod(bench, 0o755)
        sys.modules.pop("torch", None)
        if torch:
            sys.path.insert(0, FAKE_TORCH)
            self.addCleanup(sys.path.remove, FAKE_TORCH)
        else:
            sys.modules["torch"] = None  # an import of it fails
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = flash_rounds.main([bench, self.out])
        with open(self.out, encoding="utf-8", newline="") as file:
            return code, list(csv.DictReader(file)), printed.getvalue()

    @staticmethod
    def row(rows, kernel, head_dim="128", mask="full", dtype="bf16"):
        return next(row for row in rows if (row["kernel"], row["head_dim"], row["mask"],
                                            row["dtype"]) == (kernel, head_dim, mask, dtype))

    def test_has_a_row_of_every_contestant_at_every_shape(self):
        code, rows, printed = self.run_with()
        self.assertEqual(code, 0)
        self.assertEqual(len(rows), 6 * 8)
        ours = self.row(rows, "flash")
        self.assertEqual([ours[name] for name in ("status", "unmasked_flop", "over_flash",
                                                  "rounds")],
                         ["ok", "1000000000.0", "1.0", "6"])
        self.assertLess(float(ours["device_time_low_s"]), float(ours["device_time_median_s"]))
        self.assertIn("d=128 full bf16", printed)
        torch = self.row(rows, "torch_flash")
        self.assertEqual((torch["status"], torch["device_time_median_s"]), ("ok", "0.00025"))

    def test_a_ratio_is_of_the_same_round_with_its_spread(self):
        rows = self.run_with()[1]
        cudnn = self.row(rows, "cudnn")
        # Twice as fast, but for the drift between their turns.
        self.assertAlmostEqual(float(cudnn["over_flash"]), 2.0, delta=0.1)
        self.assertLess(float(cudnn["over_flash_low"]), float(cudnn["over_flash"]))
        self.assertLess(float(cudnn["over_flash"]), float(cudnn["over_flash_high"]))

    def test_the_rounds_go_one_way_and_then_the_other(self):
        self.run_with()
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            asked = [line.split()[0] for line in file if "d=128 full bf16" in line]
        there = ["flash", "flash_sm80", "cudnn"]
        self.assertEqual(asked, (there + there[::-1]) * 3)

    def test_what_a_contestant_cannot_is_a_row_with_its_reason(self):
        code, rows, _ = self.run_with()
        self.assertEqual(code, 0)
        self.assertEqual(self.row(rows, "cudnn", "64")["message"], "cuDNN takes no 64 today")
        self.assertIn("No available kernel", self.row(rows, "torch_cudnn")["message"])

    def test_without_torch_its_rows_say_so(self):
        code, rows, _ = self.run_with(torch=False)
        self.assertEqual(code, 0)
        self.assertEqual(self.row(rows, "flash")["status"], "ok")
        self.assertIn("PyTorch: ", self.row(rows, "torch_flash")["message"])

    def test_a_benchmark_that_ends_leaves_what_there_is(self):
        code, rows, _ = self.run_with(most=20)  # in the second shape
        self.assertEqual(code, 3)
        self.assertEqual(self.row(rows, "flash")["status"], "ok")
        self.assertIn("flash_bench", self.row(rows, "flash", mask="causal")["message"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
