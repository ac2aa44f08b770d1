#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures operators that mix tokens without softmax over all pairs beside other programs, in turn:

    python3 -m venv build/peers
    build/peers/bin/pip install torch mambapy performer-pytorch
    build/peers/bin/python experiments/peers/mixers.py --out results/mixers.csv

In each round every operator is computed by its peer and then by qb's kernel (a benchmark of
microbench), on one thread, f32, N = 4096, 8 heads of 64. Peers are performer-pytorch, mambapy's
parallel scan, torch's attention, and literal PyTorch of the definitions of linear attention,
Mamba-2's chunked scan, Nystrom and Linformer attention, each checked against its definition over
few tokens. CPU time stands beside wall-clock time: one thread's CPU time hardly changes on a
machine that others use too. Ratios are the peer's least CPU time over qb's.

Exit codes, as qb's: 0 all were measured, 1 a peer is wrong, 2 usage, 3 environment.
"""

import argparse
import csv
import importlib
import math
import os
import subprocess
import sys
import tempfile
import time

from run_folder import ROOT, Refusal, number_text

MICROBENCH = os.path.join(ROOT, "build", "release", "harness", "microbench", "microbench")
HEADS, DIM, CHUNK, FEATURES, LANDMARKS, PROJECTED, STATE = 8, 64, 64, 266, 64, 256, 16


def phi(torch, x):
    return torch.nn.functional.elu(x) + 1.0


def linear_full(torch, q, k, v):
    q, k = phi(torch, q), phi(torch, k)
    return (q @ (k.mT @ v)) / (q @ k.sum(-2).unsqueeze(-1))


def chunks(x):
    """Returns [b, h, chunks, tokens of a chunk, width]."""
    return x.unflatten(2, (-1, CHUNK))


def linear_causal(torch, q, k, v):
    q, k, v = (chunks(x) for x in (phi(torch, q), phi(torch, k), v))
    states, sums = k.mT @ v, k.sum(-2).unsqueeze(-1)
    before, sums_before = states.cumsum(2) - states, sums.cumsum(2) - sums
    weights = (q @ k.mT).tril()
    out = (weights @ v + q @ before) / (weights.sum(-1, keepdim=True) + q @ sums_before)
    return out.flatten(2, 3)


def sums_of_segments(torch, x):
    """Returns sum of x_t over j < t <= i at [i, j], -inf above the diagonal."""
    tokens = x.size(-1)
    steps = x.unsqueeze(-1).expand(*x.shape, tokens)
    below = torch.ones(tokens, tokens, dtype=torch.bool).tril(-1)
    sums = steps.masked_fill(~below, 0.0).cumsum(-2)
    return sums.masked_fill(~torch.ones(tokens, tokens, dtype=torch.bool).tril(), -math.inf)


def ssd(torch, c, b, x, decay):
    """Computes the four steps of Mamba-2's chunked algorithm (Dao and Gu 2024, section 6)."""
    c, b, x = (chunks(t) for t in (c, b, x))
    decay = decay.unflatten(-1, (-1, CHUNK))
    sums = decay.cumsum(-1)
    within = ((c @ b.mT) * sums_of_segments(torch, decay).exp()) @ x
    states = (b * (sums[..., -1:] - sums).exp().unsqueeze(-1)).mT @ x
    steps = torch.nn.functional.pad(sums[..., -1], (1, 0))
    carried = sums_of_segments(torch, steps).exp()[..., :-1, 1:]
    before = torch.einsum("bhzc,bhcdp->bhzdp", carried, states)
    return (within + (c * sums.exp().unsqueeze(-1)) @ before).flatten(2, 3)


def nystrom(torch, q, k, v):
    scale = 1.0 / math.sqrt(q.size(-1))
    of_q, of_k = (x.unflatten(2, (LANDMARKS, -1)).mean(3) for x in (q, k))
    core = torch.softmax(of_q @ of_k.mT * scale, -1)
    eye = torch.eye(LANDMARKS)
    norm = core.abs().sum(-1).amax(-1) * core.abs().sum(-2).amax(-1)
    z = core.mT / norm[..., None, None]
    for _ in range(6):
        az = core @ z
        z = 0.25 * z @ (13 * eye - az @ (15 * eye - az @ (7 * eye - az)))
    values = z @ (torch.softmax(of_q @ k.mT * scale, -1) @ v)
    return torch.softmax(q @ of_k.mT * scale, -1) @ values


def linformer(torch, q, k, v, projection):
    return torch.nn.functional.scaled_dot_product_attention(q, projection @ k, projection @ v)


def check(torch):
    """Compares the literal peers with their definitions; throws Refusal where one is wrong."""
    torch.manual_seed(1)
    q, k, v = torch.randn(3, 1, 2, 4 * CHUNK, 16, dtype=torch.float64)
    decay = -torch.rand(1, 2, 4 * CHUNK, dtype=torch.float64)
    weights = (phi(torch, q) @ phi(torch, k).mT)
    seen = sums_of_segments(torch, decay).exp()
    definitions = {
        "linear_full": (linear_full(torch, q, k, v), weights / weights.sum(-1, keepdim=True) @ v),
        "linear_causal": (linear_causal(torch, q, k, v),
                          weights.tril() / weights.tril().sum(-1, keepdim=True) @ v),
        "ssd": (ssd(torch, q, k, v, decay), ((q @ k.mT) * seen) @ v)}
    for name, (found, exact) in definitions.items():
        if not (found - exact).abs().max().item() <= 1e-9:
            raise Refusal(1, f"the peer {name} does not agree with its definition")


def peers(torch, n_tokens):
    """Returns (operator, peer, call, microbench's benchmark) of each."""
    performer = importlib.import_module("performer_pytorch")
    mamba = importlib.import_module("mambapy.mamba")
    q, k, v = torch.randn(3, 1, HEADS, n_tokens, DIM)
    decay = -0.1 * torch.rand(1, HEADS, n_tokens)
    projection = torch.randn(PROJECTED, n_tokens) / math.sqrt(n_tokens)
    fast = performer.FastAttention(dim_heads=DIM, nb_features=FEATURES, causal=False)
    inner = HEADS * DIM
    x, b, c = torch.randn(1, n_tokens, inner), *torch.randn(2, 1, n_tokens, STATE)
    delta, a = 0.1 * torch.rand(1, n_tokens, inner), -8.0 * torch.rand(inner, STATE)
    d = torch.zeros(inner)
    scan = mamba.MambaBlock.selective_scan
    attention = torch.nn.functional.scaled_dot_product_attention
    name = f"{{}}/f32/{{}}/n:{n_tokens}/d:{{}}/h:{HEADS}/threads:1"
    return [
        ("linear", "torch", lambda: linear_full(torch, q, k, v), name.format("linear", "full", DIM)),
        ("linear causal", "torch, chunks of 64", lambda: linear_causal(torch, q, k, v),
         name.format("linear", "causal", DIM)),
        ("ssd", "torch, chunks of 64", lambda: ssd(torch, q, k, v, decay),
         name.format("ssd", "causal", DIM)),
        ("performer", "performer-pytorch", lambda: fast(q, k, v),
         name.format("performer", "full", DIM)),
        ("nystrom", "torch", lambda: nystrom(torch, q, k, v), name.format("nystrom", "full", DIM)),
        ("linformer", "torch", lambda: linformer(torch, q, k, v, projection),
         name.format("linformer", "full", DIM)),
        ("selective_scan", "mambapy", lambda: scan(None, x, delta, a, b, c, d),
         name.format("selective_scan", "causal", STATE)),
        ("softmax causal", "torch", lambda: attention(q, k, v, is_causal=True), None)]


def timed(call):
    """Returns the CPU time and the wall-clock time of one call."""
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return time.process_time() - cpu, time.perf_counter() - wall


def of_microbench(benchmark):
    """Returns the least CPU time of a call of this benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([MICROBENCH, "--quick", "--clock=cpu", f"--benchmark_filter=^{benchmark}/",
                        f"--out={folder}"], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "microbench.csv"), encoding="utf-8", newline="") as file:
            return min(float(row["wall_time_s"]) for row in csv.DictReader(file))


def run(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", metavar="FILE", help="write the table as CSV too")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    words = parser.parse_args(argv)
    if not os.path.exists(MICROBENCH):
        raise Refusal(3, f"microbench is not at {MICROBENCH}; build it")
    try:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        with torch.no_grad():
            check(torch)
            all_peers = peers(torch, 4096)
            times = {operator: [] for operator, *_ in all_peers}
            for _ in range(words.rounds):
                for operator, _, call, benchmark in all_peers:
                    ours = of_microbench(benchmark) if benchmark else math.nan
                    times[operator].append((*timed(call), ours))
    except ImportError as problem:
        raise Refusal(3, f"{problem.name} is not installed; see --help") from problem
    rows = [["operator", "peer", "peer_cpu_time_s", "peer_wall_time_s", "qb_cpu_time_s", "ratio"]]
    for operator, peer, *_ in all_peers:
        least = [min(column) for column in zip(*times[operator])]
        texts = ["" if math.isnan(x) else number_text(x) for x in (*least, least[0] / least[2])]
        rows.append([operator, peer, *texts])
        ours = "" if math.isnan(least[2]) else (
            f"   qb {1e3 * least[2]:>7.2f} ms   {least[0] / least[2]:>6.2f} x")
        print(f"{operator:<16} {peer:<20} {1e3 * least[0]:>8.2f} ms, wall {1e3 * least[1]:>8.2f}"
              + ours)
    if words.out:
        with open(words.out, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(run(sys.argv[1:]))
    except Refusal as refusal:
        print(f"mixers.py: {refusal}", file=sys.stderr)
        sys.exit(refusal.code)
