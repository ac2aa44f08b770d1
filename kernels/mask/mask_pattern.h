// SPDX-License-Identifier: Apache-2.0
// A sparse pattern is a union of shapes of five kinds, each perhaps cut by the causal mask. The
// position p of a query is its place in the sequence of keys, of which queries take the last ones:
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

#include "kernels/mask/row_permutation.h"
#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb {

enum class Coverage { none, all, partial };  // how many pairs of a rectangle a mask allows

inline constexpr std::int64_t kUnbounded = std::int64_t{1} << 60;  // small enough to be added to

[[nodiscard]] constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
[[nodiscard]] constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return -floor_divide(-a, b);
}

// A pattern does not change once made, and copied masks share it.
struct Pattern {
  // A query at p sees the keys k in [p - left, p + right] with k - p a multiple of dilation.
  struct Band {
    std::int64_t left = 0;
    std::int64_t right = 0;
    std::int64_t dilation = 1;
  };

  // Cells have `block` positions each, or end at `ends`: ascending, the last at the end of keys.
  struct Cells {
    std::int64_t block = 0;
    std::vector<std::int64_t> ends;

    // Returns the positions of p's cell; an empty range before position 0.
    [[nodiscard]] Range cell(std::int64_t p) const;
  };

  // Every query sees the keys k with k mod period >= first.
  struct Columns {
    std::int64_t period = 1;
    std::int64_t first = 0;
  };

  // The positions of these ascending runs see every key, and every query sees them.
  struct Global {
    std::vector<Range> runs;
  };

  // Each block of rows sees `count` of the n_blocks blocks of keys, drawn with a seed.
  struct Random {
    std::int64_t block = 1;
    std::int64_t count = 1;
    std::int64_t n_blocks = 1;
    std::uint64_t seed = 0;

    [[nodiscard]] RowPermutation order_of(std::int64_t row_block) const {
      return {static_cast<std::uint64_t>(n_blocks), seed, static_cast<std::uint64_t>(row_block)};
    }
    // Calls function(block) for the blocks of keys of a block of rows, in any order.
    template <class Function>
    void for_each_block(std::int64_t row_block, Function function) const {
      cpu::for_each_drawn(order_of(row_block), static_cast<std::uint64_t>(count),
                          [&](std::uint64_t drawn) { function(static_cast<std::int64_t>(drawn)); });
    }
  };

  struct Atom {
    std::variant<Band, Cells, Columns, Global, Random> shape;
    bool causal = false;  // only keys k <= p are seen
  };

  std::string text;  // the pattern as it is written in a spec
  std::vector<Atom> atoms;

  [[nodiscard]] bool allows(std::int64_t p, std::int64_t k) const;
  // `none` and `all` are exact; `partial` may stand for either where several shapes fill the
  // rectangle or strides miss its pairs. The time depends on the number of shapes, not of pairs.
  [[nodiscard]] Coverage coverage(const TokenGroup& q, const TokenGroup& k) const;
  // Returns true where no query sees a key after its own position, whatever the lengths are.
  [[nodiscard]] bool looks_back_only() const;
};

}  // namespace qb
