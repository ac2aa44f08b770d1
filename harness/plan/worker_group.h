// SPDX-License-Identifier: Apache-2.0
// Workers as a small group: Z_heads x Z_rows x Z_columns, of which a ring is 1 x 1 x W and Ulysses
// W x 1 x 1. Worker (h, y, x) has the index, its place, h + heads (y + rows x). Places are added
// axis by axis, each modulo the axis's size.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace qb {

// How grid, usp and mesh arrange workers: heads x rows x columns of them. 0: whatever sends the
// fewest bytes forward.
struct GridShape {
  int heads = 0;
  int rows = 0;
  int columns = 0;
  friend bool operator==(const GridShape&, const GridShape&) = default;
};

// Axes of the group, of which a set of places may span several.
inline constexpr unsigned kHeadsAxis = 1;
inline constexpr unsigned kRowsAxis = 2;
inline constexpr unsigned kEveryAxis = 7;

// The places that differ from `at` only on these axes, where `at` is 0. others: all but the
// worker's own, which is place 0 for worker 0.
struct PlaceSet {
  constexpr PlaceSet(int place = 0, unsigned spanned = 0, bool without_own = false)
      : at(place), axes(spanned), others(without_own) {}
  int at;
  unsigned axes;
  bool others;
  friend bool operator==(const PlaceSet&, const PlaceSet&) = default;
};

class WorkerGroup {
 public:
  using Digits = std::array<int, 3>;  // h, y, x

  WorkerGroup() = default;
  explicit WorkerGroup(const GridShape& shape) : sizes_{shape.heads, shape.rows, shape.columns} {}

  [[nodiscard]] int size() const { return sizes_[0] * sizes_[1] * sizes_[2]; }
  [[nodiscard]] int size(std::size_t axis) const { return sizes_[axis]; }
  [[nodiscard]] bool spans(unsigned axes, std::size_t axis) const {
    return (axes >> axis & 1U) != 0;
  }
  [[nodiscard]] Digits digits(int place) const {
    return {place % sizes_[0], place / sizes_[0] % sizes_[1], place / (sizes_[0] * sizes_[1])};
  }
  // Digits of any size and sign.
  [[nodiscard]] int place(const Digits& of) const {
    int place = 0;
    for (std::size_t axis = 3; axis-- > 0;)
      place = place * sizes_[axis] + (of[axis] % sizes_[axis] + sizes_[axis]) % sizes_[axis];
    return place;
  }
  [[nodiscard]] bool is_cyclic() const {
    return (sizes_[0] > 1) + (sizes_[1] > 1) + (sizes_[2] > 1) <= 1;
  }
  [[nodiscard]] int plus(int a, int b) const {
    if (is_cyclic()) return a + b < size() ? a + b : a + b - size();
    const Digits one = digits(a);
    const Digits two = digits(b);
    return place({one[0] + two[0], one[1] + two[1], one[2] + two[2]});
  }
  [[nodiscard]] int minus(int a) const {
    const Digits one = digits(a);
    return place({-one[0], -one[1], -one[2]});
  }
  // Returns how many places the set has.
  [[nodiscard]] int count(const PlaceSet& set) const;
  // Returns the set's places for a worker, ascending.
  [[nodiscard]] std::vector<int> places(const PlaceSet& set, int worker = 0) const;

 private:
  Digits sizes_{1, 1, 1};
};

}  // namespace qb
