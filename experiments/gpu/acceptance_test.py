# SPDX-License-Identifier: Apache-2.0
"""Tests acceptance.sh without a GPU, with scripts as programs: python3 acceptance_test.py QB"""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
QB = ""

# All programs. NAME.code beside them is an exit code and NAME.sleep a wait, of a program or a spec;
# NAME.table is what `qb table` prints.
FAKE = """#!/bin/bash
here=$(dirname "$0") name=$(basename "$0")
[ "$name" != python3 ] || name=$(basename "$1" .py)
echo "$name $*" >>"$here/calls"
case "$name $1" in
  "qb run") name=$(basename "$2" .yaml) ;;
  "qb verify") name=verify; echo "checked $(basename "$2")" ;;
  "qb table") cat "$here/$(basename "$2").table" ;;
  nvidia-smi*) echo "NVIDIA H200" ;;
  qb_*_test*) echo "[       OK ] A.b (3 ms)" ;;
  flash_rounds*) cp "$here/rounds" "$3"; echo "copy 4000 GB/s" ;;
esac
if [ -e "$here/$name.sleep" ]; then sleep "$(cat "$here/$name.sleep")"; fi
exit "$(cat "$here/$name.code" 2>/dev/null || echo 0)"
"""
PROGRAMS = ("qb", "nvidia-smi", "compute-sanitizer", "python3", "qb_flash_work_test",
            "qb_kernels_test", "qb_run_test", "qb_workload_test", "qb_experiment_test")
CQS = "".join(f"{n},dense,1,1.0\n{n},cqs,7,1.05\n{n},cqs,31,1.05\n" for n in (8192, 65536))
TABLES = {"cqs.table": "n,algorithm,w,t\n" + CQS, "decode.table": "b,n,t\n1,1000000,0.00125\n",
          "bert_layer.table": "mask,p,m\nfull,8,8\n",
          "bert_layer_sparse.table": 'mask,p,m\n"{a: 1, b: 2}",8,8\n'}


class Acceptance(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.bin, self.kit = scratch.name + "/bin", scratch.name + "/kit"
        self.out = self.kit + "/results/h200"
        os.mkdir(self.bin)
        shutil.copytree(HERE, self.kit + "/experiments/gpu")
        self.write(self.kit + "/manifest.json", '  "commit": "abc",\n')
        for name, text in (dict.fromkeys(PROGRAMS, FAKE) | TABLES).items():
            self.write(name, text)
        self.rounds()
        self.command = ["bash", self.kit + "/experiments/gpu/acceptance.sh"]
        self.environment = dict(os.environ, PATH=self.bin + ":/usr/bin:/bin")

    def write(self, name, text):
        with open(os.path.join(self.bin, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(self.bin, name), 0o755)

    def rounds(self, seconds=1.0, status="ok", over_flash=1.01):
        """Each contestant does 720 TFLOP in this time."""
        self.write("rounds", "".join(
            f"{kernel},{way},{d},{mask},{dtype},16384,16,{status if kernel == 'flash' else 'ok'},,"
            f"720e12,{seconds},,,{over_flash}\n" for way in ("forward", "backward")
            for d in (64, 128) for mask in ("full", "causal") for dtype in ("bf16", "f16")
            for kernel in ("flash", "flash_sm80", "torch_cudnn", "torch_flash")))

    def run_it(self, *words):
        """Returns exit code, verdict and text of each row, and stderr."""
        done = subprocess.run([*self.command, *words], capture_output=True, text=True, check=False,
                              env=self.environment)
        found = re.findall(r"^(pass|miss|not run) +(\S.*?)(?:  +(.*))?$", done.stdout, re.M)
        rows = {what: (verdict, text) for verdict, what, text in found}
        return done.returncode, rows, done.stderr

    def specs_run(self):
        with open(self.bin + "/calls", encoding="utf-8") as file:
            return re.findall(r"^qb run \S*/(\w+\.yaml) ", file.read(), re.M)

    def test_all_passes_is_packed_and_is_not_repeated(self):
        code, rows, err = self.run_it()
        self.assertEqual((code, {verdict for verdict, _ in rows.values()}), (0, {"pass"}), err)
        self.assertEqual(len(rows), 25 + 8 * 2 + 1 + 4 + 1 + 2)  # steps, and gates
        for what, text in (("run.decode", "checked decode"), ("tests.kernels", "1 passed, 0"),
                           ("flash forward d=128 full >= 700 TFLOP/s", "720"),
                           ("decode over a copy's rate >= 0.8 x", "0.8192")):
            self.assertIn(text, rows[what][1])
        specs = sorted(name for name in os.listdir(HERE) if name.endswith(".yaml"))
        self.assertEqual(sorted(self.specs_run()), specs)
        packed = subprocess.check_output(["tar", "-tzf", self.out + ".tar.gz"], text=True)
        self.assertIn("h200/verdict.txt\n", packed)
        self.assertNotIn(".runs", packed)
        self.assertEqual((self.run_it()[0], len(self.specs_run())), (0, len(specs)))
        self.run_it("--only", "run.decode")
        self.assertEqual(self.specs_run()[len(specs):], ["decode.yaml"])

    def test_a_gate_that_is_missed_or_has_a_failed_cell_misses(self):
        self.rounds(seconds=1.2, over_flash=1.2)
        self.write("cqs.table", TABLES["cqs.table"].replace("7,1.05", "7,"))
        code, rows, _ = self.run_it()
        self.assertEqual(code, 4)
        for what, row in (("flash forward d=128 full >= 700 TFLOP/s", ("miss", "600")),
                          ("flash forward d=64 full >= 450 TFLOP/s", ("pass", "600")),
                          ("flash over the fastest peer, forward d=64 full >= 0.95 x",
                           ("miss", "0.833333")),
                          ("CQS of 7 workers over dense, N=8192 <= 1.5 x", ("miss", "failed")),
                          ("CQS of 31 workers over dense, N=8192 <= 1.5 x", ("pass", "1.05"))):
            self.assertEqual(rows[what], row)
        self.rounds(status="incorrect")
        rows = self.run_it("--only", "flash_rounds")[1]
        self.assertEqual(rows["flash forward d=64 full >= 450 TFLOP/s"], ("miss", "incorrect"))

    def test_what_fails_is_not_verified_or_skips_all_its_tests_misses_and_stops_nothing(self):
        for name, code in (("qb_kernels_test", 1), ("verify", 4), ("attention", 2)):
            self.write(name + ".code", str(code))
        self.write("qb_workload_test", "#!/bin/sh\necho '[  SKIPPED ] A.b (0 ms)'\n")
        os.remove(self.bin + "/compute-sanitizer")
        code, rows, _ = self.run_it()
        self.assertEqual(code, 4)
        for name, verdict in (("tests.kernels", "miss"), ("tests.workload", "miss"),
                              ("tests.experiment", "pass"), ("memcheck", "not run"),
                              ("run.decode", "miss"), ("run.attention", "not run")):
            self.assertEqual(rows[name][0], verdict)

    def test_what_cannot_start_is_a_sentence(self):
        self.run_it("--only", "environment")
        self.write(self.kit + "/manifest.json", '  "commit": "def",\n')
        for words, wanted, sentence in (((), 2, 'holds results of NVIDIA H200, commit "abc"'),
                                        (("--minutes", "x"), 2, "write a number"),
                                        (("--only",), 2, "--only needs a value"),
                                        (("--stage",), 2, "unknown word --stage; try --help")):
            code, _, err = self.run_it(*words)
            self.assertEqual((code, err.count("\n")), (wanted, 1), err)
            self.assertIn(sentence, err)
        os.remove(self.bin + "/nvidia-smi")
        code, _, err = self.run_it()
        self.assertEqual((code, err.count("\n")), (3, 1))
        self.assertIn("no GPU: nvidia-smi is not here, or names none", err)

    def test_at_the_end_of_its_time_it_says_what_has_not_run_and_goes_on_there(self):
        self.write("cqs.sleep", "30")
        code, rows, _ = self.run_it("--minutes", "0.05", "--only", "run.")
        self.assertEqual((code, rows["run.cqs"], rows["run.decode"]),
                         (1, *[("not run", "it was stopped; the same command goes on")] * 2))
        self.assertTrue(os.path.exists(self.out + ".tar.gz"))
        self.write("cqs.sleep", "0")
        self.assertEqual(self.run_it()[0], 0)

    def test_an_interrupted_call_keeps_what_there_is(self):
        self.write("decode.sleep", "30")
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, env=self.environment) as child:
            while not glob.glob(self.out + "/logs/run.decode.log"):
                time.sleep(0.05)
            child.send_signal(signal.SIGTERM)
            out = child.communicate(timeout=30)[0]
        self.assertEqual(child.returncode, 130, out)
        self.assertRegex(out, "(?m)^pass +run.cqs .*\n^not run +run.decode ")

    def test_the_gates_read_what_qb_wrote_on_an_h200(self):
        self.write("qb", f'#!/bin/sh\nexec "{QB}" "$@"\n')
        shutil.copytree(os.path.join(ROOT, "data/measured/h200"), self.out)
        os.mkdir(self.out + "/logs")
        self.write(self.out + "/logs/flash_rounds.log", "copy 4257 GB/s\n")
        runs = [name.removesuffix(".table") for name in TABLES]
        for name in runs:
            os.rename(f"{self.out}/gpu_{name}", f"{self.out}/{name}")
        self.write(self.out + "/steps", "\tpass\t\nrun.".join(["flash_rounds", *runs, ""]))
        rows = self.run_it("--only", "none")[1]
        for what, verdict, number in (
                ("flash backward d=128 causal >= 560 TFLOP/s", "miss", "451.9"),
                ("flash over the fastest peer, forward d=64 causal >= 0.95 x", "pass", "1.1"),
                ("CQS of 7 workers over dense, N=65536 <= 1.1 x", "pass", "1.04"),
                ("decode over a copy's rate >= 0.8 x", "pass", "0.88"),
                ("bert_layer_sparse, peak memory as predicted == 1", "pass", "1")):
            self.assertEqual((rows[what][0], rows[what][1][:len(number)]), (verdict, number))


class Here(unittest.TestCase):
    def test_the_dry_run_checks_every_spec_and_needs_no_gpu(self):
        said = subprocess.check_output(["bash", HERE + "/acceptance.sh", "--dry-run"], text=True,
                                       env={"PATH": os.path.dirname(QB) + ":/usr/bin:/bin"})
        self.assertIn("qb run " + os.path.join(HERE, "decode.yaml"), said)

    def test_tests_that_need_a_gpu_are_in_programs_and_suites_that_the_script_runs(self):
        for path in glob.glob(os.path.join(ROOT, "[bhk]*", "**", "*_test.cpp"), recursive=True):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            suites = re.findall(r"^TEST(?:_F)?\((\w*(?:OnGpu|Cuda)\w*|Gpu\w*),", text, re.MULTILINE)
            if re.search(r"\b(open_cuda_device|probe_cuda)\(", text):
                self.assertTrue(suites, path)
            if suites:
                self.assertRegex(path, "/(kernels|harness/(run|workload|experiment))/")


if __name__ == "__main__":
    QB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
