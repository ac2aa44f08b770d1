// SPDX-License-Identifier: Apache-2.0
// The host passes these structs, and lists in device memory, to the flash and merge kernels. A
// launch is a list of items, each a tile and a head. For each tile the lists name only live key
// blocks: first the steps that need a mask, each with its geometry, then runs of full blocks, for
// which a kernel keeps only a counter.
#pragma once

#include <cstdint>

#include "kernels/cuda/runtime/tensor_address.h"

namespace qb::cuda {

// Describes the query rows of one tile or, with several splits, some of their keys.
struct TileWork {
  std::int32_t q_token = 0;  // token of row 0 in the original tensor
  std::int32_t q_stride = 1;
  std::int32_t n_rows = 0;
  std::int32_t out_row = 0;  // row 0 in the output (to_partial 0) or the partials
  std::int32_t out_stride = 1;
  std::int32_t to_partial = 0;
  std::int32_t head_begin = 0;  // the tile's query heads
  std::int32_t head_end = 0;
  std::int32_t first_masked = 0;
  std::int32_t n_masked = 0;
  std::int32_t first_run = 0;
  std::int32_t n_full = 0;  // blocks in the runs
};

// Row r of the tile sees column c of this key block iff r + lo <= c <= r + hi, c < n_keys, and,
// where there are bits, bit c of its words is set.
struct MaskedStep {
  std::int32_t k_token = 0;  // token of column 0 in the original tensors
  std::int32_t k_stride = 1;
  std::int32_t n_keys = 0;
  std::int32_t lo = 0;
  std::int32_t hi = 0;
  std::int32_t bits =
      -1;  // first word in FlashParameters::bits, key_block / 64 (up) words in each row; -1: none
};

// For sm_90a, a tile's blocks of at most this many keys come first: they are the ends of groups and
// get products of their own.
inline constexpr int kNarrowKeys = 32;
// The hopper kernel of padded head_dim 128 takes so many keys a step where stretches are long.
inline constexpr int kLongKeys = 176;

struct FullRun {
  std::int32_t k_token = 0;
  std::int32_t k_stride = 1;
  std::int32_t n_blocks = 0;
};

// A block works on one item at a time: a tile for one head, or for one pack of heads.
struct alignas(16) WorkItem {
  std::int32_t tile = 0;
  std::int32_t batch = 0;
  std::int32_t q_head = 0;  // the first head of a pack
  std::int32_t kv_head = 0;
};

struct FlashParameters {
  TensorAddress q;
  TensorAddress k;
  TensorAddress v;
  TensorAddress out[2];  // the output and the partials
  TensorAddress lse[2];
  const WorkItem* items = nullptr;  // in the order in which blocks take them
  // Counts items that blocks of a persistent grid ask for after their first; 0 between launches.
  std::uint32_t* items_asked_for = nullptr;
  const TileWork* tiles = nullptr;
  const MaskedStep* masked = nullptr;
  const FullRun* runs = nullptr;
  const std::uint64_t* bits = nullptr;
  std::int32_t n_items = 0;
  std::int32_t q_heads = 0;
  // This many query heads of a key-value head are packed into the rows of a tile: row r is token r
  // / pack and head r % pack. It is 1, or all heads of a key-value head.
  std::int32_t pack = 1;
  std::int32_t head_dim = 0;
  std::int32_t value_dim = 0;
  std::int32_t q_map_stride = 1;  // TMA only: stride of all groups of more than one token
  std::int32_t k_map_stride = 1;
  float scale_log2 = 0.0F;  // scale * log2(e), positive
};

// The merge kernel gets these: which rows of the partials make up which output rows.
struct MergeParameters {
  // Describes output tokens token, token + stride, … (n_rows of them). Row r of it is merged from
  // row source_row + r of each source. Without sources it is the identity: O = 0, LSE = -inf.
  struct Tile {
    std::int32_t token = 0;
    std::int32_t stride = 1;
    std::int32_t n_rows = 0;
    std::int32_t source_row = 0;
    std::int32_t first_source = 0;
    std::int32_t n_sources = 0;
  };

  // These are rows of the partials, for query heads [head_begin, head_end).
  struct Source {
    std::int32_t row = 0;
    std::int32_t head_begin = 0;
    std::int32_t head_end = 0;
  };

  TensorAddress out;
  TensorAddress lse;
  TensorAddress part_out;
  TensorAddress part_lse;
  const Tile* tiles = nullptr;
  const Source* sources = nullptr;
  std::int32_t n_tiles = 0;
  std::int32_t heads = 0;  // heads of one sequence of the batch
  std::int32_t value_dim = 0;
  std::int32_t accumulate = 0;  // the output's present content is a source too
};

// Walks the key blocks of a tile, one after another.
struct KeyCursor {
  int masked = 0;  // next position in the lists
  int run = 0;
  int masked_left = 0;
  int full_left = 0;
  int run_left = 0;
  int token = 0;
  int stride = 1;
  int n_keys = 0;  // 0: no block is left

  template <int kKeys>
  QB_DEVICE void next(const FlashParameters& p) {
    if (masked_left == 0) return next_full<kKeys>(p);
    const MaskedStep& step = p.masked[masked++];
    --masked_left;
    token = step.k_token;
    stride = step.k_stride;
    n_keys = step.n_keys;
  }
  // Use this after the masked blocks.
  template <int kKeys>
  QB_DEVICE void next_full(const FlashParameters& p) {
    n_keys = full_left > 0 ? kKeys : 0;
    if (full_left == 0) return;
    --full_left;
    token += kKeys * stride;
    if (run_left == 0) {
      const FullRun& next_run = p.runs[run++];
      token = next_run.k_token;
      stride = next_run.k_stride;
      run_left = next_run.n_blocks;
    }
    --run_left;
  }
};

}  // namespace qb::cuda
