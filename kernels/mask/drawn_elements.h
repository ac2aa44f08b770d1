// Finds the elements at the first places of a permutation, a vector of them at a time, because a
// random pattern draws a hundred million keys for 32768 tokens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/mask/row_permutation.h"

namespace qb::cpu {

// At most this many places are computed at a time.
inline constexpr std::size_t kMostDrawn = 512;

// There is room for a whole vector after the last element.
struct DrawnElements {
  alignas(64) std::uint32_t at[kMostDrawn + 16];
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
