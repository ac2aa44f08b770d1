// SPDX-License-Identifier: Apache-2.0
// Computes D of the backward pass, the sums of the rows of dO times O, element by element. A sum
// has eight parts, so that additions do not wait for each other.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/attention_backward.h"
#include "kernels/cpu/call_checks.h"
#include "kernels/cpu/score_rows.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

double dot(const std::byte* a, DType a_type, const std::byte* b, DType b_type, std::int64_t count) {
  constexpr std::int64_t kAtOnce = 256;
  constexpr std::int64_t kParts = 8;
  double x[kAtOnce];
  double y[kAtOnce];
  double part[kParts] = {};
  for (std::int64_t begin = 0; begin < count; begin += kAtOnce) {
    const std::int64_t n = std::min(kAtOnce, count - begin);
    convert(a + begin * size_of(a_type), a_type, x, DType::f64, n);
    convert(b + begin * size_of(b_type), b_type, y, DType::f64, n);
    std::int64_t i = 0;
    for (; i + kParts <= n; i += kParts)
      for (std::int64_t p = 0; p < kParts; ++p) part[p] += x[i + p] * y[i + p];
    for (; i < n; ++i) part[0] += x[i] * y[i];
  }
  double sum = 0.0;
  for (const double value : part) sum += value;
  return sum;
}

}  // namespace

void compute_delta(const TensorView& out, const TensorView& d_out, const TensorView& delta,
                   int threads) {
  const Extent& extent = out.extent;
  cpu::require_threads("compute_delta", threads);
  cpu::require_extent("compute_delta", "d_out", d_out.extent, extent);
  cpu::require_extent("compute_delta", "delta", delta.extent,
                      {extent.batch, extent.heads, extent.length, 1});
  if (delta.dtype != DType::f32)
    throw std::invalid_argument(
        fmt::format("compute_delta: delta must be f32, not {}", word(delta.dtype)));
  constexpr std::int64_t kRowsAtOnce = 64;
  cpu::for_each_row(
      extent, threads_for_bytes(out.bytes() + d_out.bytes(), threads), kRowsAtOnce,
      [&](std::int64_t b, std::int64_t h, std::int64_t row, int /*thread*/) {
        *delta.row_as<float>(b, h, row) = static_cast<float>(
            dot(out.row(b, h, row), out.dtype, d_out.row(b, h, row), d_out.dtype, extent.head_dim));
      });
}

}  // namespace qb
