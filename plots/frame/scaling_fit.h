// How a time grows with N: a power, a straight line, and how far it is from proportional.
#pragma once

#include <cstddef>
#include <span>

namespace qb {

// Least squares. time = factor * N^exponent on logarithms; time = intercept + slope * N;
// time = per_token * N with the geometric mean of time / N, and the largest deviation from it as a
// share of the fit: 0.05 says that all lengths agree within 5 %. NaN for fewer than two lengths, or
// where a value is not above 0.
struct ScalingFit {
  std::size_t points = 0;
  double exponent = 0.0;
  double power_r_squared = 0.0;
  double slope_s = 0.0;  // a token
  double intercept_s = 0.0;
  double linear_r_squared = 0.0;
  double per_token_s = 0.0;
  double largest_deviation = 0.0;
};
[[nodiscard]] ScalingFit fit_scaling(std::span<const double> n_tokens,
                                     std::span<const double> time_s);

}  // namespace qb
