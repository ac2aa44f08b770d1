// SPDX-License-Identifier: Apache-2.0
// Cuts the shapes of a pattern (mask_pattern.h) into pieces of a tile: rectangles with a slanted
// band in them, of which mask_tiles.h makes spans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/mask/mask.h"
#include "kernels/mask/mask_tiles.h"

namespace qb {

// Handles a group of queries against a group of keys, in the groups' indices: row i is at position
// first + i * stride, key j at key_first + j * stride.
class PieceMaker {
 public:
  // Row i of `rows` sees key j of `keys` iff i + low <= j <= i + high and j - i = phase mod step.
  struct Piece {
    Range rows;
    Range keys;
    std::int64_t low = -kUnbounded;
    std::int64_t high = kUnbounded;
    std::int64_t step = 1;
    std::int64_t phase = 0;

    // Returns the keys between the first and the last that the row sees.
    [[nodiscard]] Range live(std::int64_t row) const;
  };

  // A dilation keeps the pairs of the groups with j - i = phase mod step, 0 <= phase < step.
  struct Steps {
    std::int64_t step = 1;
    std::int64_t phase = 0;
  };

  PieceMaker(const Mask& mask, const MaskBlock& block);

  [[nodiscard]] std::optional<Steps> steps_of(std::int64_t dilation) const;  // nullopt: no pair

  // Returns the rows at which the pattern changes as a whole, ascending: tiles should end there.
  [[nodiscard]] std::vector<std::int64_t> cuts() const;
  // Appends the pieces of rows [begin, end).
  void make(const Range& rows, std::vector<Piece>& pieces) const;
  // Some random shapes are too fine for pieces: for those, scatter() calls function(key) for the
  // keys that a row sees, in any order and perhaps more than once.
  [[nodiscard]] bool scatters() const { return scatters_; }
  template <class Function>
  void scatter(std::int64_t row, Function function) const;

 private:
  [[nodiscard]] std::int64_t position(std::int64_t row) const { return first_ + row * stride_; }
  [[nodiscard]] Range keys_between(std::int64_t begin, std::int64_t end) const;
  [[nodiscard]] Range rows_between(std::int64_t begin, std::int64_t end) const;
  struct Target {  // the rows of a tile, and where the pieces of one shape go
    Range rows;
    bool causal;
    std::vector<Piece>& pieces;
  };
  void add(Piece piece, const Target& to) const;
  void make(const Pattern::Band& band, const Target& to) const;
  void make(const Pattern::Cells& cells, const Target& to) const;
  void make(const Pattern::Columns& columns, const Target& to) const;
  void make(const Pattern::Global& global, const Target& to) const;
  void make(const Pattern::Random& random, const Target& to) const;
  [[nodiscard]] bool scatters(const Pattern::Atom& atom) const;

  std::shared_ptr<const Pattern> pattern_;  // represents full and causal masks too
  std::int64_t first_;
  std::int64_t key_first_;
  std::int64_t stride_;
  std::int64_t n_rows_;
  std::int64_t n_keys_;
  bool scatters_ = false;
};

template <class Function>
void PieceMaker::scatter(std::int64_t row, Function function) const {
  const std::int64_t p = position(row);
  for (const Pattern::Atom& atom : pattern_->atoms) {
    if (!scatters(atom)) continue;
    const auto& random = std::get<Pattern::Random>(atom.shape);
    const std::int64_t last = atom.causal ? p : kUnbounded;
    if (stride_ == 1 && random.block == 1) {  // needs no division for each pair, and one comparison
      const std::int64_t first = key_first_;
      const std::int64_t n_seen = std::clamp<std::int64_t>(last - first + 1, 0, n_keys_);
      random.for_each_block(p, [&function, first, n_seen](std::int64_t drawn) {
        const std::int64_t key = drawn - first;
        if (static_cast<std::uint64_t>(key) < static_cast<std::uint64_t>(n_seen)) function(key);
      });
      continue;
    }
    random.for_each_block(floor_divide(p, random.block), [&](std::int64_t block) {
      const Range seen = keys_between(block * random.block, (block + 1) * random.block);
      for (std::int64_t key = seen.begin; key < seen.end; ++key)
        if (key_first_ + key * stride_ <= last) function(key);
    });
  }
}

}  // namespace qb
