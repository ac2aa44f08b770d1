// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/cudnn_attention.h"

#include <algorithm>
#include <cstdint>

namespace qb::cuda {
namespace {

// Spans of a tile do not overlap, so that i + 1 pairs below i + 1 are all of them.
bool sees_first_keys(const TileSchedule& schedule, const QueryTile& tile, std::int64_t row) {
  std::int64_t count = 0;
  std::int64_t last = 0;
  for (const KeySpan& span : schedule.spans_of(tile))
    schedule.for_each_run(span, row, [&](std::int64_t begin, std::int64_t end) {
      count += end - begin;
      last = std::max(last, end);
    });
  return count == row + 1 && last == row + 1;
}

}  // namespace

WholeMask whole_mask(const TileSchedule& schedule) {
  const std::int64_t n = schedule.n_queries;
  const std::int64_t pairs = schedule.unmasked_pairs();
  if (pairs == n * schedule.n_keys) return WholeMask::none;
  if (n != schedule.n_keys || pairs != n * (n + 1) / 2) return WholeMask::other;
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t row = tile.begin; row < tile.end; ++row)
      if (!sees_first_keys(schedule, tile, row)) return WholeMask::other;
  return WholeMask::causal;
}

}  // namespace qb::cuda
