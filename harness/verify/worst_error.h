// SPDX-License-Identifier: Apache-2.0
// The largest error of a tensor among the elements that are compared with float64, and where it is.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/tensor.h"

namespace qb {

// A row of a tensor, which is of a query or, in dK and dV, of a key.
struct RowPlace {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t row = 0;

  [[nodiscard]] std::string text(std::string_view of = "row") const {
    return fmt::format("batch {}, head {}, {} {}", batch, head, of, row);
  }
};

// The class of a row that sees so many keys: errors shrink with their number, so a row is judged
// among rows with more than half as many, up to the next power of two. The last row of 2^k tokens
// is one of the second half.
[[nodiscard]] inline int class_of_row(std::int64_t n_keys) {
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(n_keys, 1));
  return static_cast<int>(std::bit_width(most - 1));
}

// Returns the place of the first of `count` numbers that is NaN or infinite, `count` if none is.
[[nodiscard]] inline std::int64_t first_not_finite(const float* numbers, std::int64_t count) {
  constexpr std::int64_t kAtOnce = 16;
  constexpr std::uint32_t kExponent = 0x7f800000;
  std::int64_t x = 0;
  for (; x + kAtOnce <= count; x += kAtOnce) {
    std::uint32_t any = 0;  // an exponent of ones carries into the highest bit
    for (std::int64_t i = 0; i < kAtOnce; ++i)
      any |= (std::bit_cast<std::uint32_t>(numbers[x + i]) & kExponent) + 0x00800000;
    if (any >> 31 != 0) break;
  }
  while (x < count && std::isfinite(numbers[x])) ++x;
  return x;
}

// Looks at every row of a tensor, heads side by side, and returns what `flaw_of` a place says
// first.
template <class F>
[[nodiscard]] std::optional<std::string> first_flaw(const Extent& extent, int threads, F flaw_of) {
  const std::int64_t slices = extent.batch * extent.heads;
  std::vector<std::optional<std::string>> flaws(static_cast<std::size_t>(slices));
  parallel_for(slices, threads, 1, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t slice = begin; slice < end; ++slice) {
      std::optional<std::string>& flaw = flaws[static_cast<std::size_t>(slice)];
      RowPlace place{slice / extent.heads, slice % extent.heads, 0};
      for (; place.row < extent.length && !flaw; ++place.row) flaw = flaw_of(place);
    }
  });
  for (std::optional<std::string>& flaw : flaws)
    if (flaw) return std::move(flaw);
  return std::nullopt;
}

// Calls take(value) for the finite elements of a tensor, in order: keys that no query sees may have
// others.
template <class F>
void for_each_finite(const TensorView& view, F take) {
  std::vector<double> row(static_cast<std::size_t>(view.extent.head_dim));
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 0; t < view.extent.length; ++t) {
        convert(view.row(b, h, t), view.dtype, row.data(), DType::f64, view.extent.head_dim);
        for (const double value : row)
          if (std::isfinite(value)) take(value);
      }
}

// An error may be this many times that of a naive implementation in the inputs' precision.
inline constexpr double kNaiveFactor = 4.0;

// Weights of partials may be off by this part of themselves, because a float holds their LSE. An
// error beyond that is one.
inline constexpr double kMostLseRounding = 1.0 / 256.0;

inline constexpr const char* kLostWeights =
    "; the LSE of such rows, as one float32, does not tell the weights of their partials, as two "
    "it does (lse: two)";

// Says that the scores of some rows are too large for float32: a naive softmax is then off by a
// good part of what it computes. `score` is their largest. Empty where they are not.
[[nodiscard]] inline std::string unrepresentable(double score, double naive_error,
                                                 double magnitude) {
  const double apart = 2.0 * unit_roundoff(DType::f32) * score;
  constexpr double kMost = 1.0 / 16.0;
  if (!(apart > kMost) || !(naive_error > kMost * magnitude)) return {};
  return fmt::format(
      "float32 cannot hold the scores: at {:.3g} floats are {:.2g} apart, and a softmax of them is "
      "off by {:.3g} where the values are up to {:.3g}",
      score, apart, naive_error, magnitude);
}

// Beside the error it collects the numbers that its tolerance needs.
struct WorstError {
  double error = 0.0;
  double naive_error = 0.0;
  double magnitude = 0.0;
  std::int64_t elements = 0;
  RowPlace place{};
  std::int64_t element = 0;
  double got = 0.0;
  double want = 0.0;

  void add(const RowPlace& at, std::int64_t x, double value, double naive, double reference) {
    ++elements;
    naive_error = std::max(naive_error, std::abs(naive - reference));
    magnitude = std::max(magnitude, std::abs(reference));
    if (std::isnan(error) || std::abs(value - reference) <= error) return;  // NaN stays
    error = std::abs(value - reference);
    place = at;
    element = x;
    got = value;
    want = reference;
  }

  // Says what of `what` is wrong, in a row that is `of` a query (row) or a key.
  [[nodiscard]] std::string text(std::string_view what, double tolerance,
                                 std::string_view of = "row") const {
    return fmt::format("{} at {}, element {} is {}, want {}: error {:.3g}, tolerance {:.3g}", what,
                       place.text(of), element, got, want, error, tolerance);
  }
};

}  // namespace qb
