// SPDX-License-Identifier: Apache-2.0
// Makes the tiles of a schedule, for mask_tiles.h, from the pieces that mask_pieces.h cuts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernels/mask/mask_pieces.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/tile_schedule.h"

namespace qb {

class TileMaker {
 public:
  // With `share`, equal blocks of bits are stored once.
  TileMaker(TileSchedule& schedule, bool share, int threads = 1)
      : schedule_(schedule), share_(share), threads_(threads) {}

  // Leaves these pairs out of all tiles that follow. `without` must not scatter.
  void leave_out(const PieceMaker& without) { without_ = &without; }

  // Adds rows [rows.begin, rows.end) of a group of queries against the groups of keys, ascending.
  void add_tile(std::span<const MaskBlock> blocks, std::span<const PieceMaker> makers,
                const Range& rows);

 private:
  using Piece = PieceMaker::Piece;

  // Sweeps over the keys at which a piece begins or ends.
  void add_spans(const PieceMaker& maker);
  // Collects the keys of random shapes that are too fine for pieces, as bits of all rows.
  void scatter(const PieceMaker& maker);
  // Where nothing else is there, writes them into their spans' words; no two spans are equal.
  void add_scattered(const PieceMaker& maker);
  [[nodiscard]] Range full_part(const Piece& piece) const;  // keys that all rows see
  void find_borders();
  // Returns the span of the keys between two borders, in the group's indices.
  [[nodiscard]] std::optional<KeySpan> span_of(const std::vector<const Piece*>& active,
                                               const Range& keys) const;
  void append(KeySpan span);         // keys are in the group's indices
  void add_bits(const Range& keys);  // of one span
  void take_left_out(const Range& keys, std::int64_t row_words);
  void fill(const Piece& piece, const Range& keys, std::int64_t row_words,
            std::vector<std::uint64_t>& to) const;
  void copy_scattered(const Range& keys, std::int64_t row_words);
  // Returns where the buffer's words are in the schedule, and appends them where they are new.
  std::int64_t place_of_buffer();

  TileSchedule& schedule_;
  const bool share_;
  const int threads_;
  const PieceMaker* without_ = nullptr;
  const MaskBlock* block_ = nullptr;
  Range rows_;
  std::size_t first_span_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Piece> left_out_;
  std::vector<std::int64_t> borders_;
  std::vector<std::uint64_t> scattered_;  // [row][scattered_words_], all keys of the group
  std::int64_t scattered_words_ = 0;
  std::vector<std::uint64_t> buffer_;                           // words of the current bits span
  std::vector<std::uint64_t> taken_;                            // the bits to take out of it again
  std::unordered_multimap<std::uint64_t, std::size_t> places_;  // places of bits, by hash
};

}  // namespace qb
