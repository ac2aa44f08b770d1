#include "harness/workload/layer/layer_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/dtype.h"

namespace qb {
namespace {

constexpr double kNaiveFactor = 4.0;
constexpr double kRoundoffs = 16.0;
constexpr double kStoredRoundoffs = 2.0;  // added where the output is kept in 16 bits

struct Place {
  std::int64_t batch = 0;
  std::int64_t row = 0;
  std::int64_t element = 0;
};

std::string to_text(const Place& place) {
  return fmt::format("batch {}, row {}, element {}", place.batch, place.row, place.element);
}

// The place of the i-th element of [batch, rows, width].
Place place_of(std::int64_t i, std::int64_t rows, std::int64_t width) {
  return {i / width / rows, i / width % rows, i % width};
}

}  // namespace

std::vector<std::int64_t> layer_rows_to_verify(std::int64_t n_tokens, std::int64_t block_tokens,
                                               std::int64_t max_rows, std::uint64_t seed) {
  const std::int64_t block = block_tokens == 0 ? n_tokens : block_tokens;
  Plan blocks;  // only its groups matter: rows_to_verify takes their edges
  blocks.problem.shape.q_len = n_tokens;
  blocks.problem.seed = seed;
  for (std::int64_t begin = 0; begin < n_tokens; begin += block)
    blocks.q_groups.push_back({begin, std::min(block, n_tokens - begin), 1});
  return rows_to_verify(blocks, max_rows);
}

Verification verify_layer(const LayerQuestion& question, const float* y,
                          const std::vector<std::int64_t>& rows, int threads) {
  const LayerShape& shape = question.shape;
  const std::int64_t width = shape.hidden();
  Verification verification;
  verification.rows = static_cast<std::int64_t>(rows.size());
  verification.lse_max_error = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t n = shape.states().elements();
  const float* const flaw =
      std::find_if(y, y + n, [](float value) { return !std::isfinite(value); });
  if (flaw != y + n) {
    verification.max_error = std::numeric_limits<double>::quiet_NaN();
    verification.message =
        fmt::format("the layer's output at {} is {}: never written, or not a number",
                    to_text(place_of(flaw - y, shape.n_tokens, width)), *flaw);
    return verification;
  }
  verification.correct = rows.empty();
  if (verification.correct) return verification;
  const std::vector<double> reference = reference_layer_rows(question, rows, threads);
  const std::vector<double> naive = naive_layer_rows(question, rows, threads);
  double magnitude = 0.0;
  std::size_t worst = 0;
  double got = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const Place place = place_of(static_cast<std::int64_t>(i), verification.rows, width);
    const std::int64_t row = rows[static_cast<std::size_t>(place.row)];
    const auto value =
        static_cast<double>(y[(place.batch * shape.n_tokens + row) * width + place.element]);
    magnitude = std::max(magnitude, std::abs(reference[i]));
    verification.naive_error =
        std::max(verification.naive_error, std::abs(naive[i] - reference[i]));
    // A NaN stays the largest error.
    if (std::isnan(verification.max_error) ||
        std::abs(value - reference[i]) <= verification.max_error)
      continue;
    verification.max_error = std::abs(value - reference[i]);
    worst = i;
    got = value;
  }
  double roundoffs = kRoundoffs * unit_roundoff(DType::f32);
  if (question.dtype != DType::f32) roundoffs += kStoredRoundoffs * unit_roundoff(question.dtype);
  verification.tolerance = kNaiveFactor * verification.naive_error + roundoffs * magnitude;
  verification.correct = verification.max_error <= verification.tolerance;
  if (verification.correct) return verification;
  Place place = place_of(static_cast<std::int64_t>(worst), verification.rows, width);
  place.row = rows[static_cast<std::size_t>(place.row)];
  verification.message = fmt::format(
      "the layer's output at {} is {}, want {}: error {:.3g}, tolerance {:.3g}", to_text(place),
      got, reference[worst], verification.max_error, verification.tolerance);
  return verification;
}

}  // namespace qb
