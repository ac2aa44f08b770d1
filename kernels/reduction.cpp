// SPDX-License-Identifier: Apache-2.0
#include "kernels/merge.h"

#include <algorithm>
#include <cmath>

#include "kernels/cuda/merge/reduction_rows.h"
#include "kernels/lse.h"

namespace qb {

void combine(const TensorView& target, const TensorView& source, Combine how) {
  float* const values = static_cast<float*>(target.data);
  const float* const come = static_cast<const float*>(source.data);
  const std::int64_t n = target.extent.elements();
  // The first number of an LSE of two numbers is its maximum.
  const std::int64_t every = n == 0 ? 1 : source.extent.elements() / n;
  for (std::int64_t i = 0; i < n; ++i) {
    const float one = come[i * every];
    values[i] = how == Combine::sum ? values[i] + one : std::max(values[i], one);
  }
}

void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                   const TensorView& denominator) {
  const ReductionRows p(out, lse, maximum, denominator);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    if (lse.extent.head_dim == 1) {
      weigh_lane<1>(p, row, 0);
      continue;
    }
    const RowLse own{p.lse[2 * row], p.lse[2 * row + 1]};
    const float weight =
        own.is_empty() ? 0.0f : std::exp2((own.maximum - p.maximum[row]) + own.rest);
    for (std::int64_t x = 0; x < p.width; ++x) p.out[row * p.width + x] *= weight;
    p.denominator[row] = weight;
  }
}

void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                       const TensorView& denominator) {
  const ReductionRows p(out, lse, maximum, denominator);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    if (lse.extent.head_dim == 1) {
      normalise_lane<1>(p, row, 0);
      continue;
    }
    for (std::int64_t x = 0; x < p.width; ++x)
      p.out[row * p.width + x] = row_output(p.out[row * p.width + x], p.denominator[row]);
    const RowLse whole = lse_of_sum(p.maximum[row], p.denominator[row]);
    p.lse[2 * row] = whole.maximum;
    p.lse[2 * row + 1] = whole.rest;
  }
}

}  // namespace qb
