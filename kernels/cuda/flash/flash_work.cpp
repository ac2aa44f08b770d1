#include "kernels/cuda/flash/flash_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "kernels/cuda/flash/flash_groups.h"

namespace qb::cuda {

std::int64_t executed_pairs(const WorkLists& lists) {
  const std::int64_t row_step = lists.shape.row_step;
  const std::int64_t key_step = lists.shape.key_step;
  const auto whole = [](std::int64_t count, std::int64_t step) {
    return (std::max<std::int64_t>(count, 0) + step - 1) / step * step;
  };
  const bool counts_diagonals = lists.shape.variant == FlashVariant::wide && lists.pack == 1;
  std::int64_t pairs = 0;
  for (const TileWork& tile : lists.tiles) {
    const std::int64_t packs = (tile.head_end - tile.head_begin) / lists.pack;
    const std::int64_t rows = whole(tile.n_rows * lists.pack, row_step);
    pairs += packs * rows * tile.n_full * lists.shape.key_block;
    for (std::int32_t i = tile.first_masked; i < tile.first_masked + tile.n_masked; ++i) {
      const MaskedStep& step = lists.masked[index(i)];
      for (std::int64_t row = 0; row < rows; row += row_step) {
        const std::int64_t seen = counts_diagonals ? row + row_step + step.hi : step.n_keys;
        const bool narrow =
            lists.shape.variant == FlashVariant::hopper && step.n_keys <= kNarrowKeys;
        pairs += packs * row_step *
                 whole(std::min<std::int64_t>(step.n_keys, seen), narrow ? kNarrowKeys : key_step);
      }
    }
  }
  return pairs;
}

ListOffsets list_offsets(const WorkLists& lists) {
  std::size_t end = 0;
  const auto place = [&end](const auto& list) {
    const std::size_t begin = end;
    end += (list.size() * sizeof(list[0]) + 255) / 256 * 256;
    return begin;
  };
  ListOffsets at;
  at.items = place(lists.items);
  at.items_asked_for = place(std::array<std::uint32_t, 1>{});
  at.tiles = place(lists.tiles);
  at.masked = place(lists.masked);
  at.runs = place(lists.runs);
  at.bits = place(lists.bits);
  at.merge_tiles = place(lists.merge_tiles);
  at.merge_sources = place(lists.merge_sources);
  at.bytes = end;
  return at;
}

Extent partial_extent(const GroupedCall& call, const WorkLists& lists) {
  return {call.q.extent.batch, call.q.extent.heads, lists.n_partial_rows,
          (call.v.extent.head_dim + 3) / 4 * 4};
}

FlashParameters flash_parameters(const GroupedCall& call, const WorkLists& lists, double scale) {
  const auto address = [](const TensorView& view) {
    return TensorAddress{view.data, view.batch_stride, view.head_stride, view.token_stride};
  };
  const Extent& q = call.q.extent;
  FlashParameters p;
  p.q = address(call.q);
  p.k = address(call.k);
  p.v = address(call.v);
  p.out[0] = address(call.out);
  p.lse[0] = address(call.lse);
  p.n_items = narrow(std::ssize(lists.items));
  p.pack = lists.pack;
  p.q_heads = narrow(q.heads);
  p.head_dim = narrow(q.head_dim);
  p.value_dim = narrow(call.out.extent.head_dim);
  p.q_map_stride = lists.q_map_stride;
  p.k_map_stride = lists.k_map_stride;
  p.scale_log2 = static_cast<float>(scale * 1.4426950408889634);
  return p;
}

namespace {

HeadSlots head_slots(const GroupedCall& call, std::int64_t pack) {
  const Extent& q = call.q.extent;
  const std::int64_t kv_bytes =
      call.k.extent.length * (q.head_dim + call.v.extent.head_dim) * size_of(call.q.dtype);
  HeadSlots slots;
  slots.batch = q.batch;
  slots.per_batch = q.heads / pack;
  slots.per_kv = q.heads / call.k.extent.heads / pack;
  slots.at_once = heads_at_once(slots.batch * slots.per_batch, slots.per_kv, kv_bytes);
  slots.pack = pack;
  return slots;
}

}  // namespace

WorkLists lower(const GroupedCall& call, FlashPath path, int n_sms) {
  const std::int64_t dim = std::max(call.q.extent.head_dim, call.v.extent.head_dim);
  WorkLists lists;
  lists.shape = flash_shape(choose_variant(call, path, dim), dim);
  if (lists.shape.variant != FlashVariant::hopper)
    lists.pack = heads_to_pack(call, lists.shape.tile_rows);
  lists.q_map_stride = narrow(common_stride(call, &GroupedWorker::q_groups));
  lists.k_map_stride = narrow(common_stride(call, &GroupedWorker::kv_groups));

  std::vector<Tile> tiles;
  for (std::size_t w = 0; w < call.workers.size(); ++w)
    add_tiles(call.workers[w], w, lists.shape, lists.shape.tile_rows / lists.pack, tiles,
              lists.bits);
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const Tile& a, const Tile& b) { return a.n_steps() > b.n_steps(); });
  if (lists.shape.variant == FlashVariant::hopper)
    for (Tile& tile : tiles)
      std::stable_partition(tile.masked.begin(), tile.masked.end(),
                            [](const MaskedStep& step) { return step.n_keys <= kNarrowKeys; });
  std::int64_t total_steps = 0;
  for (const Tile& tile : tiles) total_steps += tile.n_steps();
  const std::int64_t slots = call.q.extent.batch * call.q.extent.heads / lists.pack;
  const std::int64_t split = steps_per_split(
      std::ssize(tiles) * slots, total_steps * slots, tiles.empty() ? 0 : tiles.front().n_steps(),
      static_cast<std::int64_t>(n_sms) * lists.shape.blocks_per_sm);

  OutputMap outputs(call);
  std::vector<std::vector<LocalGroup>> queries;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> base_rows;
  for (const GroupedWorker& worker : call.workers)
    queries.push_back(local_groups(worker.q_groups, false));
  for (const Tile& tile : tiles)
    if (tile.n_steps() > split) outputs.of(queries[tile.worker][tile.group].rows).direct = false;

  for (const Tile& tile : tiles) {
    const GroupedWorker& worker = call.workers[tile.worker];
    const LocalGroup& group = queries[tile.worker][tile.group];
    OutputMap::Group& output = outputs.of(group.rows);
    const std::int64_t first_row = tile.begin - group.begin;
    TileWork work;
    work.q_token = narrow(group.token(tile.begin));
    work.q_stride = narrow(group.rows.stride);
    work.n_rows = narrow(tile.end - tile.begin);
    work.head_begin = narrow(worker.head_begin);
    work.head_end = narrow(worker.head_end == 0 ? call.q.extent.heads : worker.head_end);
    for (std::int64_t step = 0; step == 0 || step < tile.n_steps(); step += split) {
      if (output.direct) {
        work.out_row = work.q_token;
        work.out_stride = work.q_stride;
      } else {
        work.to_partial = 1;
        work.out_stride = 1;
        OutputMap::Group::Source source{0, group.rows.count, {0, work.head_begin, work.head_end}};
        if (step == 0) {
          const auto [at, is_new] = base_rows.try_emplace({tile.worker, tile.group}, 0);
          if (is_new) {
            at->second = outputs.add_partial_rows(group.rows.count);
            source.source.row = narrow(at->second);
            output.sources.push_back(source);
          }
          work.out_row = narrow(at->second + first_row);
        } else {
          work.out_row = narrow(outputs.add_partial_rows(work.n_rows));
          source.begin = first_row;
          source.end = first_row + work.n_rows;
          source.source.row = work.out_row;
          output.sources.push_back(source);
        }
      }
      list_steps(tile, step, std::min(step + split, tile.n_steps()), lists.shape.key_block, work,
                 lists);
      lists.tiles.push_back(work);
    }
  }
  lists.items = order_items(lists.tiles, head_slots(call, lists.pack));
  lists.n_partial_rows = narrow(outputs.n_partial_rows());
  outputs.list_merges(lists);
  return lists;
}

FlashCost flash_cost(const GroupedCall& call, FlashPath path, int n_sms) {
  check_call(call);
  const AlignedInputs inputs = align_inputs(call);
  const GroupedCall aligned = aligned_call(call, inputs);
  std::int64_t bytes = 0;
  if (inputs.q.copied) bytes += aligned.q.bytes();
  if (inputs.k.copied) bytes += aligned.k.bytes();
  if (inputs.v.copied) bytes += aligned.v.bytes();
  const WorkLists lists = lower(aligned, path, n_sms);
  const auto list_bytes = static_cast<std::int64_t>(list_offsets(lists).bytes);
  const Extent partial = partial_extent(call, lists);
  const std::int64_t rows = partial.batch * partial.heads * partial.length;
  return {
      .workspace_bytes = bytes + list_bytes + rows * (partial.head_dim + 1) * size_of(DType::f32),
      .list_bytes = list_bytes,
      .executed_pairs = executed_pairs(lists)};
}

std::int64_t flash_workspace_bytes(const GroupedCall& call, FlashPath path, int n_sms) {
  return flash_cost(call, path, n_sms).workspace_bytes;
}

}  // namespace qb::cuda
