#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qb {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double sorted_median(std::span<const double> sorted) {
  if (sorted.empty()) return kNan;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

// The mean, NaN for an empty sample. It adds from the least value up, so the order does not matter.
double mean(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double sum = 0.0;
  for (double value : sorted) sum += value;
  return sum / static_cast<double>(sorted.size());
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
  for (std::size_t r = 0; r < (n + 1) / 2; ++r) {
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

double median(std::span<const double> values) { return summarise(values).median; }

LinearFit fit_line(std::span<const double> x, std::span<const double> y) {
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (!(xx > 0.0)) return {kNan, kNan, kNan};
  const double slope = xy / xx;
  return {mean_y - slope * mean_x, slope, yy > 0.0 ? xy * xy / (xx * yy) : 1.0};
}

}  // namespace qb
