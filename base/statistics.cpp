// SPDX-License-Identifier: Apache-2.0
#include "base/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/host_activity.h"

namespace qb {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double sorted_median(std::span<const double> sorted) {
  if (sorted.empty()) return kNan;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

// The mean, NaN for an empty sample.
double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Summary summarise(std::span<const double> values) {
  if (values.empty()) return {0, kNan, kNan, kNan, kNan};
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  const double count = static_cast<double>(n);
  Summary s{n, sorted_median(sorted), sorted.front(), sorted.back(),
            1.0 - std::pow(2.0, 1.0 - count)};
  // P(the median lies outside [x_(r), x_(n+1-r)]) = 2 P(Binomial(n, 1/2) < r); take the largest r
  // that keeps it at most 5 %. Terms come from logarithms so that large n do not overflow.
  double tail = 0.0;
  for (std::size_t r = 0; r < n; ++r) {
    const double k = static_cast<double>(r);
    tail += std::exp(std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1) -
                     count * std::log(2.0));
    if (2.0 * tail > 0.05) break;
    s.low95 = sorted[r];
    s.high95 = sorted[n - 1 - r];
    s.coverage = 1.0 - 2.0 * tail;
  }
  return s;
}

std::string repeats_text(double n, double coverage, double disturbed,
                         std::string_view disturbed_by) {
  if (std::isnan(n)) return "-";
  std::string text = fmt::format("{:g}", n);
  // More digits than two would only say that the interval is wide enough.
  if (n > 1.0) text += fmt::format(" ({:.2g} %)", std::floor(100.0 * coverage));
  if (disturbed > 0.0) text += fmt::format(", {:g} disturbed", disturbed);
  if (!disturbed_by.empty()) text += fmt::format(" by {}", disturbance_text(disturbed_by));
  return text;
}

double median(std::span<const double> values) { return summarise(values).median; }

double fit_power(std::span<const double> x, std::span<const double> y) {
  const auto logs = [](std::span<const double> values) {
    std::vector<double> out;
    for (const double value : values) out.push_back(value > 0.0 ? std::log(value) : kNan);
    return out;
  };
  const std::vector<double> u = logs(x);
  const std::vector<double> v = logs(y);
  const double mean_u = mean(u);
  const double mean_v = mean(v);
  double uu = 0.0, uv = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    uu += (u[i] - mean_u) * (u[i] - mean_u);
    uv += (u[i] - mean_u) * (v[i] - mean_v);
  }
  return uu > 0.0 ? uv / uu : kNan;
}

std::vector<double> crossings(std::span<const double> x, std::span<const double> y, double level) {
  std::vector<double> found;
  for (std::size_t i = 1; i < y.size(); ++i) {
    if ((y[i - 1] < level) == (y[i] < level)) continue;
    const double part = (y[i - 1] - level) / (y[i - 1] - y[i]);
    found.push_back(x[i - 1] * std::pow(x[i] / x[i - 1], part));
  }
  return found;
}

std::string NoiseFloor::text() const {
  return fmt::format(
      "Noise check: {} measured twice differs by a factor {:.3f} [{:.3f}, {:.3f}]; do not believe "
      "speed-ups closer to 1 than this",
      case_label, ratio, low, high);
}

}  // namespace qb
