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
import os
import re
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
        source = run_folder.run_once(of_qb, folder)
        [row, *_] = source.rows
        out = os.path.join(words.out, os.path.basename(os.path.dirname(source.path)), words.run_id)
        return torch_sdpa.run([source.path, "--out", out, "--device", row["device"], "--warmups", "1",
                               *(["--repeats", repeats[-1]] if repeats else [])])


if __name__ == "__main__":
    torch_sdpa.main(run)
