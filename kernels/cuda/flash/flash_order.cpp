// Decides the order in which the blocks of a launch take its items.
#include <algorithm>
#include <numeric>

#include "kernels/cuda/flash/flash_groups.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {
namespace {

// Sorts tiles by the number of their steps, most first.
std::vector<std::int32_t> heavy_first(const std::vector<TileWork>& tiles) {
  const auto n_steps = [&tiles](std::int32_t tile) {
    return tiles[index(tile)].n_masked + tiles[index(tile)].n_full;
  };
  std::vector<std::int32_t> order(tiles.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return n_steps(a) > n_steps(b); });
  return order;
}

}  // namespace

std::vector<WorkItem> order_items(const std::vector<TileWork>& tiles, const HeadSlots& slots) {
  const std::vector<std::int32_t> order = heavy_first(tiles);
  const std::int64_t n_groups = slots.batch * slots.per_batch / slots.per_kv;
  const std::int64_t groups_at_once = std::max<std::int64_t>(slots.at_once / slots.per_kv, 1);
  const std::int64_t n_sections = (n_groups + groups_at_once - 1) / groups_at_once;
  std::vector<WorkItem> items;
  for (std::int64_t section = 0; section < n_sections; ++section) {
    const std::int64_t begin = section * n_groups / n_sections * slots.per_kv;
    const std::int64_t end = (section + 1) * n_groups / n_sections * slots.per_kv;
    for (const std::int32_t tile : order) {
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

}  // namespace qb::cuda
