# SPDX-License-Identifier: Apache-2.0
"""For tests only: a kit whose programs are small scripts, on a machine with a pretended GPU."""

import contextlib
import csv
import io
import json
import os
import shutil
import signal
import tempfile
import unittest
from unittest import mock

import acceptance
import acceptance_place
import acceptance_run
import acceptance_steps

HERE = os.path.dirname(os.path.abspath(__file__))

# Records how it was called; NAME.code beside it is its exit code, NAME.sleep a wait before that.
HEAD = """#!/bin/bash
here=$(dirname -- "$0") name=$(basename -- "$0")
echo "$name $*" >>"$here/calls"
wait_s() { [ ! -f "$here/$1.sleep" ] || { sleep "$(cat "$here/$1.sleep")" & wait $!; }; }
leave() { [ ! -f "$here/$1.code" ] || exit "$(cat "$here/$1.code")"; exit 0; }
"""

# Each spec has three cases; a run goes on with the rows that it has. The files .code and .sleep
# have the spec's name in place of the program's; .sleep is a wait before each case.
QB = HEAD + """
if [ "$1" = env ]; then echo "cuda devices"; leave env; fi
if [ "$2" = --dry-run ]; then
  [ ! -f "$here/wrong_spec" ] || { echo "qb: $3:1: unknown key" >&2; exit 2; }
  echo "x: 3 cases, nothing written"; exit 0
fi
spec=$2 out=$4 run=$6
name=$(basename -- "$spec" .yaml)
[[ $run != .* ]] || { echo "qb: --run-id $run: use letters" >&2; exit 2; }
folder=$out/$(sed -n 's/^experiment: //p' "$spec")/$run
mkdir -p "$folder"
trap 'echo terminated; exit 130' TERM
[ -f "$folder/cases.csv" ] || echo "case_id,status,kernel,duration_s,batch,\\
mask,active_memory_peak_bytes,predicted_active_peak_bytes" | tr -d '\\n\\\\' >"$folder/cases.csv"
[ "$(wc -l <"$folder/cases.csv")" != 0 ] || echo >>"$folder/cases.csv"
for ((n = $(wc -l <"$folder/cases.csv"); n <= 3; n++)); do
  wait_s "$name"
  echo "$n,ok,flash,2.5,$n,causal,8,8" >>"$folder/cases.csv"
done
echo '{"finished_at": "now"}' >"$folder/manifest.json"
leave "$name"
"""

# NAME.out beside it is what the tests write; without it, one test runs. NAME.sleep comes after the
# beginning of that test.
TESTS = HEAD + """
echo "shard $GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS" >>"$here/calls"
if [ -f "$here/$name.out" ]; then cat "$here/$name.out"; wait_s "$name"; leave "$name"; fi
echo "[ RUN      ] A.b"
wait_s "$name"
echo "[       OK ] A.b (3 ms)"
leave "$name"
"""

BENCH = HEAD + """
while read -r line; do echo "ok 0.005 0.005 0.005"; done
"""
CHECKER = HEAD + """
while [[ $1 == --* ]]; do shift; case $1 in memcheck | racecheck | 9) shift ;; esac; done
exec "$@"
"""
DRIVER = HEAD + """
echo NVIDIA H200
"""
NO_PROGRAM = HEAD + """
wait_s "$name"
leave "$name"
"""
SCRIPT = """import os, sys
sys.exit(os.spawnv(os.P_WAIT, "{program}", ["{name}", *sys.argv[1:]]))
"""
NO_TORCH = 'raise ImportError("this torch is none")\n'


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


class FakeKit:
    """kit/ is as `qb kit` unpacks it; tools/ goes into PATH, torch/ into Python's path."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "kit")
        self.bin, self.tools = os.path.join(self.root, "bin"), os.path.join(folder, "tools")
        self.torch = os.path.join(folder, "torch")
        self.gpu = os.path.join(self.root, "experiments", "gpu")
        shutil.copytree(HERE, self.gpu, ignore=shutil.ignore_patterns("__pycache__"))
        self.commit_as("abc")
        for name in ("flash_work", "kernels", "execute", "workload", "experiment"):
            self.program(f"qb_{name}_test", TESTS)
        self.program("qb", QB)
        self.program("flash_bench", BENCH)
        for name in ("torch_sdpa", "copy_bandwidth"):
            self.program(name, NO_PROGRAM)
            where = "peers" if name == "torch_sdpa" else "gpu"
            write(os.path.join(self.root, "experiments", where, name + ".py"),
                  SCRIPT.format(program=os.path.join(self.bin, name), name=name))
        shutil.copy(os.path.join(HERE, "..", "peers", "torch_devices.py"),
                    os.path.join(self.root, "experiments", "peers"))
        shutil.copy(os.path.join(HERE, "..", "peers", "run_folder.py"),
                    os.path.join(self.root, "experiments", "peers"))
        write(os.path.join(self.torch, "torch.py"), NO_TORCH)
        for name, text in (("nvidia-smi", DRIVER), ("compute-sanitizer", CHECKER)):
            write(os.path.join(self.tools, name), text, 0o755)
        for name in ("bash", "dirname", "basename", "sed", "mkdir", "wc", "tr", "sleep", "cp",
                     "cat", "zstd"):
            if shutil.which(name):
                os.symlink(shutil.which(name), os.path.join(self.tools, name))

    def program(self, name, text):
        write(os.path.join(self.bin, name), text, 0o755)

    def commit_as(self, commit, modified=False):
        write(os.path.join(self.root, "manifest.json"),
              json.dumps({"commit": commit, "modified": modified}))

    def set(self, name, value):
        """Writes a file that the programs read: `qb_execute_test.sleep`, 3; None removes it."""
        path = os.path.join(self.bin, name)
        if value is None:
            os.remove(path)
        else:
            write(path, str(value))

    def calls(self, start=""):
        with open(os.path.join(self.bin, "calls"), encoding="utf-8") as file:
            return [line.strip() for line in file if line.startswith(start)]

    def forget_calls(self):
        write(os.path.join(self.bin, "calls"), "")


class OnFakes(unittest.TestCase):
    """Tests run in a kit of scripts, with short times."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.kit = FakeKit(scratch.name)
        self.out = os.path.join(scratch.name, "h200")
        self.environment = dict(os.environ, PATH=self.kit.tools, PYTHONPATH=self.kit.torch,
                                PYTHONDONTWRITEBYTECODE="1")
        self.patch(mock.patch.dict(os.environ, self.environment))
        # These modules then believe that they lie in the kit.
        self.patch(mock.patch.object(acceptance_place, "HERE", self.kit.gpu))
        self.patch(mock.patch.dict(acceptance.RESERVE_S, quick=0.1, long=0.1))
        for module in (acceptance, acceptance_run):
            self.patch(mock.patch.object(module, "LEAST_S", 0.05))

    def patch(self, patcher):
        patcher.start()
        self.addCleanup(patcher.stop)

    def budgets(self, **seconds):
        """Sets the budgets of the tests of these binaries."""
        known = acceptance_steps.GPU_TESTS
        self.patch(mock.patch.dict(known, {name: (known[name][0], budget_s)
                                           for name, budget_s in seconds.items()}))

    def run_stage(self, stage, *words):
        """Returns exit code, stdout and stderr."""
        out, err = io.StringIO(), io.StringIO()
        handlers = [signal.getsignal(which) for which in (signal.SIGINT, signal.SIGTERM)]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = acceptance.main(["--stage", stage, "--out", self.out, *words])
        finally:
            for which, handler in zip((signal.SIGINT, signal.SIGTERM), handlers):
                signal.signal(which, handler)
        return code, out.getvalue(), err.getvalue()

    def results(self):
        with open(os.path.join(self.out, "results.json"), encoding="utf-8") as file:
            return json.load(file)

    def states(self, stage):
        return {step["name"]: step["state"] for step in self.results()["steps"]
                if step["stage"] == stage}

    def rows(self, run):
        with open(os.path.join(self.out, run, "cases.csv"), encoding="utf-8") as file:
            return [row["case_id"] for row in csv.DictReader(file)]
