// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/integers.h"
#include "base/status.h"
#include "kernels/cuda/flash/flash_groups.h"

namespace qb::cuda {

std::int64_t executed_pairs(const WorkLists& lists) {
  const std::int64_t row_step = lists.shape.row_step;
  const std::int64_t key_step = lists.shape.key_step;
  const bool counts_diagonals = lists.shape.variant == FlashVariant::wide && lists.pack == 1;
  std::int64_t pairs = 0;
  for (const TileWork& tile : lists.tiles) {
    const std::int64_t packs = (tile.head_end - tile.head_begin) / lists.pack;
    const std::int64_t rows = round_up(tile.n_rows * lists.pack, row_step);
    pairs += packs * rows * tile.n_full * lists.shape.key_block;
    for (std::int32_t i = tile.first_masked; i < tile.first_masked + tile.n_masked; ++i) {
      const MaskedStep& step = lists.masked[index(i)];
      for (std::int64_t row = 0; row < rows; row += row_step) {
        const std::int64_t seen = counts_diagonals ? row + row_step + step.hi : step.n_keys;
        const bool narrow =
            lists.shape.variant == FlashVariant::hopper && step.n_keys <= kNarrowKeys;
        const std::int64_t keys = std::clamp<std::int64_t>(seen, 0, step.n_keys);
        pairs += packs * row_step * round_up(keys, narrow ? kNarrowKeys : key_step);
      }
    }
  }
  return pairs;
}

std::size_t list_bytes(const WorkLists& lists) {
  FlashParameters p;
  MergeParameters merging;
  std::size_t bytes = 0;
  for_each_list(lists, p, merging,
                [&bytes](const auto& list, auto&) { bytes += place_bytes(list); });
  return bytes;
}

Extent partial_extent(const GroupedCall& call, const WorkLists& lists) {
  return {call.q.extent.batch, call.q.extent.heads, lists.n_partial_rows,
          round_up(call.v.extent.head_dim, 4)};
}

FlashParameters flash_parameters(const GroupedCall& call, const WorkLists& lists, double scale) {
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

constexpr std::int64_t kMergeTileRows = 32;

// Says which tile writes which rows of the output.
class OutputMap {
 public:
  // A group of query tokens may be computed by several workers.
  struct Group {
    TokenGroup rows;
    std::vector<bool> head_seen;
    bool direct = true;
    struct Source {
      std::int64_t begin = 0;  // first row of the group
      std::int64_t end = 0;
      MergeParameters::Source source;  // its row belongs to `begin`
    };
    std::vector<Source> sources;
  };

  // Throws std::invalid_argument on query groups that overlap.
  explicit OutputMap(const GroupedCall& call)
      : call_(call), owner_(index(call.q.extent.length), -1) {
    for (const GroupedWorker& worker : call.workers)
      for (const LocalGroup& group : local_groups(worker.q_groups, false)) add(worker, group.rows);
    for (Group& group : groups_)
      if (call.accumulate || std::ranges::count(group.head_seen, false) > 0) group.direct = false;
  }

  [[nodiscard]] Group& of(const TokenGroup& rows) { return groups_[index(ids_.at(key(rows)))]; }

  // Returns the first of `count` new rows.
  [[nodiscard]] std::int64_t add_partial_rows(std::int64_t count) {
    const std::int64_t first = n_partial_rows_;
    n_partial_rows_ += count;
    if (n_partial_rows_ > std::numeric_limits<std::int32_t>::max())
      throw Unsupported("flash: the partials have more than 2^31 rows");
    return first;
  }
  [[nodiscard]] std::int64_t n_partial_rows() const { return n_partial_rows_; }

  void list_merges(WorkLists& lists) const {
    for (const Group& group : groups_)
      if (!group.direct) list_group(group, lists);
    if (call_.accumulate) return;
    const std::int64_t n = call_.q.extent.length;
    for (std::int64_t begin = 0; begin < n;) {
      std::int64_t end = begin;
      while (end < n && owner_[index(end)] < 0) ++end;
      list_rows({begin, end - begin, 1}, 0, end - begin, 0, 0, lists);
      begin = end + 1;
    }
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  static Key key(const TokenGroup& rows) { return {rows.first, rows.count, rows.stride}; }

  static void list_rows(const TokenGroup& rows, std::int64_t begin, std::int64_t end,
                        std::int64_t first_source, std::int64_t n_sources, WorkLists& lists) {
    for (std::int64_t row = begin; row < end; row += kMergeTileRows)
      lists.merge_tiles.push_back({narrow(rows.first + row * rows.stride), narrow(rows.stride),
                                   narrow(std::min(kMergeTileRows, end - row)), narrow(row - begin),
                                   narrow(first_source), narrow(n_sources)});
  }

  // Between two neighbouring row boundaries the sources are the same.
  static void list_group(const Group& group, WorkLists& lists) {
    std::vector<std::int64_t> cuts{0, group.rows.count};
    for (const Group::Source& source : group.sources) {
      cuts.push_back(source.begin);
      cuts.push_back(source.end);
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      const std::int64_t first_source = std::ssize(lists.merge_sources);
      for (const Group::Source& source : group.sources)
        if (source.begin <= cuts[c] && cuts[c + 1] <= source.end) {
          MergeParameters::Source rows = source.source;
          rows.row = narrow(rows.row + cuts[c] - source.begin);
          lists.merge_sources.push_back(rows);
        }
      list_rows(group.rows, cuts[c], cuts[c + 1], first_source,
                std::ssize(lists.merge_sources) - first_source, lists);
    }
  }

  void add(const GroupedWorker& worker, const TokenGroup& rows) {
    const auto [at, is_new] = ids_.try_emplace(key(rows), narrow(std::ssize(groups_)));
    if (is_new) {
      Group group;
      group.rows = rows;
      group.head_seen.assign(index(call_.q.extent.heads), false);
      for (std::int64_t i = 0; i < rows.count; ++i) {
        std::int32_t& owner = owner_[index(rows.first + i * rows.stride)];
        if (owner >= 0)
          throw std::invalid_argument(fmt::format(
              "flash: token {} is in two query groups that differ", rows.first + i * rows.stride));
        owner = at->second;
      }
      groups_.push_back(std::move(group));
    }
    Group& group = groups_[index(at->second)];
    for (std::int64_t head = worker.head_begin; head < worker.end_of_heads(call_.q.extent.heads);
         ++head) {
      if (group.head_seen[index(head)]) group.direct = false;
      group.head_seen[index(head)] = true;
    }
  }

  const GroupedCall& call_;
  std::map<Key, std::int32_t> ids_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> owner_;  // owner of each token; -1: no group
  std::int64_t n_partial_rows_ = 0;
};

HeadSlots head_slots(const GroupedCall& call, std::int64_t pack) {
  const Extent& q = call.q.extent;
  const std::int64_t kv_bytes =
      call.k.extent.length * (q.head_dim + call.v.extent.head_dim) * size_of(call.q.dtype);
  const std::int64_t per_kv = q.heads / call.k.extent.heads / pack;
  return {q.batch, q.heads / pack, per_kv,
          heads_at_once(q.batch * q.heads / pack, per_kv, kv_bytes), pack};
}

}  // namespace

WorkLists lower(const GroupedCall& call, FlashPath path, int n_sms) {
  const std::int64_t dim = std::max(call.q.extent.head_dim, call.v.extent.head_dim);
  WorkLists lists;
  lists.shape = flash_shape(choose_variant(call, path, dim), dim, mean_stretch(call));
  if (lists.shape.variant != FlashVariant::hopper)
    lists.pack = heads_to_pack(call, lists.shape.tile_rows);
  lists.q_map_stride = narrow(common_stride(call, &GroupedWorker::q_groups));
  lists.k_map_stride = narrow(common_stride(call, &GroupedWorker::kv_groups));

  std::vector<Tile> tiles;
  for (std::size_t w = 0; w < call.workers.size(); ++w)
    add_tiles(call.workers[w], w, lists.shape, lists.shape.tile_rows / lists.pack, tiles,
              lists.bits);
  std::ranges::stable_sort(tiles, std::greater(), &Tile::n_steps);
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
    work.head_end = narrow(worker.end_of_heads(call.q.extent.heads));
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

}  // namespace qb::cuda
