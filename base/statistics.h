// SPDX-License-Identifier: Apache-2.0
// Medians with distribution-free intervals, and the fits that figures need, as pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

// What the same case, measured twice by the same program, differs by: the ratio of the second
// median to the first, and its interval from those of both medians. A ratio that is no further from
// 1 than this says nothing.
struct NoiseFloor {
  std::string case_label;
  double ratio = 1.0;
  double low = 1.0;
  double high = 1.0;

  [[nodiscard]] std::string text() const;
};

// The exponent b of y = a x^b by least squares on logarithms, of as many x as y; NaN for fewer than
// two distinct x, and where a value is not above 0.
[[nodiscard]] double fit_power(std::span<const double> x, std::span<const double> y);

// The x at which y, on straight lines over log x between points of ascending x, changes its side of
// `level`; the level itself counts as above.
[[nodiscard]] std::vector<double> crossings(std::span<const double> x, std::span<const double> y,
                                            double level);

}  // namespace qb
