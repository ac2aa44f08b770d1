// SPDX-License-Identifier: Apache-2.0
// flash_backward.cpp hands these to the vector code (flash_backward_tile.cpp): some query rows,
// some keys, and scratch memory. flash_backward_tile.cpp explains how a block is computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/integers.h"
#include "kernels/attention_backward.h"
#include "kernels/cpu/flash_tile.h"
#include "kernels/tile_schedule.h"

namespace qb::cpu {

// At most this many keys are computed together with a group of query rows: P and dS are then 36
// KiB, and the products over keys are deep enough. Every row block of the vector code divides it.
inline constexpr std::int64_t kBackwardKeyBlock = 96;
// Chunks of keys begin at multiples of this many, which every row block divides too.
inline constexpr std::int64_t kBackwardKeyStep = 24;

// With products of tiles, keys are copied to rows of this many pairs of keys: 16 of them are read
// from each step of keys on, so that zeros follow those of a block.
inline constexpr std::int64_t kBackwardTilePitch = 64;

// A tile has at most this many query rows. There is memory for all of them, whatever a tile has, so
// that a case takes the same memory on every machine.
inline constexpr std::int64_t kMostBackwardRows = 8 * kFlashGroupRows;

// Returns the most query rows of a tile, kFlashGroupRows times a power of two. More rows share each
// read of a key block and each sum of dK and dV, but Q and dO, each transposed and in rows, and dQ
// must fit in half of this CPU's second-level cache.
[[nodiscard]] std::int64_t backward_query_tile(std::int64_t head_dim, std::int64_t value_dim);

// The float32 buffers of one thread lie one after the other, each aligned to 64 bytes. d and e
// stand for head_dim and value head_dim rounded up to kFlashColumns; a pair of bf16 takes the place
// of one float. Panels are cut from rows (backward_products-inl.h).
struct BackwardScratch {
  // A tile's rows, group by group.
  float* queries_t;    // [group][d][group rows], with the sign of the scale
  float* d_outs_t;     // [group][e][group rows]
  float* queries;      // [group] panels of [group rows] and d columns
  float* d_outs;       // [group] panels of [group rows] and e columns
  float* d_queries_t;  // [group][d][group rows], not yet scaled
  float* maximum;      // [tile rows], of the LSE (lse.h); +inf in lanes that add nothing
  float* inverse;      // [tile rows], 2^-rest of the LSE
  float* delta;        // [tile rows]
  float* staged;       // [group rows][d or e]
  // A block of keys.
  float* keys;       // [key block][d], only keys that cannot be read in place
  float* values;     // [key block][e], only values that cannot be read in place
  float* key_pairs;  // for pairs of bf16 [key block / 2][d], for tiles [d][kBackwardTilePitch]
  float* d_keys;     // [key block][d], not yet scaled
  float* d_values;   // [key block][e]
  // A group and a block.
  float* scores;         // [keys][group rows] S, then P
  float* d_scores;       // [keys][group rows] dP, then dS
  float* d_score_pairs;  // [keys / 2][group rows] dS, for pairs of bf16

  std::int64_t floats;  // of all of them

  // Without memory it only counts them.
  [[nodiscard]] static BackwardScratch carve(float* memory, std::int64_t head_dim,
                                             std::int64_t value_dim) {
    const std::int64_t d = round_up(head_dim, kFlashColumns);
    const std::int64_t e = round_up(value_dim, kFlashColumns);
    constexpr std::int64_t kRows = kMostBackwardRows;
    constexpr std::int64_t kKeys = kBackwardKeyBlock;
    BackwardScratch s{};
    s.floats = carve_floats(memory, {{&s.queries_t, kRows * d},
                                     {&s.d_outs_t, kRows * e},
                                     {&s.queries, kRows * d},
                                     {&s.d_outs, kRows * e},
                                     {&s.d_queries_t, kRows * d},
                                     {&s.maximum, kRows},
                                     {&s.inverse, kRows},
                                     {&s.delta, kRows},
                                     {&s.staged, kFlashGroupRows * std::max(d, e)},
                                     {&s.keys, kKeys * d},
                                     {&s.values, kKeys * e},
                                     {&s.key_pairs, kBackwardTilePitch * d},
                                     {&s.d_keys, kKeys * d},
                                     {&s.d_values, kKeys * e},
                                     {&s.scores, kKeys * kFlashGroupRows},
                                     {&s.d_scores, kKeys * kFlashGroupRows},
                                     {&s.d_score_pairs, kKeys / 2 * kFlashGroupRows}});
    return s;
  }
};

// Query rows [begin, end) of one head, at most backward_query_tile(), and the head of their keys.
struct BackwardTile {
  const BackwardArguments* arguments;
  std::int64_t batch;
  std::int64_t head = 0;
  std::int64_t kv_head;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool bf16_pairs;           // multiplies bf16 unconverted, in pairs
  bool keys_finite = false;  // K and V of the tile's keys hold neither NaN nor infinity
  // begin_backward_tile() sets these two.
  bool rows_finite = false;  // nor do Q and dO of its rows
  bool idle_lanes = false;   // a row adds nothing, or a group has fewer rows than lanes

  [[nodiscard]] std::int64_t rows() const { return end - begin; }
};

// Returns whether K and V of these keys of the tile's head hold neither NaN nor infinity.
[[nodiscard]] bool backward_keys_finite(const BackwardTile& tile, const Range& keys,
                                        const BackwardScratch& scratch);

// Packs the tile's rows and clears its dQ in the scratch memory.
void begin_backward_tile(BackwardTile& tile, const BackwardScratch& scratch);

// Adds the pairs of the tile's rows and a piece of at most kBackwardKeyBlock keys to dK and dV in
// the caller's tensors, and to the tile's dQ in the scratch memory.
void add_backward_block(const BackwardTile& tile, const BackwardScratch& scratch,
                        const FlashTile::Piece& piece);

// Adds the tile's dQ to the caller's tensor.
void add_query_gradients(const BackwardTile& tile, const BackwardScratch& scratch);

// An item of the threads: a chunk of the keys of one key-value head with all query rows that see
// one of them (backward_work.cpp).
struct BackwardChunk {
  // Query rows [begin, end) that see keys of the chunk, and the spans that hold these keys.
  struct Tile {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t first_span = 0;
    std::int64_t n_spans = 0;
    std::int64_t index = 0;  // among the tiles of all schedules
    int turn = 0;            // how many chunks add to the tile's dQ before this one
  };

  std::size_t schedule = 0;
  Range keys;
  std::vector<Tile> tiles{};  // ascending
  std::int64_t pairs = 0;     // of its rows and the keys between the first and the last they see
};

struct BackwardWork {
  std::vector<BackwardChunk> chunks;  // in the order in which they are handed out: heavy ones first
  std::int64_t n_tiles = 0;
};

// Cuts schedules that share neither rows nor keys and are computed for `heads` key-value heads each
// (batch included). Tiles have at most query_tile rows.
[[nodiscard]] BackwardWork cut_backward(std::span<const TileSchedule* const> schedules,
                                        std::int64_t heads, std::int64_t query_tile);

}  // namespace qb::cpu
