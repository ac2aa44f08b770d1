# SPDX-License-Identifier: Apache-2.0
"""For tests only: tensors as nested lists, whose values are rounded to their type."""

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

    def joined(self, other, function):
        """Maps pairs of elements. `other` may be a number, or be one column of a matrix."""
        if not isinstance(other, Tensor):
            return self.mapped(lambda value: function(value, other))
        assert other.dtype in (self.dtype, bool)

        def walk(a, b):
            if not isinstance(a, list):
                return rounded(function(a, b), self.dtype)
            assert len(b) in (1, len(a))
            return [walk(x, y) for x, y in zip(a, b * (len(a) // len(b)))]

        return Tensor(walk(self.data, other.data), self.dtype)

    def flat(self):
        def walk(data):
            if not isinstance(data, list):
                yield data
                return
            for item in data:
                yield from walk(item)

        return list(walk(self.data))

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
        assert (self.shape(), self.dtype) == (other.shape(), other.dtype)
        self.data = other.data
        return self

    def abs(self):
        return self.mapped(abs)

    def max(self):
        return Tensor(max(self.flat()), self.dtype)

    def all(self):
        return Tensor(all(self.flat()), bool)

    def sum(self, dim, keepdim):
        assert dim == 1 and keepdim
        return Tensor([[rounded(sum(row), self.dtype)] for row in self.data], self.dtype)

    def item(self):
        return self.data

    def tril(self, diagonal):
        return Tensor([[value and j <= i + diagonal for j, value in enumerate(row)]
                       for i, row in enumerate(self.data)], self.dtype)

    def logical_not(self):
        return self.mapped(lambda value: not value)

    def masked_fill(self, mask, value):
        return self.joined(mask, lambda own, masked: value if masked else own)

    @property
    def T(self):  # pylint: disable=invalid-name
        return Tensor([list(column) for column in zip(*self.data)], self.dtype)

    def __getitem__(self, index):
        """Takes a number, a slice, a list, or columns as a pair of a slice and a list."""
        if isinstance(index, tuple):
            rows, columns = index
            return Tensor([[row[j] for j in columns] for row in self.data[rows]], self.dtype)
        if isinstance(index, list):
            return Tensor([self.data[i] for i in index], self.dtype)
        return Tensor(self.data[index], self.dtype)

    def __add__(self, other):
        return self.joined(other, lambda a, b: a + b)

    def __mul__(self, other):
        return self.joined(other, lambda a, b: a * b)

    def __sub__(self, other):
        return self.joined(other, lambda a, b: a - b)

    def __matmul__(self, other):
        """Multiplies two matrices, a matrix by a vector, or a vector by a matrix."""
        def product(a):
            if isinstance(a[0], list):
                return [product(row) for row in a]
            if not isinstance(other.data[0], list):
                return rounded(dot(a, other.data), self.dtype)
            return [rounded(dot(a, column), self.dtype) for column in columns]

        assert self.dtype == other.dtype
        columns = list(zip(*other.data)) if isinstance(other.data[0], list) else None
        return Tensor(product(self.data), self.dtype)


def dot(a, b):
    assert len(a) == len(b)
    return sum(map(operator.mul, a, b))
