#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is the program that `qb ab` starts in PyTorch's turns:

    export QB=build/release/harness/cli/qb
    PATH=build/torch/bin:$PATH qb ab $QB experiments/peers/torch_turn.py experiments/mine.yaml

It takes the words of `qb run` that `qb ab` gives: torch_sdpa.py measures the one case that they
leave, and as many repeats. qb runs that case once before, since it knows its parameters and FLOP.
The numbers are qb's and the ratios PyTorch's time over qb's. Only cases that torch_sdpa.py takes
can be compared: dense, one worker, full or causal. A turn of PyTorch is not marked as disturbed.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

import run_folder
import torch_sdpa


def run(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("run",))
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--run-id", required=True, metavar="NAME")
    words, of_qb = parser.parse_known_args(argv)
    repeats = re.findall(r"\bmeasure\.repeats=(\d+)", " ".join(of_qb))
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run(
            [run_folder.qb_path(), "run", *of_qb, "--out", folder, "--run-id", "qb", "--set",
             "measure.repeats=1", "--set", "measure.warmups=0", "--set", "measure.verify_rows=0"],
            capture_output=True, text=True, check=False)
        sources = glob.glob(os.path.join(folder, "*", "qb"))
        if said.returncode or not sources:
            lines = said.stderr.strip().splitlines() or [
                "qb run " + run_folder.how_it_ended(said.returncode)]
            raise run_folder.Refusal(said.returncode if said.returncode > 0 else 1, lines[-1])
        [source] = sources
        [row, *_] = run_folder.Run(source).rows
        out = os.path.join(words.out, os.path.basename(os.path.dirname(source)), words.run_id)
        return torch_sdpa.run([source, "--out", out, "--device", row["device"], "--warmups", "1",
                               *(["--repeats", repeats[-1]] if repeats else [])])


if __name__ == "__main__":
    torch_sdpa.main(run)
