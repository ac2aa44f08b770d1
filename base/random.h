// SPDX-License-Identifier: Apache-2.0
// SplitMix64 (Steele, Lea and Flood, 2014): random numbers that are the same everywhere.
#pragma once

#include <cstdint>

#include "base/hash.h"

namespace qb {

// The finalizer of SplitMix64: a bijection after which every bit depends on every other.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The state is a counter, so that number i of a seed is mixed(seed + (i + 1) * kGoldenGamma).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() { return mixed(state_ += kGoldenGamma); }

 private:
  std::uint64_t state_;
};

}  // namespace qb
