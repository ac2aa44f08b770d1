// What the shapes of a pattern leave of a tile: rectangles with a slanted band in them. Between
// mask_pattern.h, which speaks of positions, and mask_tiles.h, which makes spans of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/mask.h"
#include "kernels/mask_tiles.h"

namespace qb {

// Rows i of `rows` see those keys j of `keys` with i + low <= j <= i + high and j - i = phase mod
// step. Indices of the groups, not positions.
struct Piece {
  KeyRange rows;
  KeyRange keys;
  std::int64_t low = -kUnbounded;
  std::int64_t high = kUnbounded;
  std::int64_t step = 1;
  std::int64_t phase = 0;

  // Keys between the first and the last of a row.
  [[nodiscard]] KeyRange live(std::int64_t row) const;
};

// A group of queries against a group of keys, in the groups' indices: row i stands at position
// first + i * stride, key j at key_first + j * stride.
class PieceMaker {
 public:
  PieceMaker(const Mask& mask, const MaskBlock& block);

  // Rows before which a tile had better end, ascending: there the pattern changes as a whole.
  [[nodiscard]] std::vector<std::int64_t> cuts() const;
  // Appends the pieces of rows [begin, end).
  void make(const KeyRange& rows, std::vector<Piece>& pieces) const;
  // Random shapes too fine for pieces: appends the keys that row i sees of them, in any order.
  [[nodiscard]] bool scatters() const { return scatters_; }
  void scatter(std::int64_t row, std::vector<std::int64_t>& keys) const;

 private:
  [[nodiscard]] std::int64_t position(std::int64_t row) const { return first_ + row * stride_; }
  [[nodiscard]] KeyRange keys_between(std::int64_t begin, std::int64_t end) const;
  [[nodiscard]] KeyRange rows_between(std::int64_t begin, std::int64_t end) const;
  void add(Piece piece, bool causal, std::vector<Piece>& pieces) const;
  void make(const BandAtom& band, const KeyRange& rows, bool causal, std::vector<Piece>& to) const;
  void make(const CellsAtom& cells, const KeyRange& rows, bool causal,
            std::vector<Piece>& to) const;
  void make(const ColumnsAtom& columns, const KeyRange& rows, bool causal,
            std::vector<Piece>& to) const;
  void make(const GlobalAtom& global, const KeyRange& rows, bool causal,
            std::vector<Piece>& to) const;
  void make(const RandomAtom& random, const KeyRange& rows, bool causal,
            std::vector<Piece>& to) const;
  [[nodiscard]] bool scatters(const Atom& atom) const;

  std::shared_ptr<const Pattern> pattern_;  // stands for full and causal masks too
  std::int64_t first_;
  std::int64_t key_first_;
  std::int64_t stride_;
  std::int64_t n_rows_;
  std::int64_t n_keys_;
  bool scatters_ = false;
};

}  // namespace qb
