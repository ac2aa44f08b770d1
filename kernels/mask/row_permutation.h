// SPDX-License-Identifier: Apache-2.0
// A seeded permutation of 0, …, n - 1 that takes no memory: for the keys that a row of a random
// pattern keeps it answers both "is this one among them" and "which are they".
//
// It applies a few rounds of a bijection on the b bits of n - 1, x := (x * odd + key) mod 2^b,
// x := x ^ (x >> b/2), and repeats them until x is below n again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/hash.h"

namespace qb {

class RowPermutation {
 public:
  // Permutes [0, n), n >= 1. Each (seed, row) gives a permutation of its own.
  RowPermutation(std::uint64_t n, std::uint64_t seed, std::uint64_t row)
      : n_(n),
        bits_(static_cast<int>(std::bit_width(n - 1))),
        mask_(bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits_)) {
    SplitMix64 random(mixed(seed) ^ mixed(row * kGoldenGamma + 1));
    for (std::uint64_t& key : keys_) key = random();
  }

  // Returns the place of element x; x < n.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t x) const {
    do
      for (const std::uint64_t key : keys_) {
        x = (x * kOdd + key) & mask_;
        x ^= x >> shift();
      }
    while (x >= n_);
    return x;
  }
  // Returns the element at a place; place < n. draw_elements() finds many at a time.
  [[nodiscard]] std::uint64_t at(std::uint64_t place) const {
    std::uint64_t x = place;
    do
      for (int round = kRounds - 1; round >= 0; --round) {
        x ^= x >> shift();
        x = ((x - keys_[round]) * kInverse) & mask_;
      }
    while (x >= n_);
    return x;
  }

  // These are the parts of at(), for code that computes vectors of places.
  static constexpr int kRounds = 4;
  static constexpr std::uint64_t kOdd = 0xd1342543de82ef95u;
  static constexpr std::uint64_t kInverse = 0x572b5ee77a54e3bdu;
  static_assert(kOdd * kInverse == 1);
  [[nodiscard]] std::uint64_t size() const { return n_; }
  [[nodiscard]] std::uint64_t mask() const { return mask_; }  // the b bits
  [[nodiscard]] std::uint64_t key(int round) const { return keys_[round]; }
  // It is at least half of the bits, so that the xor is its own inverse.
  [[nodiscard]] int shift() const { return (bits_ + 1) / 2 + (bits_ == 0 ? 1 : 0); }

 private:
  std::uint64_t n_;
  int bits_;
  std::uint64_t mask_;
  std::uint64_t keys_[kRounds];
};

}  // namespace qb

// The code below finds the elements at the first places of a permutation, a vector of them at a
// time, because a random pattern draws a hundred million keys for 32768 tokens.
namespace qb::cpu {

inline constexpr std::size_t kMostDrawn = 512;  // at most this many places are computed at a time

struct DrawnElements {
  alignas(64) std::uint32_t at[kMostDrawn + 16];  // with room for a vector after the last one
};

// Writes the elements at the places [first, first + count) to drawn.at[0], …, in any order.
// count <= kMostDrawn, and all of [0, n) fits in 31 bits.
void draw_elements(const RowPermutation& row, std::uint64_t first, std::size_t count,
                   DrawnElements& drawn);

// Calls function(element) for the elements at the first `count` places, in any order.
template <class Function>
void for_each_drawn(const RowPermutation& row, std::uint64_t count, Function function) {
  if (row.mask() >> 31 != 0) {
    for (std::uint64_t place = 0; place < count; ++place) function(row.at(place));
    return;
  }
  DrawnElements drawn;
  for (std::uint64_t first = 0; first < count; first += kMostDrawn) {
    const std::size_t n = std::min<std::uint64_t>(kMostDrawn, count - first);
    draw_elements(row, first, n, drawn);
    for (std::size_t i = 0; i < n; ++i) function(std::uint64_t{drawn.at[i]});
  }
}

}  // namespace qb::cpu
