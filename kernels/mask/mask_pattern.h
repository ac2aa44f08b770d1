// A sparse pattern is a union of a few shapes over positions, each perhaps cut by the causal mask.
//
// Every pattern of a spec is a union of these five. A position p is a query's place in the sequence
// of keys: queries take its last places, as with the causal mask.
//   band     block_local's relatives along the diagonal: sliding and dilated windows, strides
//   cells    p and k in the same cell of a partition: block-local and variable windows
//   columns  keys at a fixed place of every period, for all queries: the summaries of `fixed`
//   global   some positions as rows and as columns
//   random   some blocks of keys for each block of rows, drawn with a seed
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/mask/drawn_elements.h"
#include "kernels/mask/row_permutation.h"
#include "kernels/tile_schedule.h"

namespace qb {

// Says how many pairs of a rectangle a mask allows.
enum class Coverage { none, all, partial };

// `count` positions: first, first + stride, …
struct Positions {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;

  [[nodiscard]] std::int64_t at(std::int64_t index) const { return first + index * stride; }
  [[nodiscard]] std::int64_t last() const { return at(count - 1); }
};

// Means a missing bound. It is small enough to be added to positions.
inline constexpr std::int64_t kUnbounded = std::int64_t{1} << 60;

[[nodiscard]] constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
[[nodiscard]] constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return -floor_divide(-a, b);
}

// A query at p sees the keys k in [p - left, p + right] for which k - p is a multiple of the
// dilation.
struct BandAtom {
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::int64_t dilation = 1;
};

// Cells have `block` positions each, or end at `ends` (ascending, the last one at the end of the
// keys).
struct CellsAtom {
  std::int64_t block = 0;
  std::vector<std::int64_t> ends;

  // Returns the positions of p's cell; an empty range before position 0.
  [[nodiscard]] KeyRange cell(std::int64_t p) const;
};

// Every query sees the keys k with k mod period >= first.
struct ColumnsAtom {
  std::int64_t period = 1;
  std::int64_t first = 0;
};

// The positions of these ascending runs see every key, and every query sees them.
struct GlobalAtom {
  std::vector<KeyRange> runs;
  [[nodiscard]] bool holds(std::int64_t position) const;
};

// Each block of rows sees `count` of the n_blocks blocks of keys, drawn with a seed.
struct RandomAtom {
  std::int64_t block = 1;
  std::int64_t count = 1;
  std::int64_t n_blocks = 1;
  std::uint64_t seed = 0;

  // Calls function(block) for the blocks of keys of a block of rows, in any order.
  template <class Function>
  void for_each_block(std::int64_t row_block, Function function) const {
    const RowPermutation row(static_cast<std::uint64_t>(n_blocks), seed,
                             static_cast<std::uint64_t>(row_block));
    cpu::for_each_drawn(row, static_cast<std::uint64_t>(count),
                        [&](std::uint64_t drawn) { function(static_cast<std::int64_t>(drawn)); });
  }
};

struct Atom {
  std::variant<BandAtom, CellsAtom, ColumnsAtom, GlobalAtom, RandomAtom> shape;
  bool causal = false;  // only keys k <= p are seen
};

// A pattern does not change once made, and copied masks share it.
struct Pattern {
  std::string text;  // the pattern as it is written in a spec
  std::vector<Atom> atoms;

  [[nodiscard]] bool allows(std::int64_t p, std::int64_t k) const;
  // The answers `none` and `all` are exact. `partial` may also be returned for one of those, where
  // several shapes fill the rectangle together or where the strides miss its pairs. The time
  // depends on the number of shapes, not of pairs.
  [[nodiscard]] Coverage coverage(const Positions& q, const Positions& k) const;
  // Returns true where no query sees a key after its own position, whatever the lengths are.
  [[nodiscard]] bool looks_back_only() const;
};

}  // namespace qb
