// SPDX-License-Identifier: Apache-2.0
// flash.cpp hands these to the vector code (flash_tile.cpp, flash_thin.cpp): some query rows, their
// blocks of keys, and scratch memory.
#pragma once

#include <cstdint>
#include <span>

#include "base/integers.h"
#include "kernels/attention.h"
#include "kernels/cpu/carve.h"

namespace qb::cpu {

// This many rows have their scores held at a time: three vectors of the widest instruction set.
inline constexpr std::int64_t kFlashGroupRows = 48;
// At most this many keys are scored together; a multiple of every row block of the vector code.
inline constexpr std::int64_t kFlashKeyBlock = 256;
// A group of rows has at most this many scores: 24 KiB of the first-level cache, so that wide
// groups take shorter blocks.
inline constexpr std::int64_t kFlashScores = 128 * kFlashGroupRows;
// Copied keys and values are filled up to whole vectors of the widest instruction set.
inline constexpr std::int64_t kFlashColumns = 16;
// With products of tiles, values are copied to rows of this many pairs of keys: half of the keys
// scored together by such groups, and some more, so that rows do not meet in the cache's sets.
inline constexpr std::int64_t kFlashTilePitch = kFlashScores / kFlashGroupRows / 2 + 16;
// Their pieces begin at a multiple of this many keys of a block.
inline constexpr std::int64_t kFlashTileKeys = 32;

// Returns the most query rows of a tile, kFlashGroupRows times a power of two. More rows share each
// read of a key block, but their queries and outputs must fit in the second-level cache with it.
[[nodiscard]] constexpr std::int64_t flash_query_tile(std::int64_t head_dim,
                                                      std::int64_t value_dim) {
  constexpr std::int64_t kCacheBytes = 768 * 1024;
  std::int64_t rows = 16 * kFlashGroupRows;
  while (rows > 4 * kFlashGroupRows && 4 * rows * (head_dim + value_dim) > kCacheBytes) rows /= 2;
  return rows;
}

// The float32 buffers of one thread lie one after the other, each aligned to 64 bytes. d and e
// stand for head_dim and value head_dim rounded up to kFlashColumns.
struct FlashScratch {
  float* queries;      // [group][d][group rows]
  float* keys;         // [key block][d], only keys that cannot be read in place
  float* values;       // [key block][e], only values that cannot be read in place
  float* scores;       // [keys][group rows]
  float* accumulator;  // [group][e][group rows], not yet divided by `sum`
  float* largest;      // [tile rows], the largest score so far, in units of log 2
  float* sum;          // [tile rows], the sum of 2^(score - largest)

  std::int64_t floats;  // of all of them

  // Without memory it only counts them.
  [[nodiscard]] static FlashScratch carve(float* memory, std::int64_t head_dim,
                                          std::int64_t value_dim) {
    const std::int64_t d = round_up(head_dim, kFlashColumns);
    const std::int64_t e = round_up(value_dim, kFlashColumns);
    const std::int64_t rows = flash_query_tile(head_dim, value_dim);
    FlashScratch s{};
    s.floats = carve_floats(memory, {{&s.queries, rows * d},
                                     {&s.keys, kFlashKeyBlock * d},
                                     {&s.values, kFlashKeyBlock * e},
                                     {&s.scores, kFlashScores},
                                     {&s.accumulator, rows * e},
                                     {&s.largest, rows},
                                     {&s.sum, rows}});
    return s;
  }
};

// Pieces begin and end at multiples of this many keys from the start of their span: whole steps are
// skipped where no row of a group sees a key of them.
inline constexpr std::int64_t kFlashKeyStep = 16;

// Tokens [begin, end) of `heads` neighbouring query heads that read one key-value head, at most
// flash_query_tile() rows. Row i * tokens() + t is token begin + t of head first_head + i.
struct FlashTile {
  struct Piece {  // some keys of a span
    const KeySpan* span;
    std::int64_t begin;
    std::int64_t end;
    bool masked;      // some row of the tile does not see all of them
    std::int64_t at;  // position among the copied keys of a block; even, for pairs of bf16
  };
  // The pieces of a block, with gaps for pairs, are at most flash_key_block() keys scored together.
  using Block = std::span<const Piece>;

  const AttentionArguments* arguments;
  TensorView out;  // where O and LSE of these keys go
  TensorView lse;
  std::int64_t batch;
  std::int64_t first_head;
  std::int64_t heads;
  std::int64_t begin;
  std::int64_t end;
  std::span<const Block> blocks{};  // ascending
  bool masked = false;              // some piece is masked
  bool resumes;                     // O and LSE already hold other keys, to be added to
  bool bf16_pairs;                  // multiplies bf16 unconverted, in pairs

  [[nodiscard]] std::int64_t tokens() const { return end - begin; }
  [[nodiscard]] std::int64_t rows() const { return heads * tokens(); }
  // Most tiles are of one head: nothing is divided there.
  [[nodiscard]] std::int64_t head(std::int64_t row) const {
    return first_head + (heads == 1 ? 0 : row / tokens());
  }
  [[nodiscard]] std::int64_t token(std::int64_t row) const {
    return begin + (heads == 1 ? row : row % tokens());
  }
  [[nodiscard]] std::int64_t kv_head() const {
    return first_head / (arguments->q.extent.heads / arguments->k.extent.heads);
  }
};

// Tiles of at most this many rows do not fill a vector: their rows are computed one by one.
inline constexpr std::int64_t kFlashThinRows = 6;
// A piece has at most this many keys where rows are computed one by one: more keys cost less for
// each row, but keys and values of this many stay in the second-level cache for the other rows.
inline constexpr std::int64_t kFlashRowKeys = 1024;

// Returns whether some row of [first, last] may not see some of these keys of a span. Keys that the
// first and the last row see are seen by all: most causal blocks need no mask.
[[nodiscard]] inline bool needs_mask(const KeySpan& span, std::int64_t first, std::int64_t last,
                                     const Range& keys) {
  if (span.kind == SpanKind::bits) return true;
  return span.live(first).end < keys.end || span.live(last).begin > keys.begin;
}

// Computes O and LSE of a tile over its blocks, rows side by side in vectors. A value that a row
// does not see but a neighbour sees is multiplied by 0; where that makes a NaN (from NaN or
// infinity) this writes nothing and returns false.
[[nodiscard]] bool attend_tile(const FlashTile& tile, const FlashScratch& scratch);
// flash_thin.cpp computes one row after another, each over the keys that it sees and no others.
void attend_thin_tile(const FlashTile& tile, const FlashScratch& scratch);

}  // namespace qb::cpu
