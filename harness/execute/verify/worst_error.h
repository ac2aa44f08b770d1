// SPDX-License-Identifier: Apache-2.0
// The largest error of a tensor among the elements that are compared with float64, and where it is.
#pragma once

#include <fmt/format.h>

#include <algorithm>
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

// An error may be this many times that of a naive implementation in the inputs' precision.
inline constexpr double kNaiveFactor = 4.0;

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
