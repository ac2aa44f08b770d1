// SPDX-License-Identifier: Apache-2.0
// What stands for all tokens: the means of segments, and random directions.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/merge.h"
#include "kernels/mixer/mixer.h"

namespace qb {

void segment_means(const TensorView& x, const TensorView& means, std::int64_t first_token,
                   std::int64_t all_tokens) {
  const std::int64_t n = all_tokens == 0 ? x.extent.length : all_tokens;
  const std::int64_t last = first_token + x.extent.length;
  const Extent& of = means.extent;
  clear_rows(means);
  for (std::int64_t item = 0; item < of.batch * of.heads * of.length; ++item) {
    const std::int64_t s = item % of.length;
    const std::int64_t head = item / of.length % of.heads;
    const std::int64_t b = item / of.length / of.heads;
    const std::int64_t begin = s * n / of.length;
    const std::int64_t end = (s + 1) * n / of.length;
    const std::int64_t from = std::max(begin, first_token);
    const std::int64_t to = std::min(end, last);
    if (from >= to) continue;
    TensorView segment =
        x.heads(head / (of.heads / x.extent.heads), 1).tokens(from - first_token, to - from);
    segment.data = segment.row(b, 0, 0);
    segment.extent.batch = 1;
    // All rows of the segment are added to one row.
    TensorView mean = segment;
    mean.data = means.row(b, head, s);
    mean.dtype = DType::f32;
    mean.token_stride = 0;
    add_rows(mean, segment);
    for (std::int64_t e = 0; e < of.head_dim; ++e)
      static_cast<float*>(mean.data)[e] /= static_cast<float>(end - begin);
  }
}

void fill_orthogonal(const TensorView& omega, std::uint64_t seed) {
  const std::int64_t d = omega.extent.head_dim;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const auto dot = [d](const double* a, const double* b) {
    return std::inner_product(a, a + d, b, 0.0);
  };
  std::vector<double> block(static_cast<std::size_t>(d * d));
  std::vector<double> other(static_cast<std::size_t>(d));
  for (std::int64_t r = 0; r < omega.extent.length; ++r) {
    double* const row = block.data() + r % d * d;
    for (std::int64_t x = 0; x < d; ++x) row[x] = normal(engine);
    for (double& x : other) x = normal(engine);
    for (int pass = 0; pass < 2; ++pass)  // once more, against rounding
      for (const double* before = block.data(); before != row; before += d) {
        const double shared = dot(row, before);
        for (std::int64_t x = 0; x < d; ++x) row[x] -= shared * before[x];
      }
    const double length = std::sqrt(dot(row, row));
    for (std::int64_t x = 0; x < d; ++x) row[x] /= length;
    const double norm = std::sqrt(dot(other.data(), other.data()));
    for (std::int64_t x = 0; x < d; ++x)
      omega.row_as<float>(0, 0, r)[x] = static_cast<float>(row[x] * norm);
  }
}

}  // namespace qb
