// Between a user's NPY arrays and the tensors of a problem.
#pragma once

#include "harness/execute/verify/npy_tensor.h"
#include "harness/plan/problem.h"

namespace qb {

// Of arrays [n,d], [h,n,d] or [b,h,n,d]; missing leading dimensions are 1. Throws UsageError naming
// the file and both sizes where an array is empty, of another rank, or does not fit the others.
[[nodiscard]] Shape shape_of(const NamedArray& q, const NamedArray& k, const NamedArray& v);

// Throws UsageError unless q, k and v are of one type.
[[nodiscard]] DType common_dtype(const NamedArray& q, const NamedArray& k, const NamedArray& v);

}  // namespace qb
