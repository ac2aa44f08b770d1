// Between a user's NPY arrays and the tensors of a problem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/execute/npy.h"
#include "harness/plan/problem.h"
#include "kernels/allocator.h"

namespace qb {

struct NamedArray {
  std::string name;  // as messages name it: the path
  NpyArray array;
};

// Of arrays [n,d], [h,n,d] or [b,h,n,d]; missing leading dimensions are 1. Throws UsageError naming
// the file and both sizes where an array is empty, of another rank, or does not fit the others.
[[nodiscard]] Shape shape_of(const NamedArray& q, const NamedArray& k, const NamedArray& v);

// Throws UsageError unless q, k and v are of one type.
[[nodiscard]] DType common_dtype(const NamedArray& q, const NamedArray& k, const NamedArray& v);

// The array's elements as `dtype`. Throws UsageError naming the file and the index of the first
// element that is no finite number, or is none any more in `dtype`.
[[nodiscard]] Tensor tensor_of(const NamedArray& array, DType dtype, const Extent& extent,
                               Allocator& memory, std::string_view label);

// Bytes of an NPY file of `dtype` and `shape` that holds a contiguous f32 tensor. Throws UsageError
// where a finite element is infinite in `dtype`.
[[nodiscard]] std::string npy_of(const TensorView& tensor, DType dtype,
                                 const std::vector<std::int64_t>& shape, std::string_view name);

}  // namespace qb
