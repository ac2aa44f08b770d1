// Medians with distribution-free intervals, and the few fits that figures need. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace qb {

// Two-sided 95 % interval of the median from order statistics: sorted[low_index] to
// sorted[high_index]. Below six values 95 % cannot be reached; the interval is then the whole
// range and `coverage` says what it covers: 1 - 2^(1-n).
struct MedianInterval {
  std::size_t low_index = 0;
  std::size_t high_index = 0;
  double coverage = 0.0;
};
[[nodiscard]] MedianInterval median_interval(std::size_t n);

// All NaN (and n == 0) for an empty sample. stddev has n - 1 in the denominator, NaN for n < 2.
struct Summary {
  std::size_t n = 0;
  double median = 0.0;
  double low95 = 0.0;
  double high95 = 0.0;
  double coverage = 0.0;
  double mean = 0.0;
  double stddev = 0.0;
  double min = 0.0;
  double max = 0.0;
};
[[nodiscard]] Summary summarise(std::span<const double> values);

[[nodiscard]] double median(std::span<const double> values);

// The rule of the CQS-Attention case study: the largest value is dropped while it is at least
// 1.5 x the median, then the mean. Used only to recompute published numbers.
[[nodiscard]] double published_outlier_mean(std::span<const double> values);

// Least squares y = intercept + slope * x. NaN for fewer than two distinct x.
struct LinearFit {
  double intercept = 0.0;
  double slope = 0.0;
  double r_squared = 0.0;
};
[[nodiscard]] LinearFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace qb
