# SPDX-License-Identifier: Apache-2.0
"""For tests only: tensors as nested lists, whose values are rounded to their type."""

import ctypes
import operator
import struct

float64, float32, float16, bfloat16 = "float64", "float32", "float16", "bfloat16"
bool = "bool"  # pylint: disable=redefined-builtin
inferring = []  # the modes of the surrounding inference_mode(), the innermost last


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

    requires_grad = False
    graph = None  # of an output: what autograd needs

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

    @property
    def shape(self):
        data, extents = self.data, []
        while isinstance(data, list):
            extents.append(len(data))
            data = data[0] if data else None
        return extents

    def to(self, dtype):
        if dtype in ("cuda", self.dtype):
            return self
        return self.mapped(lambda value: value, dtype)

    def requires_grad_(self):
        assert not any(inferring), "tensors of inference mode have no gradients"
        self.requires_grad = True
        return self

    def copy_(self, other):
        assert (self.shape, self.dtype) == (other.shape, other.dtype)
        self.data = other.data
        return self

    def detach(self):
        return self

    cpu = contiguous = detach

    def data_ptr(self):
        """Returns where the bytes of the elements are."""
        def packed(value):
            if self.dtype == bfloat16:
                return struct.pack("f", value)[2:]
            return struct.pack({float32: "f", float16: "e"}[self.dtype], value)

        self.buffer = ctypes.create_string_buffer(b"".join(map(packed, self.flat())))
        return ctypes.addressof(self.buffer)

    def numel(self):
        return len(self.flat())

    def element_size(self):
        return {float32: 4, float16: 2, bfloat16: 2}[self.dtype]

    def tril(self, diagonal):
        return Tensor([[value and j <= i + diagonal for j, value in enumerate(row)]
                       for i, row in enumerate(self.data)], self.dtype)


def dot(a, b):
    assert len(a) == len(b)
    return sum(map(operator.mul, a, b))
