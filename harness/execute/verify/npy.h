// SPDX-License-Identifier: Apache-2.0
// NPY files: numpy's array format, versions 1 and 2, and tensors of their elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/allocator.h"

namespace qb {

struct NpyArray {
  std::string name;  // path, for messages
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;  // C order
};

// Parses the bytes of a file. Throws UsageError `NAME: …` for a wrong magic or version, a malformed
// header, Fortran order, big-endian or non-float types, and truncated or overlong data.
[[nodiscard]] NpyArray parse_npy(std::string_view bytes, std::string_view name);
[[nodiscard]] NpyArray read_npy(const std::string& path);

// Returns the version 1 bytes of a C-order array. Throws UsageError for bf16, which NPY lacks, and
// std::invalid_argument for a shape that no array can have.
[[nodiscard]] std::string npy_bytes(DType dtype, const std::vector<std::int64_t>& shape,
                                    const void* data);

[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);  // [2, 768]

// Writes all elements as `dtype` to `to`. Throws UsageError that names the file and the index of
// the first element that is not a finite number, or not finite in `dtype`.
void copy_finite(const NpyArray& array, DType dtype, void* to);

// Copies the array's elements with copy_finite() into a tensor of `extent`, which has as many.
[[nodiscard]] Tensor tensor_of(const NpyArray& array, DType dtype, const Extent& extent,
                               Allocator& memory, std::string_view label);

// Returns the bytes of an NPY file of `dtype` and `shape` with the elements of a contiguous f32
// tensor. Throws UsageError if a finite element is infinite in `dtype`.
[[nodiscard]] std::string npy_of(const TensorView& tensor, DType dtype,
                                 const std::vector<std::int64_t>& shape, std::string_view name);

}  // namespace qb
