// Medians with distribution-free intervals, and the fits that figures need, as pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qb {

// The median, and its two-sided 95 % interval from order statistics. Fewer than six values cannot
// reach 95 %; the interval is then the whole range and `coverage` is 1 - 2^(1-n). All fields are
// NaN and n is 0 for an empty sample.
struct Summary {
  std::size_t n = 0;
  double median = 0.0;
  double low95 = 0.0;
  double high95 = 0.0;
  double coverage = 0.0;
};
[[nodiscard]] Summary summarise(std::span<const double> values);

// What the repeats of a row can say: `5 (94 %)` is their number and the coverage of the interval of
// their median. `5 (94 %), 2 disturbed` left two others out; `8 (99 %), 6 disturbed by neighbours`
// could not. `-` if n is NaN.
[[nodiscard]] std::string repeats_text(double n, double coverage, double disturbed,
                                       std::string_view disturbed_by);

[[nodiscard]] double median(std::span<const double> values);

// The least-squares fit y = intercept + slope * x; NaN for fewer than two distinct x.
struct LinearFit {
  double intercept = 0.0;
  double slope = 0.0;
  double r_squared = 0.0;
};
[[nodiscard]] LinearFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace qb
