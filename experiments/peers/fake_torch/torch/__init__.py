"""For tests only: as much of torch as torch_sdpa.py uses, in plain Python, on nested lists.

Values are rounded to their type as torch rounds them, and attention is computed by its definition.
There is a GPU, "Fake GPU", on which all backends but cudnn compute.
FAKE_TORCH_FAULTS="64:oom,80:wrong" makes the attention of 64 and 80 queries fail in that way.
"""

import contextlib
import math
import os
import random
import signal
import struct
import types

__version__ = "0.0-fake"

float64, float32, float16, bfloat16 = "float64", "float32", "float16", "bfloat16"
bool = "bool"  # pylint: disable=redefined-builtin


def rounded(value, dtype):
    if dtype == float32:
        return struct.unpack("f", struct.pack("f", value))[0]
    if dtype == float16:
        return struct.unpack("e", struct.pack("e", value))[0]
    if dtype == bfloat16:
        bits = struct.unpack("I", struct.pack("f", value))[0]
        bits += 0x7FFF + (bits >> 16 & 1)  # to nearest, ties to even
        return struct.unpack("f", struct.pack("I", bits & 0xFFFF0000))[0]
    return value


class Tensor:
    """A scalar, or a list of tensors of one shape."""

    def __init__(self, data, dtype):
        self.data, self.dtype = data, dtype

    def mapped(self, function, dtype=None):
        dtype = dtype or self.dtype

        def walk(data):
            if isinstance(data, list):
                return [walk(item) for item in data]
            return rounded(function(data), dtype)

        return Tensor(walk(self.data), dtype)

    def flat(self):
        def walk(data):
            if not isinstance(data, list):
                yield data
                return
            for item in data:
                yield from walk(item)

        return list(walk(self.data))

    def to(self, dtype):
        if dtype == "cuda":
            return self
        return self.mapped(lambda value: value, dtype)

    def abs(self):
        return self.mapped(abs)

    def max(self):
        return Tensor(max(self.flat()), self.dtype)

    def all(self):
        return Tensor(all(self.flat()), bool)

    def item(self):
        return self.data

    def tril(self, diagonal):
        return Tensor([[value and j <= i + diagonal for j, value in enumerate(row)]
                       for i, row in enumerate(self.data)], self.dtype)

    def __getitem__(self, index):
        return Tensor(self.data[index], self.dtype)

    def __mul__(self, factor):
        return self.mapped(lambda value: value * factor)

    def __sub__(self, other):
        return Tensor([rounded(a - b, self.dtype) for a, b in zip(self.data, other.data)],
                      self.dtype)

    def __matmul__(self, other):
        """Multiplies a matrix by a vector, or a vector by a matrix."""
        if isinstance(self.data[0], list):
            products = [dot(row, other.data) for row in self.data]
        else:
            products = [dot(self.data, column) for column in zip(*other.data)]
        return Tensor([rounded(value, self.dtype) for value in products], self.dtype)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


linalg = types.SimpleNamespace(
    vector_norm=lambda tensor: Tensor(math.hypot(*tensor.data), tensor.dtype))


def ones(shape, dtype):
    return Tensor([[True] * shape[1] for _ in range(shape[0])], dtype)


def isfinite(tensor):
    return tensor.mapped(math.isfinite, bool)


def softmax(tensor, dim):
    assert dim == 0
    most = max(tensor.data)
    weights = [math.exp(value - most) for value in tensor.data]
    return Tensor([rounded(weight / sum(weights), tensor.dtype) for weight in weights],
                  tensor.dtype)


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
    if fault in ("crash", "kill"):
        os.kill(os.getpid(), signal.SIGSEGV if fault == "crash" else signal.SIGKILL)
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
    return Tensor(out, float64).to(q.dtype)


def head(queries, keys, values, allows, scale):
    out = []
    for i, query in enumerate(queries):
        seen = [j for j in range(len(keys)) if allows(i, j)]
        if not seen:
            out.append([0.0] * len(query))
            continue
        weights = softmax(Tensor([dot(query, keys[j]) * scale for j in seen], float64), 0)
        out.append((weights @ Tensor([values[j] for j in seen], float64)).data)
    return out


def set_num_threads(count):
    assert count >= 1


chosen_backends = []


@contextlib.contextmanager
def sdpa_kernel(backend):
    chosen_backends.append(backend)
    yield
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


flushes = []
uint8 = "uint8"


def empty(size, dtype, device):
    assert (size, dtype, device) == (2 << 20, uint8, "cuda")
    return Bytes()


cuda = types.SimpleNamespace(
    Event=Event, is_available=lambda: True, synchronize=lambda: None, clock_rate=lambda: 1500,
    get_device_name=lambda ordinal: "Fake GPU",
    set_per_process_memory_fraction=lambda share: None,
    get_device_properties=lambda ordinal: types.SimpleNamespace(L2_cache_size=1 << 20,
                                                                total_memory=1 << 30))
inference_mode = contextlib.nullcontext
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
