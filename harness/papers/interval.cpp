// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/interval.h"

#include <algorithm>
#include <cmath>

#include "base/verdict.h"

namespace qb {
namespace {

constexpr Interval kNoValue{kNoNumber, kNoNumber, kNoNumber};

}  // namespace

bool Interval::known() const { return !std::isnan(value); }

bool Interval::overlaps(const Interval& other) const {
  // What follows exactly from the same decimals may still differ by the rounding of a double.
  const double slack = 1e-9 * std::max(std::abs(value), std::abs(other.value));
  return low <= other.high + slack && other.low <= high + slack;
}

Interval exactly(double value) { return {value, value, value}; }

Interval as_printed(std::string_view text) {
  if (text.empty()) return kNoValue;
  const Printed printed = parse_printed(text);
  const double half = printed.unit / 2.0;
  return {printed.value - half, printed.value, printed.value + half};
}

Interval operator-(const Interval& a) { return {-a.high, -a.value, -a.low}; }

Interval operator+(const Interval& a, const Interval& b) {
  return {a.low + b.low, a.value + b.value, a.high + b.high};
}

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval combined(const Interval& a, const Interval& b, double (*function)(double, double)) {
  if (!a.known() || !b.known()) return kNoValue;
  const double ends[] = {function(a.low, b.low), function(a.low, b.high), function(a.high, b.low),
                         function(a.high, b.high)};
  return {std::ranges::min(ends), function(a.value, b.value), std::ranges::max(ends)};
}

Interval operator*(const Interval& a, const Interval& b) {
  return combined(a, b, [](double x, double y) { return x * y; });
}

Interval operator/(const Interval& a, const Interval& b) {
  if (b.low <= 0.0 && b.high >= 0.0) return kNoValue;
  return combined(a, b, [](double x, double y) { return x / y; });
}

Interval monotone(const Interval& a, double (*function)(double)) {
  if (!a.known()) return kNoValue;
  const auto [low, high] = std::minmax({function(a.low), function(a.high)});
  return {low, function(a.value), high};
}

}  // namespace qb
