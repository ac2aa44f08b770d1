#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the flash kernels and PyTorch's backends, cuDNN among them, in turn on one GPU.

    python3 flash_rounds.py QB OUT.csv

Each shape of the targets is timed in rounds: every contestant makes a few calls, and the next round
goes in the reverse order, so that a GPU that slows down slows all of them. The program QB times
flash and flash_sm80, the same by the A100's instructions; this program times PyTorch's backends.
All are warmed up and timed by CUDA events on random data drawn for the shape. Each contestant and
shape has a row: the median over the rounds of the medians of its calls, the least and the most of
them, and its rate over that of flash in the same round. The file is written after each shape.
Without PyTorch its rows say so. The last line that is printed is the rate of a copy on the device,
read and written.

A backward pass is timed by itself, again and again after one forward pass. The gradients of flash
are float32, those of PyTorch have the inputs' type.

QB compares a few rows of each O or dQ with float64 before it times them; a wrong one is
`incorrect`. A kernel that does not end, or that crashes QB, costs its own rows only.

Exit codes: 0 every path of flash was timed at every shape, 1 some were not, 2 usage, 3 no GPU.
"""

import collections
import contextlib
import csv
import os
import select
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "peers"))
# pylint: disable=wrong-import-position
from run_folder import FLOP_OF_PASS
from torch_attention import Attention, problem_of
from torch_devices import Gpu
# pylint: enable=wrong-import-position

Shape = collections.namedtuple("Shape", "passes head_dim mask dtype")
# The first shows whether our forward pass works, and the backward pass comes next.
FORWARD = [Shape("forward", head_dim, mask, dtype) for head_dim in (128, 64)
           for mask in ("full", "causal") for dtype in ("bf16", "f16")]
BACKWARD = [Shape("backward", head_dim, mask, "bf16") for head_dim in (128, 64)
            for mask in ("causal", "full")]
SHAPES = [FORWARD[0], *BACKWARD, *FORWARD[1:]]
N_TOKENS, HEADS = 16384, 16
ROUNDS, WARM_UPS, CALLS = 6, 2, 3
PATIENCE_S = 20.0  # for an answer; the first one waits for CUDA to start
NO_GPU = 3         # the exit code of QB
OURS = "flash"
PATHS = (OURS, "flash_sm80")
OF_TORCH = ("flash", "cudnn", "efficient")
COPIED_BYTES = 1 << 30
COLUMNS = ["kernel", "pass", "head_dim", "mask", "dtype", "n_tokens", "q_heads", "status",
           "message", "unmasked_flop", "device_time_median_s", "device_time_low_s",
           "device_time_high_s", "over_flash", "over_flash_low", "over_flash_high", "rounds"]


class NotTimed(Exception):
    """Says why a contestant has no time at a shape, and the status of its row."""

    def __init__(self, reason, status="unsupported"):
        super().__init__(reason)
        self.status = status


class Bench:
    """QB answers each line with a line. It is started again when it dies; a kernel that does not end
    is not asked again."""

    def __init__(self, program):
        self.path, self.program = program, None
        self.endless, self.last_code = set(), 0

    def seconds(self, kernel, shape, calls):
        asked = kernel, shape.passes
        if asked in self.endless:
            raise NotTimed("it did not come to an end at another shape", "timeout")
        if self.last_code == NO_GPU:
            raise NotTimed("qb finds no GPU")
        try:
            words = self.ask(f"{kernel} {shape.passes} {shape.dtype} {shape.head_dim} {shape.mask} "
                             f"{N_TOKENS} {HEADS} {WARM_UPS} {calls}")
        except NotTimed as reason:
            if reason.status == "timeout":
                self.endless.add(asked)
            raise
        if words[0] != "ok":
            raise NotTimed(" ".join(words[1:]), words[0])
        return [float(word) for word in words[1:]]

    def ask(self, request):
        if self.program is None:
            self.program = subprocess.Popen(  # pylint: disable=consider-using-with
                [self.path, "__flash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        answer, deadline = b"", time.monotonic() + PATIENCE_S
        with contextlib.suppress(BrokenPipeError):  # the end of its output shows the same
            self.program.stdin.write(request.encode() + b"\n")
        while not answer.endswith(b"\n"):
            left_s = max(deadline - time.monotonic(), 0.0)
            if not select.select([self.program.stdout], [], [], left_s)[0]:
                self.program.kill()
                self.close()
                raise NotTimed(f"no answer within {PATIENCE_S:g} s", "timeout")
            piece = os.read(self.program.stdout.fileno(), 65536)
            answer += piece
            if not piece:
                raise NotTimed(f"qb ended with code {self.close()}", "crashed")
        return answer.decode().split()

    def close(self):
        """Ends the program and returns its exit code."""
        if self.program is not None:
            with contextlib.suppress(BrokenPipeError):  # it has ended by itself
                self.program.stdin.close()
            self.program.stdout.close()
            self.last_code = self.program.wait()
            self.program = None
        return self.last_code


class Torch:
    """PyTorch in this process; its tensors are drawn when the shape changes."""

    def __init__(self):
        self.shape, self.calls = None, {}
        try:
            import torch  # pylint: disable=import-outside-toplevel
            self.torch, self.why_not = torch, "" if torch.cuda.is_available() else "no GPU"
        except ImportError as problem:
            self.torch, self.why_not = None, str(problem)

    def seconds(self, backend, shape, calls):
        if self.why_not:
            raise NotTimed(f"PyTorch: {self.why_not}")
        if shape != self.shape:
            self.shape, self.calls = shape, {}
        case = {"batch": 1, "q_heads": HEADS, "kv_heads": HEADS, "n_tokens": N_TOKENS,
                "kv_len": N_TOKENS, "head_dim": shape.head_dim, "dtype": shape.dtype,
                "mask": shape.mask, "scale": "", "seed": 1, "threads": 0, "pass": shape.passes}
        try:
            gpu = Gpu(self.torch, dict.fromkeys(("gpu", "memory_budget_bytes", "l2_cache")), backend)
            with self.torch.inference_mode(shape.passes == "forward"), gpu.chosen_backend():
                if backend not in self.calls:
                    attention = Attention(self.torch, problem_of(case), gpu)
                    [self.calls[backend]] = attention.calls()
                return self.timed(lambda: self.calls[backend](None), calls)
        except RuntimeError as problem:
            raise NotTimed(" ".join(str(problem).split())) from problem

    def timed(self, call, calls):
        cuda = self.torch.cuda
        for _ in range(WARM_UPS):
            call()
        events = []
        for _ in range(calls):
            begin, end = (cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            events.append((begin, end))
        cuda.synchronize()
        return [begin.elapsed_time(end) * 1e-3 for begin, end in events]

    def copy_rate(self):
        """Returns the bytes a second that a copy on the device reads and writes."""
        there, here = (self.torch.empty(COPIED_BYTES, dtype=self.torch.uint8, device="cuda")
                       for _ in range(2))
        return 2 * COPIED_BYTES / statistics.median(self.timed(lambda: here.copy_(there), 11))


def measure(contestants, shape):
    """Returns {name: median seconds of each round} and {name: NotTimed of one without times}."""
    rounds, reasons = {name: [] for name in contestants}, {}
    for index in range(ROUNDS):
        for name in list(contestants)[:: -1 if index % 2 else 1]:
            if name in reasons:
                continue
            try:
                rounds[name].append(statistics.median(contestants[name](shape, CALLS)))
            except NotTimed as reason:
                reasons[name] = reason
    return rounds, reasons


def flop_of(shape):
    """Returns 4 · pairs · heads · d for a forward pass, where pairs are the unmasked ones."""
    pairs = N_TOKENS * (N_TOKENS + 1) // 2 if shape.mask == "causal" else N_TOKENS**2
    return int(FLOP_OF_PASS[shape.passes]) * pairs * HEADS * shape.head_dim


def row_of(name, shape, seconds, ours, reason):
    row = {"kernel": name, "pass": shape.passes, "head_dim": shape.head_dim, "mask": shape.mask,
           "dtype": shape.dtype, "n_tokens": N_TOKENS, "q_heads": HEADS,
           "status": reason.status if reason else "ok", "message": str(reason or "")}
    if reason:
        return row
    row |= {"unmasked_flop": flop_of(shape), "device_time_median_s": statistics.median(seconds),
            "device_time_low_s": min(seconds), "device_time_high_s": max(seconds),
            "rounds": len(seconds)}
    ratios = [a / b for a, b in zip(ours, seconds)]  # ratios of rates, round by round
    if ratios:
        row |= {"over_flash": statistics.median(ratios), "over_flash_low": min(ratios),
                "over_flash_high": max(ratios)}
    return row


def write(path, rows):
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(path + ".new", path)


def show(row):
    shape = f"{row['pass']} d={row['head_dim']} {row['mask']} {row['dtype']}".ljust(28)
    if row["status"] != "ok":
        return f"{shape} {row['kernel']:<19} {row['status']}: {row['message']}"
    rate = row["unmasked_flop"] / row["device_time_median_s"] / 1e12
    text = f"{shape} {row['kernel']:<19} {rate:6.1f} TFLOP/s"
    if "over_flash" in row:
        text += (f"  {row['over_flash']:.3f} x flash "
                 f"[{row['over_flash_low']:.3f}, {row['over_flash_high']:.3f}]")
    return text


def main(argv):
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    bench, torch = Bench(argv[0]), Torch()
    contestants = {name: lambda shape, calls, n=name: bench.seconds(n, shape, calls)
                   for name in PATHS}
    contestants |= {"torch_" + name: lambda shape, calls, n=name: torch.seconds(n, shape, calls)
                    for name in OF_TORCH}
    rows = []
    write(argv[1], rows)  # removes the rows of an earlier run
    for shape in SHAPES:
        seconds, reasons = measure(contestants, shape)
        for name in contestants:
            rows.append(row_of(name, shape, seconds[name], seconds[OURS],
                               reasons.get(name)))
            print(show(rows[-1]), flush=True)
        write(argv[1], rows)
    if bench.close() == NO_GPU:
        return 3
    if not torch.why_not:
        print(f"copy {torch.copy_rate() / 1e9:.0f} GB/s")
    return 0 if all(row["status"] == "ok" for row in rows if row["kernel"] in PATHS) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
