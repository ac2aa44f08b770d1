// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/staged_work.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "kernels/cuda/blas/blas.h"

namespace qb::cuda {
namespace {

constexpr std::int64_t kRows = 64;
// A warp computes the softmax of a row of at most this many scores, a block that of a longer one.
constexpr std::int64_t kShortRow = 4096;
constexpr std::size_t kOperands = 6;  // operands of both products of a block

std::vector<Range> blocks_of(const TileSchedule& schedule, const QueryTile& tile) {
  std::vector<Range> blocks;
  for (const KeySpan& span : schedule.spans_of(tile)) {
    if (!blocks.empty() && blocks.back().end == span.begin)
      blocks.back().end = span.end;
    else
      blocks.push_back({span.begin, span.end});
  }
  return blocks;
}

}  // namespace

KernelTiles staged_tiles() { return {kRows, 1, kWholeSpan, kRows}; }

StagedWork::StagedWork(const Extent& q, const TileSchedule& schedule)
    : slices_(q.batch * q.heads),
      schedule_bytes_(schedule.spans.size() * sizeof(KeySpan) +
                      schedule.words.size() * sizeof(std::uint64_t)) {
  // The n-th blocks of tiles are added to the sums of those before.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::vector<Block>>
      by_shape;
  for (const QueryTile& tile : schedule.tiles) {
    const std::vector<Range> ranges = blocks_of(schedule, tile);
    std::int64_t stride = 0;
    for (const Range& range : ranges) stride += padded_keys(range.count());
    const std::int64_t rows = tile.end - tile.begin;
    std::int64_t column = 0;
    std::int64_t order = 0;
    for (const Range& range : ranges) {
      by_shape[{order++, rows, range.count(), stride}].push_back(
          {tile.begin, range.begin, scores_, column});
      column += padded_keys(range.count());
    }
    tiles_.push_back({tile, scores_, stride});
    scores_ += rows * stride;
    most_rows_ = std::max(most_rows_, rows);
  }
  for (const auto& [shape, blocks] : by_shape) {
    const auto& [order, rows, keys, stride] = shape;
    batches_.push_back({rows, keys, stride, order > 0, blocks_.size(), blocks.size()});
    blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
  }
  const auto long_ones =
      std::stable_partition(tiles_.begin(), tiles_.end(),
                            [](const StagedTile& tile) { return tile.stride <= kShortRow; });
  n_short_ = static_cast<std::size_t>(long_ones - tiles_.begin());
}

std::size_t StagedWork::scores_bytes() const {
  return static_cast<std::size_t>(slices_ * scores_) * sizeof(float);
}

std::size_t StagedWork::schedule_bytes() const {
  return scores_ == 0 ? 0 : tiles_.size() * sizeof(StagedTile) + schedule_bytes_;
}

std::size_t StagedWork::addresses_bytes() const {
  return kOperands * blocks_.size() * static_cast<std::size_t>(slices_) * sizeof(void*);
}

std::int64_t StagedWork::workspace_bytes() const {
  if (scores_bytes() == 0) return 0;
  return static_cast<std::int64_t>(kBlasWorkspaceBytes + scores_bytes() + schedule_bytes() +
                                   addresses_bytes());
}

std::vector<std::uintptr_t> StagedWork::addresses(const AttentionArguments& a,
                                                  const void* scores) const {
  const std::int64_t heads = a.q.extent.heads;
  const std::int64_t group = heads / a.k.extent.heads;
  const std::int64_t weight_bytes = size_of(a.q.dtype);
  std::vector<std::uintptr_t> all;
  all.reserve(addresses_bytes() / sizeof(void*));
  for (const Batch& batch : batches_) {
    const auto add = [&](auto address_of) {
      for (std::size_t i = 0; i < batch.n_blocks; ++i)
        for (std::int64_t slice = 0; slice < slices_; ++slice)
          all.push_back(reinterpret_cast<std::uintptr_t>(
              address_of(blocks_[batch.first_block + i], slice / heads, slice % heads)));
    };
    // Adds the addresses that lie `column` scores or weights into the tile's first row.
    const auto add_scores = [&](std::int64_t element_bytes) {
      add([&](const Block& block, std::int64_t b, std::int64_t h) {
        return static_cast<const std::byte*>(scores) +
               ((b * heads + h) * scores_ + block.first_score) *
                   static_cast<std::int64_t>(sizeof(float)) +
               block.column * element_bytes;
      });
    };
    // Adds the addresses of the blocks' first rows in a tensor that so many heads share.
    const auto add_rows = [&](const TensorView& view, std::int64_t n_heads,
                              std::int64_t Block::*first) {
      add([&](const Block& block, std::int64_t b, std::int64_t h) {
        return view.row(b, h / n_heads, block.*first);
      });
    };
    add_rows(a.q, 1, &Block::q_begin);
    add_rows(a.k, group, &Block::k_begin);
    add_scores(sizeof(float));
    add_scores(weight_bytes);
    add_rows(a.v, group, &Block::k_begin);
    add_rows(a.out, 1, &Block::q_begin);
  }
  return all;
}

StagedWork::Addresses StagedWork::addresses_of(const Batch& batch, const void* copied) const {
  const std::size_t n = batch.n_blocks * static_cast<std::size_t>(slices_);
  auto* const first = static_cast<void* const*>(copied) +
                      kOperands * batch.first_block * static_cast<std::size_t>(slices_);
  return {.q = first,
          .k = first + n,
          .scores = first + 2 * n,
          .weights = first + 3 * n,
          .v = first + 4 * n,
          .out = first + 5 * n};
}

}  // namespace qb::cuda
