// SPDX-License-Identifier: Apache-2.0
// Turns a mask into the tile schedule of a kernel call: full, causal and band spans where the rows
// of a tile see the same keys or follow the diagonal, else bits.
//
// Rows are cut where a pattern changes as a whole, at its blocks and global tokens, so that random
// blocks and block-local windows become full spans. Equal blocks of bits are stored once. Time and
// memory grow with the tiles that have a pair: a window over a million tokens takes milliseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/mask/mask.h"
#include "kernels/tile_schedule.h"

namespace qb {

// Holds a group of queries and a group of keys: where their rows lie in the tensors of the call,
// and which tokens they are. Groups of more than one token have equal strides.
struct MaskBlock {
  std::int64_t q_begin = 0;
  std::int64_t k_begin = 0;
  TokenGroup q;
  TokenGroup k;
};

struct ScheduleChoice {
  bool residue_classes = false;  // accepted; made only where one block is the whole call
  int threads = 1;               // threads that build the schedule
};

// Blocks must be grouped: their ranges of rows are identical or disjoint, and their keys are
// disjoint. Query tiles have at most `query_tile` rows. The mask must not have segments.
[[nodiscard]] TileSchedule build_mask_schedule(const Mask& mask, std::int64_t n_queries,
                                               std::int64_t n_keys, std::vector<MaskBlock> blocks,
                                               std::int64_t query_tile,
                                               const ScheduleChoice& choice = {});

// count_pairs() makes the same schedule of two groups tile by tile, counts its pairs and does not
// keep it.
struct PairCounts {
  std::int64_t unmasked = 0;
  std::int64_t executed = 0;    // counted as in TileSchedule::executed_pairs, by key steps
  std::int64_t empty_rows = 0;  // rows that have no key
};
[[nodiscard]] PairCounts count_pairs(const Mask& mask, const TokenGroup& q, const TokenGroup& k,
                                     const KernelTiles& tiles);

}  // namespace qb
