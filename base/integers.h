// SPDX-License-Identifier: Apache-2.0
// Division that rounds up, and lists, of numbers that are not negative.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace qb {

// The least integer that is not below a / b; a >= 0, b > 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

[[nodiscard]] constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

// 0, 1, …, n - 1
template <class Integer>
[[nodiscard]] std::vector<Integer> integers_below(Integer n) {
  std::vector<Integer> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Integer{0});
  return all;
}

}  // namespace qb
