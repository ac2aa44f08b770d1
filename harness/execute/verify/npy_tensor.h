// Between NPY arrays and tensors: with finite elements, in the type that is asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/execute/verify/npy.h"
#include "kernels/allocator.h"

namespace qb {

struct NamedArray {
  std::string name;  // as messages name it: the path
  NpyArray array;
};

// `[2, 768]`
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

// Writes all elements as `dtype` to `to`. Throws UsageError naming the file and the index of the
// first element that is no finite number, or is none any more in `dtype`.
void copy_finite(const NamedArray& array, DType dtype, void* to);

// The array's elements, of which `extent` has as many, as copy_finite takes them.
[[nodiscard]] Tensor tensor_of(const NamedArray& array, DType dtype, const Extent& extent,
                               Allocator& memory, std::string_view label);

// Bytes of an NPY file of `dtype` and `shape` that holds a contiguous f32 tensor. Throws UsageError
// where a finite element is infinite in `dtype`.
[[nodiscard]] std::string npy_of(const TensorView& tensor, DType dtype,
                                 const std::vector<std::int64_t>& shape, std::string_view name);

}  // namespace qb
