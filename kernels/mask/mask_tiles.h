// From a mask to the tile schedule of a kernel call: what each tile of query rows sees of each
// group of keys, as full, causal and band spans where a tile's rows agree or slide along the
// diagonal, and as bits where they do neither.
//
// Rows are cut where a pattern changes as a whole, at its blocks and global tokens, so that random
// blocks and block-local windows become full spans. Equal blocks of bits are stored once. Time and
// memory go with the tiles that have a pair: a million tokens of a window take milliseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/mask/mask.h"
#include "kernels/tile_schedule.h"

namespace qb {

// A group of queries and one of keys: where their rows lie in the call's tensors and which tokens
// they are. Groups of more than one token have equal strides.
struct MaskBlock {
  std::int64_t q_begin = 0;
  std::int64_t k_begin = 0;
  Positions q;
  Positions k;
};

struct ScheduleChoice {
  bool residue_classes = false;  // for a kernel that takes them, where one block is the whole call
  int threads = 1;               // that build it
};

// Blocks come grouped: equal ranges of rows are identical or disjoint, and their keys disjoint.
// Query tiles of at most `query_tile` rows. For masks without segments.
[[nodiscard]] TileSchedule build_mask_schedule(const Mask& mask, std::int64_t n_queries,
                                               std::int64_t n_keys, std::vector<MaskBlock> blocks,
                                               std::int64_t query_tile,
                                               const ScheduleChoice& choice = {});

// The same schedule tile by tile, counted and forgotten: blocks of one group of queries. Residue
// classes only where one block is all of them.
struct PairCounts {
  std::int64_t unmasked = 0;
  std::int64_t executed = 0;    // at the granularity of TileSchedule::executed_pairs
  std::int64_t empty_rows = 0;  // without a key in any of the blocks
};
struct Granularity {
  std::int64_t query_tile = 0;
  std::int64_t key_block = 0;
  std::int64_t row_group = 0;
  bool residue_classes = false;
  std::int64_t row_cost = 0;
};
[[nodiscard]] PairCounts count_pairs(const Mask& mask, const std::vector<MaskBlock>& blocks,
                                     const Granularity& granularity);

}  // namespace qb
