# SPDX-License-Identifier: Apache-2.0
"""For tests only: as much of torch as torch_sdpa.py uses, in plain Python, on nested lists.

Values are rounded to their type as torch rounds them, and attention is computed by its definition;
autograd.py has its gradients. There is a GPU, "Fake GPU", on which all backends but cudnn compute.
FAKE_TORCH_FAULTS="64:oom,80:wrong" makes the attention of 64 and 80 queries fail in that way.
"""

import collections
import contextlib
import math
import os
import random
import signal
import types

from torch.tensor import (  # pylint: disable=redefined-builtin,unused-import
    Tensor, bfloat16, bool, dot, float16, float32, float64, inferring, rounded)

__version__ = "0.0-fake"


def ones(shape, dtype):
    return Tensor([[True] * shape[1] for _ in range(shape[0])], dtype)


def empty_like(tensor):
    return tensor.mapped(lambda _: math.nan)


def softmax(tensor, dim):
    assert dim == 0
    most = max(tensor.data)
    weights = [math.exp(value - most) for value in tensor.data]
    total = sum(weights)
    return Tensor([rounded(weight / total, tensor.dtype) for weight in weights], tensor.dtype)


class Generator:
    def manual_seed(self, seed):
        self.random = random.Random(seed)
        return self


def randn(shape, generator=None, dtype=float32, device="cpu"):
    assert device in ("cpu", "cuda")
    generator = generator or Generator().manual_seed(len(flushes))

    def make(extents):
        if not extents:
            return rounded(generator.random.gauss(0.0, 1.0), dtype)
        return [make(extents[1:]) for _ in range(extents[0])]

    return Tensor(make(shape), dtype)


turns = collections.Counter()  # of this process, by fault


def faulty(n_tokens):
    for fault in filter(None, os.environ.get("FAKE_TORCH_FAULTS", "").split(",")):
        length, kind = fault.split(":")
        if int(length) == n_tokens:
            return kind
    return ""


def sees(i, j, attn_mask, is_causal):
    if attn_mask is not None:
        return attn_mask.data[i][j]
    return not is_causal or j <= i


def scaled_dot_product_attention(q, k, v, attn_mask=None, is_causal=False, scale=None,
                                 enable_gqa=False):
    if chosen_backends and chosen_backends[-1] == "CUDNN_ATTENTION":
        raise RuntimeError("No available kernel. Aborting execution.")
    scale = 1.0 / math.sqrt(len(q.data[0][0][0])) if scale is None else scale
    fault = faulty(len(q.data[0][0]))
    if fault == "oom":
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate …")
    if fault == "unsupported":
        raise NotImplementedError('"flash" not implemented for this type')
    if fault == "error":
        raise RuntimeError("of two minds,\nand two lines")
    turns[fault] += 1
    if fault in ("crash", "kill") or (fault == "late_kill" and turns[fault] > 2):
        os.kill(os.getpid(), signal.SIGSEGV if fault == "crash" else signal.SIGKILL)
    if fault == "quit":
        os._exit(0)
    out = []
    for q_heads, k_heads, v_heads in zip(q.data, k.data, v.data):
        assert enable_gqa == (len(q_heads) != len(k_heads)), "enable_gqa where heads differ"
        share = len(q_heads) // len(k_heads)
        out.append([head(rows, k_heads[h // share], v_heads[h // share],
                         lambda i, j: sees(i, j, attn_mask, is_causal), scale)
                    for h, rows in enumerate(q_heads)])
    if fault == "wrong":
        out[-1][-1][-1][-1] += 0.5
    if fault == "nan":
        out[-1][-1][-1][-1] = math.nan
    out = Tensor(out, float64).to(q.dtype)
    if q.requires_grad:
        out.graph = autograd.Graph([q, k, v], lambda i, j: sees(i, j, attn_mask, is_causal), scale)
    return out


def weights_of(i, query, keys, allows, scale):
    """Returns the keys that query `i` sees, and the softmax of its scores with them."""
    seen = [j for j in range(len(keys)) if allows(i, j)]
    scores = Tensor([dot(query, keys[j]) * scale for j in seen], float64)
    return seen, softmax(scores, 0).data if seen else []


def head(queries, keys, values, allows, scale):
    out = []
    for i, query in enumerate(queries):
        seen, weights = weights_of(i, query, keys, allows, scale)
        columns = zip(*(values[j] for j in seen)) if seen else [[]] * len(query)
        out.append([dot(weights, column) for column in columns])
    return out


def set_num_threads(count):
    assert count >= 1


chosen_backends = []


@contextlib.contextmanager
def sdpa_kernel(backend):
    chosen_backends.append(backend)
    try:
        yield
    finally:
        chosen_backends.pop()


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        pass

    def elapsed_time(self, _end):
        return 0.25


class Bytes:
    def zero_(self):
        flushes.append(1)

    def copy_(self, _from):
        pass


flushes = []
uint8 = "uint8"


def empty(size, dtype, device):
    assert size in (2 << 20, 1 << 30) and (dtype, device) == (uint8, "cuda")
    return Bytes()


IMPORTED_BY = os.getpid()


def get_device_name(_ordinal):
    """Fails in a fork of the process that imported torch, as real CUDA may."""
    if os.getpid() != IMPORTED_BY:
        raise RuntimeError("CUDA error: initialization error")
    return "Fake GPU"


cuda = types.SimpleNamespace(
    Event=Event, is_available=lambda: True, synchronize=lambda: None, clock_rate=lambda: 1500,
    get_device_name=get_device_name,
    set_per_process_memory_fraction=lambda share: None,
    get_device_properties=lambda ordinal: types.SimpleNamespace(L2_cache_size=1 << 20,
                                                                total_memory=1 << 30))


@contextlib.contextmanager
def inference_mode(mode=True):
    inferring.append(mode)
    try:
        yield
    finally:
        inferring.pop()


nn = types.SimpleNamespace(
    attention=types.SimpleNamespace(
        sdpa_kernel=sdpa_kernel,
        SDPBackend=types.SimpleNamespace(FLASH_ATTENTION="FLASH_ATTENTION",
                                         CUDNN_ATTENTION="CUDNN_ATTENTION",
                                         EFFICIENT_ATTENTION="EFFICIENT_ATTENTION", MATH="MATH")),
    functional=types.SimpleNamespace(scaled_dot_product_attention=scaled_dot_product_attention))
backends = types.SimpleNamespace(
    cpu=types.SimpleNamespace(get_cpu_capability=lambda: "AVX512"))
__config__ = types.SimpleNamespace(show=lambda: "PyTorch built with: BLAS_INFO=fakeblas, MPI=0")

from torch import autograd  # pylint: disable=wrong-import-position
