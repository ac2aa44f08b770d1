// SPDX-License-Identifier: Apache-2.0
// What stands for all tokens: the means of segments, and random directions.
#include <cmath>
#include <random>

#include "kernels/cpu/score_rows.h"
#include "kernels/mixer/mixer.h"

namespace qb {

void segment_means(const TensorView& x, const TensorView& means) {
  const std::int64_t n = x.extent.length;
  const std::int64_t rank = means.extent.length;
  std::vector<float> row(static_cast<std::size_t>(x.extent.head_dim));
  cpu::for_each_row(means.extent, 1, 1, [&](std::int64_t b, std::int64_t h, std::int64_t s, int) {
    float* const mean = means.row_as<float>(b, h, s);
    std::fill_n(mean, x.extent.head_dim, 0.0f);
    const std::int64_t begin = s * n / rank;
    const std::int64_t end = (s + 1) * n / rank;
    for (std::int64_t j = begin; j < end; ++j) {
      convert(x.row(b, h / (means.extent.heads / x.extent.heads), j), x.dtype, row.data(),
              DType::f32, x.extent.head_dim);
      for (std::size_t e = 0; e < row.size(); ++e) mean[e] += row[e];
    }
    for (std::size_t e = 0; e < row.size(); ++e) mean[e] /= static_cast<float>(end - begin);
  });
}

void fill_orthogonal(const TensorView& omega, std::uint64_t seed) {
  const std::int64_t d = omega.extent.head_dim;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const auto dot = [d](const double* a, const double* b) {
    double sum = 0.0;
    for (std::int64_t x = 0; x < d; ++x) sum += a[x] * b[x];
    return sum;
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
