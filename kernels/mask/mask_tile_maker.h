// Makes the tiles of a schedule from the pieces that a mask's shapes leave of them. Between
// mask_pieces.h and mask_tiles.h.
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
  // share: store equal blocks of bits once.
  TileMaker(TileSchedule& schedule, bool share, int threads = 1)
      : schedule_(schedule), share_(share), threads_(threads) {}

  // Of what follows, these pairs are left out; it does not scatter.
  void leave_out(const PieceMaker& without) { without_ = &without; }

  // Rows [rows.begin, rows.end) of a group of queries against the groups of keys, ascending.
  void add_tile(std::span<const MaskBlock> blocks, std::span<const PieceMaker> makers,
                const KeyRange& rows);

 private:
  // Sweeps over the keys at which a piece begins or ends.
  void add_spans(const PieceMaker& maker);
  // Keys of the random shapes too fine for pieces, as bits of all rows.
  void scatter(const PieceMaker& maker);
  // Where there is nothing else they go straight into the words of their spans, none of which is
  // like another.
  void add_scattered(const PieceMaker& maker);
  // Keys that all rows of the tile see of a piece.
  [[nodiscard]] KeyRange full_part(const Piece& piece) const;
  void find_borders();
  // What becomes of keys between two borders, in the group's indices.
  [[nodiscard]] std::optional<KeySpan> span_of(const std::vector<const Piece*>& active,
                                               const KeyRange& keys) const;
  // A span in the group's indices, but for the words of bits.
  void append(KeySpan span);
  void add_bits(const KeyRange& keys);
  void add_bits_span(const KeyRange& keys);
  void take_left_out(const KeyRange& keys, std::int64_t row_words);
  void fill(const Piece& piece, const KeyRange& keys, std::int64_t row_words,
            std::vector<std::uint64_t>& to) const;
  void copy_scattered(const KeyRange& keys, std::int64_t row_words);
  // Where the buffer's words stand in the schedule: there already, or appended.
  std::int64_t place_of_buffer();

  TileSchedule& schedule_;
  const bool share_;
  const int threads_;
  const PieceMaker* without_ = nullptr;
  const MaskBlock* block_ = nullptr;
  KeyRange rows_;
  std::size_t first_span_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Piece> left_out_;
  std::vector<std::int64_t> borders_;
  std::vector<std::uint64_t> scattered_;  // [row][scattered_words_], of all keys of the group
  std::int64_t scattered_words_ = 0;
  std::vector<std::uint64_t> buffer_;                           // of the bits span at hand
  std::vector<std::uint64_t> taken_;                            // out of them again
  std::unordered_multimap<std::uint64_t, std::size_t> places_;  // of bits, by hash
};

}  // namespace qb
