#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures qb.attention beside other libraries, on one thread, at a spec's dense f32 cases.

    python3 experiments/peers/cpu_peers.py --out DIR experiments/short_sequences.yaml

Further words are those of `qb run`. A library computes from NumPy's arrays, or from copies in its own
layout made before the clock starts, in float32 even where the CPU multiplies bf16. Its output is
compared with float64 before it is timed. In each round all take turns in a random order, in this
process, whose CPU time is taken, other threads with it.
"""
import argparse
import functools
import importlib
import math
import os
import sys
import tempfile
import time

import numpy as np
import quorumbench
import run_folder
from torch_sdpa import main

SAMPLE_S = 3e-3  # shorter calls are timed several at once


# Each of these takes a library and Q, K and V, [B, H, N, d], and returns a call, what makes an array
# of that shape of its result, and what stands in column isa.
def of_quorumbench(qb, q, k, v, causal):
    return lambda: qb.attention(q, k, v, is_causal=causal, threads=1), np.asarray, ""


def of_torch(torch, q, k, v, causal):
    torch.set_num_threads(1)
    sdpa, tensors = torch.nn.functional.scaled_dot_product_attention, [*map(torch.from_numpy, (q, k, v))]
    return lambda: sdpa(*tensors, is_causal=causal), np.asarray, torch.backends.cpu.get_cpu_capability()


def of_onnxruntime(onnxruntime, q, k, v, causal):
    """The faster one of its two operators, which column isa names."""
    options, calls = onnxruntime.SessionOptions(), []
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    for operator, attributes, array_of, inputs in (
            ("Attention", f"is_causal = {causal:d}", np.asarray, (q, k, v)),
            ("com.microsoft.MultiHeadAttention", f"num_heads = {q.shape[1]}, unidirectional = {causal:d}",
             lambda o: tokens_first(o.reshape(*q.shape[:3:2], q.shape[1], -1)),
             [tokens_first(one).reshape(len(one), one.shape[2], -1) for one in (q, k, v)])):
        *of_inputs, of_output = (f"float{list(one.shape)} {name}"
                                 for name, one in zip("qkvo", (*inputs, inputs[0])))
        model = importlib.import_module("onnx.parser").parse_model(
            f'<ir_version: 10, opset_import: ["": 23, "com.microsoft": 1]> model ({", ".join(of_inputs)}) '
            f"=> ({of_output}) {{ o = {operator} <{attributes}> (q, k, v) }}")
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        binding = session.io_binding()
        for name, array in zip("qkv", inputs):
            binding.bind_cpu_input(name, array)
        binding.bind_output("o")
        calls.append((functools.partial(session.run_with_iobinding, binding), lambda _, array_of=array_of,
                      binding=binding: array_of(binding.copy_outputs_to_cpu()[0]), operator))
    return min(calls, key=lambda one: min(timed(one[0], 1) for _ in range(5)))


def of_openvino(openvino, q, k, v, causal):
    inputs = [openvino.opset13.parameter(one.shape, np.float32) for one in (q, k, v)]
    attention = openvino.opset13.scaled_dot_product_attention(*inputs, causal=causal)
    request = openvino.Core().compile_model(openvino.Model([attention], inputs, ""), "CPU", {
        "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1,
        "PERFORMANCE_HINT": "LATENCY"}).create_infer_request()
    for index, array in enumerate((q, k, v)):
        request.set_input_tensor(index, openvino.Tensor(array, shared_memory=True))
    return request.infer, lambda _: request.get_output_tensor().data, ""


def of_jax(jax, q, k, v, causal):
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # else another thread computes
    arrays = [jax.numpy.asarray(tokens_first(one)) for one in (q, k, v)]
    made = jax.jit(functools.partial(jax.nn.dot_product_attention, is_causal=causal)).lower(*arrays).compile()
    return lambda: made(*arrays).block_until_ready(), tokens_first, ""


# by kernel: the library, and how it is called
LIBRARIES = {"flash": ("quorumbench", of_quorumbench), "torch_sdpa": ("torch", of_torch),
             "onnxruntime": ("onnxruntime", of_onnxruntime), "openvino": ("openvino", of_openvino),
             "jax": ("jax", of_jax)}


def tokens_first(array):
    """Swaps heads and tokens, either way."""
    return np.ascontiguousarray(np.swapaxes(array, 1, 2))


def timed(call, calls):
    """The CPU time of a call in seconds."""
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls


def prepared(kernel, library, tensors, causal):
    """Returns the result of a library without times, and its call where its output is right."""
    result = {"status": "error", "samples": [], "values": {}}
    try:
        call, array_of, isa = LIBRARIES[kernel][1](library, *tensors.values(), causal)
        check = quorumbench.verify(
            *tensors.values(), o=array_of(call()), mask="causal" if causal else "full", threads=1)
    except Exception as problem:  # pylint: disable=broad-except
        return result | {"message": str(problem)}, None
    result["values"] = {"isa": isa, "max_error": str(check.errors["o"]),
                        "tolerance": str(check.tolerances["o"]),
                        "verified_rows": str(min(256, tensors["q"].shape[2]))}
    return (result | {"status": "ok" if check else "incorrect", "message": check.message},
            call if check else None)


def measure(case, libraries, rounds):
    """Returns the results of a case by kernel."""
    draw, causal = np.random.default_rng(int(case["seed"])), case["mask"] == "causal"
    axes = {"q": ("q_heads", "n_tokens")} | dict.fromkeys("kv", ("kv_heads", "kv_len"))
    tensors = {name: draw.standard_normal([int(case[axis]) for axis in ("batch", *of, "head_dim")],
                                          np.float32) for name, of in axes.items()}
    ready = {one: prepared(one, library, tensors, causal) for one, library in libraries.items()}
    counts = {kernel: math.ceil(SAMPLE_S / min(timed(call, 1) for _ in range(3)))
              for kernel, (_, call) in ready.items() if call}
    for turn in range(rounds):
        for kernel in draw.permutation(list(counts)):
            result, call = ready[kernel]
            result["samples"].append(run_folder.Sample(turn, False, [timed(call, counts[kernel])]))
    return {kernel: result for kernel, (result, _) in ready.items()}


def run(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, metavar="DIR", help="run folder to write")
    parser.add_argument("--rounds", type=int, default=25, metavar="N", help="default: 25")
    words, of_qb = parser.parse_known_args(argv)
    # JAX's pool of threads has NPROC, whatever XLA_FLAGS say of its threads.
    os.environ |= {"OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu", "NPROC": "1"}
    # The cases' plans and the facts of the machine come from the qb that the package carries.
    os.environ["QB"] = os.path.join(quorumbench.__path__[0], "root", "bin", "qb")
    with tempfile.TemporaryDirectory() as folder:
        source = run_folder.run_once(of_qb, folder)
    cases = source.dense_cases(clock="cpu", dtype="f32", threads="1", scale="", **{"pass": "forward"})
    libraries = {}
    for kernel, (name, _) in LIBRARIES.items():
        try:
            libraries[kernel] = importlib.import_module(name)
        except ImportError as problem:
            print(f"{kernel} is left out: {problem}", file=sys.stderr)
    versions = ", ".join(f"{one.__name__} {one.__version__.split('-')[0]}" for one in libraries.values())
    writer = run_folder.Writer(source, words.out, "", {"name": "Python with", "version": versions},
                               source.manifest["description"], ["cpu_peers.py", *argv])
    writer.manifest["environment"]["build"] = source.manifest["environment"]["build"]
    writer.manifest["figures"] = source.manifest["figures"]
    failed = 0
    for case in cases:
        started_at, start = run_folder.utc_now(), time.perf_counter()
        print(*(case[name] for name in ("mask", "batch", "q_heads", "n_tokens", "head_dim")), "(least, median)")
        for writer.kernel, result in measure(case, libraries, words.rounds).items():
            writer.add(case, result, started_at, time.perf_counter() - start)
            failed += result["status"] != "ok"
            ms = sorted(1e3 * sample.seconds[0] for sample in result["samples"]) or [math.nan]
            print(f"{ms[0]:11.4f} {ms[len(ms) // 2]:11.4f} ms {writer.kernel} {result['message']}", flush=True)
    writer.finish()
    print(words.out)
    return 1 if failed else 0


if __name__ == "__main__":
    main(run, "cpu_peers")
