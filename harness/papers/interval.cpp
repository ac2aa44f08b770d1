// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/interval.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/verdict.h"

namespace qb {
namespace {

constexpr Interval kNoValue{kNoNumber, kNoNumber, kNoNumber};

Interval around(double value, std::span<const double> ends) {
  const auto [low, high] = std::ranges::minmax(ends);
  return {low, value, high};
}

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

Interval operator*(const Interval& a, const Interval& b) {
  if (!a.known() || !b.known()) return kNoValue;
  const double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return around(a.value * b.value, ends);
}

Interval operator/(const Interval& a, const Interval& b) {
  if (!a.known() || !b.known() || (b.low <= 0.0 && b.high >= 0.0)) return kNoValue;
  const double ends[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  return around(a.value / b.value, ends);
}

Interval monotone(const Interval& a, double (*function)(double)) {
  if (!a.known()) return kNoValue;
  const double ends[] = {function(a.low), function(a.high)};
  return around(function(a.value), ends);
}

}  // namespace qb
