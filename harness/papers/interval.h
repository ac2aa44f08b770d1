// SPDX-License-Identifier: Apache-2.0
// A number that is known to lie between two others: a printed decimal stands for all that round to
// it, and what is calculated from printed decimals for all that follow from those.
#pragma once

#include <limits>
#include <string_view>

namespace qb {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

struct Interval {
  double low = 0.0;
  double value = 0.0;  // NaN: there is no value
  double high = 0.0;

  [[nodiscard]] bool known() const;
  [[nodiscard]] bool overlaps(const Interval& other) const;
};

[[nodiscard]] Interval exactly(double value);
// From half a unit of the last digit below to half a unit above; no value where the text is empty.
// Throws UsageError if it is not a number.
[[nodiscard]] Interval as_printed(std::string_view text);

[[nodiscard]] Interval operator-(const Interval& a);
[[nodiscard]] Interval operator+(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator-(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator*(const Interval& a, const Interval& b);
// No value where b may be 0.
[[nodiscard]] Interval operator/(const Interval& a, const Interval& b);

// Applies a function that never falls, or never rises, in either argument, to all pairs of ends.
[[nodiscard]] Interval combined(const Interval& a, const Interval& b,
                                double (*function)(double, double));
// Applies a function that never falls, or never rises, to both ends.
[[nodiscard]] Interval monotone(const Interval& a, double (*function)(double));

}  // namespace qb
