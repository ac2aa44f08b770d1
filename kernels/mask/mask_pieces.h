// Cuts the shapes of a pattern into pieces of a tile: rectangles with a slanted band in them. This
// step comes between mask_pattern.h, which describes positions, and mask_tiles.h, which makes
// spans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "kernels/mask/mask.h"
#include "kernels/mask/mask_tiles.h"

namespace qb {

// Rows i of `rows` see those keys j of `keys` with i + low <= j <= i + high and j - i = phase mod
// step. These are indices in the groups, not positions.
struct Piece {
  KeyRange rows;
  KeyRange keys;
  std::int64_t low = -kUnbounded;
  std::int64_t high = kUnbounded;
  std::int64_t step = 1;
  std::int64_t phase = 0;

  // Returns the keys between the first and the last that the row sees.
  [[nodiscard]] KeyRange live(std::int64_t row) const;
};

// A dilation keeps the pairs of a block with j - i = phase mod step, 0 <= phase < step; nullopt
// where it keeps none.
struct BandSteps {
  std::int64_t step = 1;
  std::int64_t phase = 0;
};
[[nodiscard]] std::optional<BandSteps> band_steps(const Mask& mask, const MaskBlock& block,
                                                  std::int64_t dilation);

// Handles a group of queries against a group of keys, in the groups' indices: row i is at position
// first + i * stride, key j at key_first + j * stride.
class PieceMaker {
 public:
  PieceMaker(const Mask& mask, const MaskBlock& block);

  // Returns the rows at which the pattern changes as a whole, ascending: tiles should end there.
  [[nodiscard]] std::vector<std::int64_t> cuts() const;
  // Appends the pieces of rows [begin, end).
  void make(const KeyRange& rows, std::vector<Piece>& pieces) const;
  // Some random shapes are too fine for pieces: for those, scatter() calls function(key) for the
  // keys that a row sees, in any order and perhaps more than once.
  [[nodiscard]] bool scatters() const { return scatters_; }
  template <class Function>
  void scatter(std::int64_t row, Function function) const;

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
  for (const Atom& atom : pattern_->atoms) {
    if (!scatters(atom)) continue;
    const auto& random = std::get<RandomAtom>(atom.shape);
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
      const KeyRange seen = keys_between(block * random.block, (block + 1) * random.block);
      for (std::int64_t key = seen.begin; key < seen.end; ++key)
        if (key_first_ + key * stride_ <= last) function(key);
    });
  }
}

// Splits dilated windows and strides into residue classes: among every stride-th token they are
// plain windows and blocks, which tiles compute without waste. So besides the tiles of near tokens
// a schedule may hold one schedule for each class (TileSchedule::classes).

// Splits the shapes of a pattern into two parts, over a group of queries and a group of keys.
struct ResidueSplit {
  Mask near;                // every other shape; may be none
  Mask far;                 // bands of one dilation: row i sees only keys j = i + phase mod stride
  std::int64_t stride = 1;  // in indices of the groups
  std::int64_t phase = 0;   // in [0, stride)

  // Returns the groups of the class that begins with row `first`; its keys begin with row (first +
  // phase) mod stride, and there may be none.
  [[nodiscard]] MaskBlock class_block(const MaskBlock& whole, std::int64_t first) const;
};

// Returns nullopt where the pattern has no such band, or its classes are too short to fill a
// vector.
[[nodiscard]] std::optional<ResidueSplit> split_by_residue(const Mask& mask,
                                                           const MaskBlock& block);

}  // namespace qb
