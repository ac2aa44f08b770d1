// SPDX-License-Identifier: Apache-2.0
// Decides which compiled kernel a call gets, how its work is divided among the multiprocessors, and
// in which order the blocks of a launch take its items.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/integers.h"
#include "base/status.h"
#include "kernels/cuda/flash/flash_groups.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {

bool box_readable(const TensorView& view, std::int64_t stride) {
  const auto aligned = [&view](std::int64_t elements) {
    return elements * size_of(view.dtype) % 16 == 0;
  };
  return stride != 0 && view.extent.length > 0 && view.extent.length % stride == 0 &&
         aligned(view.token_stride) && aligned(view.head_stride) && aligned(view.batch_stride) &&
         reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0;
}

FlashVariant choose_variant(const GroupedCall& call, FlashPath path, std::int64_t dim) {
  std::int64_t rows = 0;
  for (const GroupedWorker& worker : call.workers)
    rows = std::max(rows, worker.schedule->n_queries);
  const int thin_rows = flash_shape(FlashVariant::thin, dim).tile_rows;
  const int wide_rows = flash_shape(FlashVariant::wide, dim).tile_rows;
  if (heads_to_pack(call, thin_rows) > 1) return FlashVariant::thin;
  if (heads_to_pack(call, wide_rows) > 1) return FlashVariant::wide;
  if (rows <= thin_rows) return FlashVariant::thin;
  if (path != FlashPath::sm90) return FlashVariant::wide;
  const std::int64_t q_stride = common_stride(call, &GroupedWorker::q_groups);
  const std::int64_t k_stride = common_stride(call, &GroupedWorker::kv_groups);
  return box_readable(call.q, q_stride) && box_readable(call.k, k_stride) &&
                 box_readable(call.v, k_stride)
             ? FlashVariant::hopper
             : FlashVariant::wide;
}

std::int64_t mean_stretch(const GroupedCall& call) {
  std::int64_t n_keys = 0;
  std::int64_t n_stretches = 0;
  for (const GroupedWorker& worker : call.workers) {
    const std::vector<LocalGroup> groups = local_groups(worker.kv_groups, true);
    for (const QueryTile& tile : worker.schedule->tiles)
      for (const KeySpan& span : worker.schedule->spans_of(tile)) {
        const Range live = span.live(tile.begin, tile.end - 1);
        n_keys += live.count();
        for (auto group = std::ranges::upper_bound(groups, live.begin, {}, &LocalGroup::end);
             group != groups.end() && group->begin < live.end; ++group)
          ++n_stretches;
      }
  }
  return n_stretches == 0 ? 0 : n_keys / n_stretches;
}

FlashShape flash_shape(FlashVariant variant, std::int64_t head_dim, std::int64_t mean_stretch) {
  // On an H200, 16 heads: 2 to 8 % faster above 4096 keys, and 1 to 6 % slower at and below them,
  // for what a stretch does not fill of its last step and a tile does not of its first.
  constexpr std::int64_t kLongStretch = 4096;

  const int padded = head_dim <= 64 ? 64 : head_dim <= 128 ? 128 : 256;
  switch (variant) {
    case FlashVariant::wide:
      return padded == 256 ? FlashShape{variant, 256, 64, 64, 1, 16, 16}
                           : FlashShape{variant, padded, 128, 64, 2, 32, 16};
    case FlashVariant::thin:
      return {variant, padded, 16, 64, padded == 256 ? 1 : 2, 16, 16};
    case FlashVariant::hopper:
      return padded == 256  ? FlashShape{variant, 256, 128, 80, 1, 64, 80}
             : padded == 64 ? FlashShape{variant, 64, 192, 128, 1, 64, 128}
             : mean_stretch > kLongStretch
                 ? FlashShape{variant, 128, 128, kLongKeys, 1, 64, kLongKeys}
                 : FlashShape{variant, 128, 128, 128, 1, 64, 128};
  }
  return {};
}

std::int32_t heads_to_pack(const GroupedCall& call, int tile_rows) {
  if (call.k.extent.heads < 1) return 1;
  const std::int64_t group = call.q.extent.heads / call.k.extent.heads;
  for (const GroupedWorker& worker : call.workers)
    if (worker.schedule->n_queries * group > tile_rows || worker.head_begin % group != 0 ||
        worker.head_end % group != 0)
      return 1;
  return narrow(group);
}

std::int64_t steps_per_split(std::int64_t n_tiles, std::int64_t total_steps,
                             std::int64_t longest_tile, std::int64_t places) {
  constexpr std::int64_t kFewestSteps = 4;
  constexpr std::int64_t kMostSplits = 128;
  if (n_tiles >= places || longest_tile <= kFewestSteps)
    return std::max<std::int64_t>(longest_tile, 1);
  const std::int64_t even = ceil_div(total_steps, places);
  return std::max({kFewestSteps, even, ceil_div(longest_tile, kMostSplits)});
}

std::int32_t heads_at_once(std::int64_t n_heads, std::int64_t heads_per_kv,
                           std::int64_t bytes_per_kv_head) {
  constexpr std::int64_t kCacheBytes = 24 << 20;
  const std::int64_t kv_heads =
      std::max<std::int64_t>(1, kCacheBytes / std::max<std::int64_t>(1, bytes_per_kv_head));
  return narrow(
      std::clamp<std::int64_t>(kv_heads * heads_per_kv, 1, std::max<std::int64_t>(n_heads, 1)));
}

std::vector<WorkItem> order_items(const std::vector<TileWork>& tiles, const HeadSlots& slots) {
  std::vector<std::int32_t> heavy_first = integers_below(narrow(std::ssize(tiles)));
  std::ranges::stable_sort(heavy_first, std::greater(), [&tiles](std::int32_t tile) {
    return tiles[index(tile)].n_masked + tiles[index(tile)].n_full;
  });
  const std::int64_t n_groups = slots.batch * slots.per_batch / slots.per_kv;
  const std::int64_t groups_at_once = std::max<std::int64_t>(slots.at_once / slots.per_kv, 1);
  const std::int64_t n_sections = ceil_div(n_groups, groups_at_once);
  std::vector<WorkItem> items;
  for (std::int64_t section = 0; section < n_sections; ++section) {
    const std::int64_t begin = section * n_groups / n_sections * slots.per_kv;
    const std::int64_t end = (section + 1) * n_groups / n_sections * slots.per_kv;
    for (const std::int32_t tile : heavy_first) {
      const TileWork& work = tiles[index(tile)];
      for (std::int64_t slot = begin; slot < end; ++slot) {
        const std::int64_t head = slot % slots.per_batch * slots.pack;
        if (head < work.head_begin || head >= work.head_end) continue;
        items.push_back({tile, narrow(slot / slots.per_batch), narrow(head),
                         narrow(slot % slots.per_batch / slots.per_kv)});
      }
    }
  }
  return items;
}

KernelTiles flash_tiles(std::int64_t head_dim, FlashPath path) {
  if (head_dim < 1 || head_dim > kMaxHeadDim)
    throw Unsupported(fmt::format("head_dim {} is outside the range 1..{} of flash on CUDA",
                                  head_dim, kMaxHeadDim));
  const FlashVariant variant = path == FlashPath::sm90 ? FlashVariant::hopper : FlashVariant::wide;
  const FlashShape shape = flash_shape(variant, head_dim);
  return {shape.tile_rows, shape.key_block};
}

}  // namespace qb::cuda
