#!/usr/bin/env python3
"""Measures PyTorch's scaled_dot_product_attention at the cases of a qb run, on the CPU or a GPU.

    python3 experiments/peers/torch_sdpa.py results/NAME/RUN_ID --out results/NAME/torch
    python3 experiments/peers/torch_sdpa.py results/NAME/RUN_ID --out results/NAME/torch_flash \
        --device cuda --backend flash      # or cudnn, efficient, math

Takes the run's dense cases of one worker, without a forced cpu.isa, and writes a run folder of
the same columns, so that `qb compare RUN OUT --ignore kernel,isa` and `qb plot RUN --figure
throughput --beside OUT` show both. Inputs are standard normal, as qb's are, in the case's element
type; outputs are compared with float64 by qb's rule before anything is timed; every case runs in a
process of its own. An explicit mask is made before the clock starts. With --resume the same
command goes on where it was interrupted. A memory budget of the run is enforced on a GPU only.
A GPU must be the one of the run, its cache is flushed if the run flushed it, and kernel and isa
name the backend; a case that a backend does not support becomes a row `unsupported`.

Exit codes, as qb's: 0 all ended as allowed, 1 some case failed or none is ok, 2 usage, 3
environment (no PyTorch), 5 not comparable (another machine), 130 interrupted.
"""

import argparse
import collections
import math
import multiprocessing
import os
import random
import re
import signal
import sys
import time

import run_folder
import torch_devices
from run_folder import Refusal, Sample, number_text

VERIFIED_ROWS = 64  # rows of each head
DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
UNIT_ROUNDOFF = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}

Problem = collections.namedtuple(
    "Problem", "batch q_heads kv_heads q_len kv_len head_dim dtype causal scale seed threads")


def problem_of(row):
    head_dim = int(row["head_dim"])
    return Problem(
        batch=int(row["batch"]), q_heads=int(row["q_heads"]), kv_heads=int(row["kv_heads"]),
        q_len=int(row["n_tokens"]), kv_len=int(row["kv_len"]), head_dim=head_dim,
        dtype=row["dtype"], causal=row["mask"] == "causal",
        scale=float(row["scale"]) if row["scale"] else 1.0 / math.sqrt(head_dim),
        seed=int(row["seed"]),
        threads=int(row["threads"]) or len(os.sched_getaffinity(0)))


def keys_of(problem, row):
    """Returns how many keys query `row` sees; if causal, the last query sees the last key."""
    if not problem.causal:
        return problem.kv_len
    return min(max(row + problem.kv_len - problem.q_len + 1, 0), problem.kv_len)


def make_inputs(torch, problem, device):
    generator = torch.Generator().manual_seed(problem.seed)
    dtype = getattr(torch, DTYPES[problem.dtype])
    shapes = [(problem.batch, heads, length, problem.head_dim)
              for heads, length in ((problem.q_heads, problem.q_len),
                                    (problem.kv_heads, problem.kv_len),
                                    (problem.kv_heads, problem.kv_len))]
    return [device.place(torch.randn(shape, generator=generator, dtype=torch.float32).to(dtype))
            for shape in shapes]


def attention_call(torch, problem, device, q, k, v):
    """Returns the call that is timed; its mask and its options are made beforehand."""
    options = {"scale": problem.scale}
    if problem.q_heads != problem.kv_heads:
        options["enable_gqa"] = True
    if problem.causal and problem.q_len == problem.kv_len:
        options["is_causal"] = True
    elif problem.causal:
        ones = torch.ones((problem.q_len, problem.kv_len), dtype=torch.bool)
        options["attn_mask"] = device.place(ones.tril(problem.kv_len - problem.q_len))
    attention = torch.nn.functional.scaled_dot_product_attention
    return lambda: attention(q, k, v, **options)


def rows_to_verify(problem):
    if problem.q_len <= VERIFIED_ROWS:
        return list(range(problem.q_len))
    chosen = random.Random(problem.seed).sample(range(1, problem.q_len - 1), VERIFIED_ROWS - 2)
    return [0, *sorted(chosen), problem.q_len - 1]


class RowClass:
    """Rows that see about as many keys, judged together (harness/execute/verify/verify.h)."""

    def __init__(self):
        self.error = self.naive = self.magnitude = 0.0

    def add(self, error, naive, magnitude):
        if not math.isnan(self.error) and not error <= self.error:  # a NaN is taken and stays
            self.error = error
        self.naive = max(self.naive, naive)
        self.magnitude = max(self.magnitude, magnitude)

    def tolerance(self, dtype):
        floor = (UNIT_ROUNDOFF[dtype] + 16.0 * UNIT_ROUNDOFF["f32"]) * self.magnitude
        return 4.0 * self.naive + floor


class RelativeL2:
    """||O - O_ref|| / ||O_ref|| over what is added (harness/execute/verify/verify.h)."""

    def __init__(self):
        self.off = self.size = 0.0

    def add(self, off, size):
        self.off, self.size = math.hypot(self.off, off), math.hypot(self.size, size)

    def error(self):
        if self.off == 0.0:
            return 0.0
        return self.off / self.size if self.size > 0.0 else math.inf


def largest(tensor):
    return tensor.abs().max().item()


def norm(torch, tensor):
    return torch.linalg.vector_norm(tensor).item()


def attend(torch, k, v, query, scale, weight_type):
    """Computes one query row by the definition, with weights rounded to `weight_type`."""
    weights = torch.softmax((k @ query) * scale, dim=0)
    return weights.to(weight_type).to(query.dtype) @ v


def verify(torch, problem, q, k, v, out):
    """Returns the columns of the verification, and what is wrong or an empty string."""
    if not torch.isfinite(out).all().item():
        return {}, "an element of the output is not finite"
    rows = rows_to_verify(problem)
    dtype = getattr(torch, DTYPES[problem.dtype])
    classes = collections.defaultdict(RowClass)
    l2 = RelativeL2()
    for b in range(problem.batch):
        for h in range(problem.q_heads):
            group = h * problem.kv_heads // problem.q_heads
            exact = [t[b][group].to(torch.float64) for t in (k, v)]
            plain = [t[b][group].to(torch.float32) for t in (k, v)]
            for row in rows:
                keys = keys_of(problem, row)
                got = out[b][h][row].to(torch.float64)
                if keys == 0:
                    classes[0].add(largest(got), 0.0, 0.0)
                    l2.add(norm(torch, got), 0.0)
                    continue
                query = q[b][h][row]
                want = attend(torch, *(t[:keys] for t in exact), query.to(torch.float64),
                              problem.scale, torch.float64)
                naive = attend(torch, *(t[:keys] for t in plain), query.to(torch.float32),
                               problem.scale, dtype).to(torch.float64)
                classes[keys.bit_length()].add(largest(got - want), largest(naive - want),
                                               largest(want))
                l2.add(norm(torch, got - want), norm(torch, want))
    columns, flaw = judge(classes, problem.dtype, len(rows))
    return columns | {"relative_l2_error": number_text(l2.error())}, flaw


def judge(classes, dtype, n_rows):
    def nearness(one):
        tolerance = one.tolerance(dtype)
        if not one.error <= tolerance:
            return math.inf
        return one.error / tolerance if tolerance > 0.0 else 0.0

    worst = max(classes.values(), key=nearness)
    tolerance = worst.tolerance(dtype)
    columns = {"verified_rows": str(n_rows), "max_error": number_text(worst.error),
               "naive_error": number_text(worst.naive), "tolerance": number_text(tolerance)}
    if worst.error <= tolerance:
        return columns, ""
    return columns, f"the output is off by {worst.error:.3g}, tolerance {tolerance:.3g}"


def take_samples(device, call, warmups, repeats):
    samples = []
    for index in range(warmups + repeats):
        warmup = index < warmups
        seconds, of_device = device.timed(call)
        samples.append(Sample(index if warmup else index - warmups, warmup, seconds, of_device))
    return samples


def status_of(problem):
    """Returns the status for an exception of PyTorch."""
    text = str(problem).lower()
    if isinstance(problem, MemoryError) or ("memory" in text and "alloc" in text):
        return "oom"
    words = ("not implemented", "not supported", "unsupported", "unexpected keyword",
             "no available kernel")
    if isinstance(problem, NotImplementedError) or any(word in text for word in words):
        return "unsupported"
    return "error"


def measure(torch, make_device, row, warmups, repeats):
    """Measures a case; an exception becomes a result too."""
    result = {"status": "error", "message": "", "samples": [], "values": {}}
    if row["dtype"] not in DTYPES:
        return result | {"status": "unsupported",
                         "message": f"{row['dtype']} is not among {', '.join(DTYPES)}"}
    try:
        problem = problem_of(row)
        torch.set_num_threads(problem.threads)
        device = make_device(torch, row)
        result["values"]["isa"] = device.isa()
        with torch.inference_mode(), device.chosen_backend():
            q, k, v = make_inputs(torch, problem, device)
            call = attention_call(torch, problem, device, q, k, v)
            columns, flaw = verify(torch, problem, q, k, v, call())
            result["values"] |= columns
            if flaw:
                return result | {"status": "incorrect", "message": flaw}
            samples = take_samples(device, call, warmups, repeats)
            result["values"] |= device.columns(samples)
        return result | {"status": "ok", "samples": samples}
    except Exception as problem:  # pylint: disable=broad-except
        return result | {"status": status_of(problem), "message": str(problem)}


def measure_alone(torch, make_device, row, warmups, repeats):
    """Measures a case in a process of its own, so that a crash costs one row."""
    context = multiprocessing.get_context("fork")  # so that torch is imported only once
    receiving, sending = context.Pipe(duplex=False)

    def answer():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sending.send(measure(torch, make_device, row, warmups, repeats))

    child = context.Process(target=answer)
    child.start()
    sending.close()
    try:
        return receiving.recv()
    except EOFError:
        child.join()
        killed = child.exitcode == -signal.SIGKILL
        return {"status": "oom" if killed else "crashed", "samples": [], "values": {},
                "message": "killed, most likely for want of memory" if killed
                           else f"the process ended with {child.exitcode}"}
    finally:
        child.kill()
        child.join()


def import_torch():
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError as problem:
        raise Refusal(3, f"PyTorch cannot be imported ({problem}); install torch, or run this "
                         "script with a Python that has it") from problem
    return torch


def peer_facts(torch):
    blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    return {"name": "torch", "version": torch.__version__,
            "cpu_capability": torch.backends.cpu.get_cpu_capability(),
            "blas": blas.group(1) if blas else None,
            "omp_wait_policy": os.environ.get("OMP_WAIT_POLICY")}


def parse_words(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN", help="run folder of qb")
    parser.add_argument("--out", required=True, metavar="DIR", help="run folder to write")
    parser.add_argument("--resume", action="store_true",
                        help="go on with the run in DIR: measure the cases that it lacks")
    parser.add_argument("--repeats", type=int, default=7, metavar="N", help="default: 7")
    parser.add_argument("--warmups", type=int, default=2, metavar="N", help="default: 2")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="default: cpu")
    parser.add_argument("--backend", choices=tuple(torch_devices.BACKENDS), default="flash",
                        help="of a GPU; default: flash")
    words = parser.parse_args(argv)
    if words.repeats < 1 or words.warmups < 0:
        parser.error("--repeats must be at least 1 and --warmups at least 0")
    return words


def run(argv):
    words = parse_words(argv)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # an interrupt keeps the rows too
    source = run_folder.Run(words.run)
    cases = source.dense_cases(words.device)
    source.require_this_machine()
    torch = import_torch()

    def make_device(torch, case):
        if words.device == "cuda":
            return torch_devices.Gpu(torch, case, words.backend)
        return torch_devices.Cpu(torch, case)

    on_gpu = words.device == "cuda"
    kernel = "torch_" + words.backend if on_gpu else torch_devices.Cpu.kernel
    where = f"a GPU, backend {words.backend}" if on_gpu else "the CPU"
    writer = run_folder.Writer(
        source, words.out, kernel, peer_facts(torch),
        f"PyTorch's scaled_dot_product_attention on {where}, at the dense cases of run "
        f"{source.manifest.get('run_id', words.run)}.",
        [os.path.basename(__file__), *argv], words.resume)
    statuses = collections.Counter()
    for index, case in enumerate(cases):
        if writer.status_of(case):
            statuses[writer.status_of(case)] += 1
            continue
        started_at, start = run_folder.utc_now(), time.perf_counter()
        result = measure_alone(torch, make_device, case, words.warmups, words.repeats)
        row = writer.add(case, result, started_at, time.perf_counter() - start)
        statuses[row["status"]] += 1
        shown = ("dtype", "mask", "n_tokens", "head_dim")
        shape = " ".join(f"{name}={row[name]}" for name in shown)
        outcome = f"{float(row['wall_time_median_s']):.6f} s" if row["status"] == "ok" else (
            f"{row['status']}: {row['message']}")
        print(f"[{index + 1}/{len(cases)}] {shape}  {outcome}", file=sys.stderr)
    writer.finish()
    print(words.out)
    failed = statuses.keys() - {"ok", "oom", "unsupported"}
    return 1 if failed or not statuses["ok"] else 0


if __name__ == "__main__":
    try:
        sys.exit(run(sys.argv[1:]))
    except Refusal as refusal:
        print(f"torch_sdpa: {refusal}", file=sys.stderr)
        sys.exit(refusal.code)
    except OSError as failure:  # for example a full disk
        print(f"torch_sdpa: {failure}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        print("torch_sdpa: interrupted; the rows that are there stay", file=sys.stderr)
        sys.exit(130)
