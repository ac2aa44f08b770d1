// SPDX-License-Identifier: Apache-2.0
// A known answer that a compiler must get right with the flags that a room is compiled with.
// gcc 14.2 at -O1 drops the stores into the array behind an initializer_list when its ipa-modref
// pass and the dead-store elimination meet: the product is then [0, 4, 0]. Prints the product; ends
// with 0 if it is right.
#include <algorithm>
#include <cstdio>
#include <initializer_list>

namespace {

struct Interval {
  double low, value, high;
};

__attribute__((noinline)) Interval around(double value, std::initializer_list<double> ends) {
  return {std::min(ends), value, std::max(ends)};
}

__attribute__((noinline)) Interval product(const Interval& a, const Interval& b) {
  return around(a.value * b.value,
                {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

}  // namespace

int main() {
  const Interval got = product({1, 2, 3}, {1, 2, 3});
  std::printf("[%g, %g, %g]\n", got.low, got.value, got.high);
  return got.low == 1 && got.value == 4 && got.high == 9 ? 0 : 1;
}
