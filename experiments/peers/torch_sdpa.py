#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures PyTorch's scaled_dot_product_attention at the cases of a qb run, on the CPU or a GPU.

    python3 experiments/peers/torch_sdpa.py results/NAME/RUN_ID --out results/NAME/torch
    python3 experiments/peers/torch_sdpa.py results/NAME/RUN_ID --out results/NAME/torch_flash \
        --device cuda --backend flash      # or cudnn, efficient, math

Takes the run's dense cases of one worker, without a forced cpu.isa, and writes a run folder of
the same columns, so that `qb compare RUN OUT --ignore kernel,isa` and `qb plot RUN --figure
throughput --beside OUT` show both. Each case times its own pass: forward, backward by autograd, or
one and then the other; --pass measures another pass of all cases, and `qb compare` then needs
--ignore kernel,isa,pass. Inputs are standard normal, as qb's are, in the case's element type;
outputs and gradients are compared with float64 by qb before anything is timed; every case
runs in a process of its own. An explicit mask is made before the clock starts. A memory budget of
the run is enforced on a GPU only. A GPU must be the one of the run, its cache is flushed if the run
flushed it, and kernel and isa name the backend; a case that a backend does not support becomes a
row `unsupported`.

Exit codes, as qb's: 0 all ended as allowed, 1 some case failed or none is ok, 2 usage, 3
environment (no PyTorch), 5 not comparable (another machine), 130 interrupted.
"""

import argparse
import collections
import multiprocessing
import os
import re
import signal
import sys
import time

import run_folder
import torch_devices
from run_folder import Refusal, Sample
from torch_attention import DTYPES, Attention, problem_of
from torch_verify import verify


def take_samples(device, calls, warmups, repeats):
    samples = []
    for index in range(warmups + repeats):
        result, seconds, of_device = None, [], []
        device.clear_cache()
        for call in calls:
            result, call_s, call_device_s = device.timed(call, result)
            seconds.append(call_s)
            of_device.append(call_device_s)
        warmup = index < warmups
        samples.append(Sample(index if warmup else index - warmups, warmup, seconds,
                              device.state(of_device)))
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


def measure(words, row):
    """Measures a case; an exception becomes a result too."""
    result = {"status": "error", "message": "", "samples": [], "values": {}}
    if row["dtype"] not in DTYPES:
        return result | {"status": "unsupported",
                         "message": f"{row['dtype']} is not among {', '.join(DTYPES)}"}
    torch = import_torch()
    try:
        problem = problem_of(row)
        torch.set_num_threads(problem.threads)
        device = (torch_devices.Gpu(torch, row, words.backend) if words.device == "cuda" else
                  torch_devices.Cpu(torch, row))
        result["values"]["isa"] = device.isa()
        with torch.inference_mode(problem.passes == "forward"), device.chosen_backend():
            attention = Attention(torch, problem, device)
            columns, flaw = verify(problem, attention, device.sum_roundings(problem))
            result["values"] |= columns
            if flaw:
                return result | {"status": "incorrect", "message": flaw}
            samples = take_samples(device, attention.calls(), words.warmups, words.repeats)
            result["values"] |= device.columns(samples)
        return result | {"status": "ok", "samples": samples}
    except Exception as problem:  # pylint: disable=broad-except
        return result | {"status": status_of(problem), "message": str(problem)}


def kernel_memory_kills():
    """Returns how often the kernel of this machine killed for memory; None: it does not say."""
    with open("/proc/vmstat", encoding="ascii") as file:
        return dict(line.split() for line in file).get("oom_kill")


def answer(sending, words, row):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sending.send(measure(words, row))


def measure_alone(words, row):
    """Measures a case in a process of its own, so that a crash costs one row."""
    # A fork has torch already. With CUDA a new process imports it: to import torch can be enough
    # to start CUDA, which does not survive a fork.
    context = multiprocessing.get_context("spawn" if words.device == "cuda" else "fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=answer, args=(sending, words, row))
    kills = kernel_memory_kills()
    child.start()
    sending.close()
    try:
        return receiving.recv()
    except (EOFError, OSError):  # it died before, or in the middle of, its answer
        child.join()
        for_memory = child.exitcode == -signal.SIGKILL and kernel_memory_kills() != kills
        return {"status": "oom" if for_memory else "crashed", "samples": [], "values": {},
                "message": "killed by the kernel: out of memory" if for_memory
                           else "its process " + run_folder.how_it_ended(child.exitcode)}
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
    parser.add_argument("--repeats", type=int, default=7, metavar="N", help="default: 7")
    parser.add_argument("--warmups", type=int, default=2, metavar="N", help="default: 2")
    parser.add_argument("--pass", dest="passes", choices=tuple(run_folder.FLOP_OF_PASS),
                        help="measure this pass of every case; default: the pass of the case")
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
    cases = source.dense_cases(words.device, words.passes)
    source.require_this_machine()
    torch = import_torch()

    on_gpu = words.device == "cuda"
    kernel = "torch_" + words.backend if on_gpu else "torch_sdpa"
    where = f"a GPU, backend {words.backend}" if on_gpu else "the CPU"
    writer = run_folder.Writer(
        source, words.out, kernel, peer_facts(torch),
        f"PyTorch's scaled_dot_product_attention on {where}, at the dense cases of run "
        f"{source.manifest.get('run_id', words.run)}.",
        [os.path.basename(__file__), *argv])
    statuses = collections.Counter()
    for index, case in enumerate(cases):
        started_at, start = run_folder.utc_now(), time.perf_counter()
        result = measure_alone(words, case)
        row = writer.add(case, result, started_at, time.perf_counter() - start)
        statuses[row["status"]] += 1
        shown = ("dtype", "mask", "n_tokens", "head_dim", "pass")
        shape = " ".join(f"{name}={row[name]}" for name in shown)
        outcome = f"{float(row['wall_time_median_s']):.6f} s" if row["status"] == "ok" else (
            f"{row['status']}: {row['message']}")
        print(f"[{index + 1}/{len(cases)}] {shape}  {outcome}", file=sys.stderr)
    writer.finish()
    print(words.out)
    failed = statuses.keys() - {"ok", "oom", "unsupported"}
    return 1 if failed or not statuses["ok"] else 0


def main(run_words, name="torch_sdpa"):
    try:
        sys.exit(run_words(sys.argv[1:]))
    except Refusal as refusal:
        print(f"{name}: {refusal}", file=sys.stderr)
        sys.exit(refusal.code)
    except OSError as failure:  # for example a full disk
        print(f"{name}: {failure}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        print(f"{name}: interrupted; the rows that are there stay", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main(run)
