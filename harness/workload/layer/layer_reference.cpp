// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/verify/worst_error.h"
#include "harness/workload/layer/reference_parts.h"

namespace qb {
namespace {

constexpr double kOutputRoundoffs = 16.0;
constexpr double kStoredOutputRoundoffs = 2.0;  // added where the output is kept in 16 bits

std::string output_at(std::int64_t batch, std::int64_t row, std::int64_t element) {
  return fmt::format("the layer's output at batch {}, row {}, element {}", batch, row, element);
}

template <class T>
std::vector<double> layer_rows(const LayerQuestion& question, std::span<const std::int64_t> rows,
                               int threads) {
  std::vector<double> y;
  for (std::int64_t b = 0; b < question.shape.batch; ++b) {
    const reference_parts::Forward<T> forward(question, b, rows, threads);
    const std::span<T> of_sequence = forward.y.y.elements();
    y.insert(y.end(), of_sequence.begin(), of_sequence.end());
  }
  return y;
}

}  // namespace

std::vector<double> reference_layer_rows(const LayerQuestion& question,
                                         std::span<const std::int64_t> rows, int threads) {
  return layer_rows<double>(question, rows, threads);
}

std::vector<double> naive_layer_rows(const LayerQuestion& question,
                                     std::span<const std::int64_t> rows, int threads) {
  return layer_rows<float>(question, rows, threads);
}

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
  const std::int64_t n = shape.n_tokens;
  Verification verification = verify_finite(
      {y, static_cast<std::size_t>(shape.states().elements())}, rows.size(),
      [&](std::int64_t i) { return output_at(i / width / n, i / width % n, i % width); });
  if (verification.correct || !verification.message.empty()) return verification;
  const std::vector<double> reference = reference_layer_rows(question, rows, threads);
  const std::vector<double> naive = naive_layer_rows(question, rows, threads);
  RelativeL2 l2;
  WorstError worst;
  std::size_t i = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (const std::int64_t row : rows)
      for (std::int64_t x = 0; x < width; ++x, ++i) {
        const auto value = static_cast<double>(y[(b * n + row) * width + x]);
        l2.add(value, reference[i]);
        worst.add({b, 0, row}, x, value, naive[i], reference[i]);
      }
  double roundoffs = kOutputRoundoffs * unit_roundoff(DType::f32);
  if (question.dtype != DType::f32)
    roundoffs += kStoredOutputRoundoffs * unit_roundoff(question.dtype);
  verification.relative_l2_error = l2.error();
  conclude(verification, worst, kNaiveFactor * worst.naive_error + roundoffs * worst.magnitude,
           output_at(worst.place.batch, worst.place.row, worst.element));
  return verification;
}

}  // namespace qb
