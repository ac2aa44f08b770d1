#include "plots/frame/scaling_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/statistics.h"

namespace qb {
namespace {

bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0.0; });
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> out;
  for (const double value : values) out.push_back(std::log(value));
  return out;
}

}  // namespace

ScalingFit fit_scaling(std::span<const double> n_tokens, std::span<const double> time_s) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::size_t points = n_tokens.size();
  if (points < 2 || !all_positive(n_tokens) || !all_positive(time_s))
    return {points, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  const std::vector<double> log_n = logarithms(n_tokens);
  const std::vector<double> log_time = logarithms(time_s);
  const LinearFit power = fit_line(log_n, log_time);
  const LinearFit line = fit_line(n_tokens, time_s);
  double sum = 0.0;
  for (std::size_t i = 0; i < points; ++i) sum += log_time[i] - log_n[i];
  const double per_token_s = std::exp(sum / static_cast<double>(points));
  double deviation = 0.0;
  for (std::size_t i = 0; i < points; ++i)
    deviation = std::max(deviation, std::abs(time_s[i] / (per_token_s * n_tokens[i]) - 1.0));
  return {points,         power.slope,    power.r_squared, line.slope,
          line.intercept, line.r_squared, per_token_s,     deviation};
}

}  // namespace qb
