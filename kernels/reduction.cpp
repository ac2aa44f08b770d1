// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction.h"

#include <algorithm>

#include "kernels/cuda/merge/reduction_rows.h"

namespace qb {

void combine(const TensorView& target, const TensorView& source, Combine how) {
  float* const values = static_cast<float*>(target.data);
  const float* const come = static_cast<const float*>(source.data);
  const std::int64_t n = target.extent.elements();
  for (std::int64_t i = 0; i < n; ++i)
    values[i] = how == Combine::sum ? values[i] + come[i] : std::max(values[i], come[i]);
}

void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                   const TensorView& denominator) {
  const ReductionRows p(out, lse, maximum, denominator);
  for (std::int64_t row = 0; row < p.rows; ++row) weigh_lane<1>(p, row, 0);
}

void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                       const TensorView& denominator) {
  const ReductionRows p(out, lse, maximum, denominator);
  for (std::int64_t row = 0; row < p.rows; ++row) normalise_lane<1>(p, row, 0);
}

}  // namespace qb
