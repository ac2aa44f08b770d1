// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/execute/verify/worst_error.h"
#include "kernels/dtype.h"

namespace qb {
namespace {

constexpr double kOutputRoundoffs = 16.0;
constexpr double kStoredOutputRoundoffs = 2.0;  // added where the output is kept in 16 bits

// The place of the i-th element of [batch, rows, width].
struct Place {
  std::int64_t batch = 0;
  std::int64_t row = 0;
  std::int64_t element = 0;

  Place(std::int64_t i, std::int64_t rows, std::int64_t width)
      : batch(i / width / rows), row(i / width % rows), element(i % width) {}
  [[nodiscard]] std::string text() const {
    return fmt::format("the layer's output at batch {}, row {}, element {}", batch, row, element);
  }
};

}  // namespace

std::vector<std::int64_t> layer_rows_to_verify(std::int64_t n_tokens, std::int64_t block_tokens,
                                               std::int64_t max_rows, std::uint64_t seed) {
  const std::int64_t block = block_tokens == 0 ? n_tokens : block_tokens;
  std::set<std::int64_t> edges;
  for (std::int64_t begin = 0; begin < n_tokens; begin += block)
    edges.insert({begin, std::min(begin + block, n_tokens) - 1});
  return rows_to_verify(n_tokens, edges, max_rows, seed);
}

Verification verify_layer(const LayerQuestion& question, const float* y,
                          const std::vector<std::int64_t>& rows, int threads) {
  const LayerShape& shape = question.shape;
  const std::int64_t width = shape.hidden();
  const std::int64_t n = shape.states().elements();
  Verification verification =
      verify_finite({y, static_cast<std::size_t>(n)}, rows.size(),
                    [&](std::int64_t i) { return Place(i, shape.n_tokens, width).text(); });
  if (verification.correct || !verification.message.empty()) return verification;
  const std::vector<double> reference = reference_layer_rows(question, rows, threads);
  const std::vector<double> naive = naive_layer_rows(question, rows, threads);
  double magnitude = 0.0;
  RelativeL2 l2;
  std::size_t worst = 0;
  float got = 0.0f;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const Place place(static_cast<std::int64_t>(i), verification.rows, width);
    const std::int64_t row = rows[static_cast<std::size_t>(place.row)];
    const float value = y[(place.batch * shape.n_tokens + row) * width + place.element];
    l2.add(static_cast<double>(value), reference[i]);
    const double error = std::abs(static_cast<double>(value) - reference[i]);
    magnitude = std::max(magnitude, std::abs(reference[i]));
    verification.naive_error =
        std::max(verification.naive_error, std::abs(naive[i] - reference[i]));
    // A NaN stays the largest error.
    if (std::isnan(verification.max_error) || error <= verification.max_error) continue;
    verification.max_error = error;
    worst = i;
    got = value;
  }
  double roundoffs = kOutputRoundoffs * unit_roundoff(DType::f32);
  if (question.dtype != DType::f32)
    roundoffs += kStoredOutputRoundoffs * unit_roundoff(question.dtype);
  verification.relative_l2_error = l2.error();
  verification.tolerance = kNaiveFactor * verification.naive_error + roundoffs * magnitude;
  Place place(static_cast<std::int64_t>(worst), verification.rows, width);
  place.row = rows[static_cast<std::size_t>(place.row)];
  conclude(verification, place.text(), got, reference[worst]);
  return verification;
}

}  // namespace qb
