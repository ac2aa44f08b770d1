// Converts between NPY arrays and tensors, with finite elements, in the requested type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/execute/verify/npy.h"
#include "kernels/allocator.h"

namespace qb {

struct NamedArray {
  std::string name;  // path, for messages
  NpyArray array;
};

// `[2, 768]`
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

// Writes all elements as `dtype` to `to`. Throws UsageError that names the file and the index of
// the first element that is not a finite number, or not finite in `dtype`.
void copy_finite(const NamedArray& array, DType dtype, void* to);

// Copies the array's elements with copy_finite() into a tensor of `extent`, which has as many.
[[nodiscard]] Tensor tensor_of(const NamedArray& array, DType dtype, const Extent& extent,
                               Allocator& memory, std::string_view label);

// Returns the bytes of an NPY file of `dtype` and `shape` with the elements of a contiguous f32
// tensor. Throws UsageError if a finite element is infinite in `dtype`.
[[nodiscard]] std::string npy_of(const TensorView& tensor, DType dtype,
                                 const std::vector<std::int64_t>& shape, std::string_view name);

}  // namespace qb
