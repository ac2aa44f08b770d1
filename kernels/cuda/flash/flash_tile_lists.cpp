// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_groups.h"

#include <algorithm>
#include <limits>

#include "base/status.h"

namespace qb::cuda {
namespace {

class TileBuilder {
 public:
  TileBuilder(const TileSchedule& schedule, const std::vector<LocalGroup>& keys,
              std::int64_t key_block, std::vector<std::uint64_t>& bits)
      : schedule_(schedule), keys_(keys), key_block_(key_block), bits_(bits) {}

  // Blocks do not straddle groups of keys.
  void add_span(Tile& tile, const KeySpan& span) const {
    const Range live = span.live(tile.begin, tile.end - 1);
    auto group = std::ranges::upper_bound(keys_, live.begin, {}, &LocalGroup::end);
    for (; group != keys_.end() && group->begin < live.end; ++group) {
      const std::int64_t end = std::min(live.end, group->end());
      for (std::int64_t key = std::max(live.begin, group->begin); key < end; key += key_block_)
        add_block(tile, span, {key, std::min(end, key + key_block_)}, *group);
    }
  }

 private:
  void add_block(Tile& tile, const KeySpan& span, const Range& keys,
                 const LocalGroup& group) const {
    MaskedStep step{narrow(group.token(keys.begin)),
                    narrow(group.rows.stride),
                    narrow(keys.count()),
                    narrow(-kFarAway),
                    narrow(kFarAway),
                    -1};
    bool every_pair = true;
    if (span.kind == SpanKind::bits) {
      const auto [some, all] = add_bits(tile, span, keys, step);
      if (!some) return;
      every_pair = all;
    } else {
      every_pair =
          span.live(tile.begin).end >= keys.end && span.live(tile.end - 1).begin <= keys.begin;
      if (span.kind != SpanKind::full) step.hi = near(tile.begin + span.offset - keys.begin);
      if (span.kind == SpanKind::band) step.lo = near(tile.begin + span.low - keys.begin);
    }
    if (every_pair && keys.count() == key_block_)
      add_full(tile, step.k_token, step.k_stride);
    else
      tile.masked.push_back(step);
  }

  struct Seen {
    bool some = false;
    bool all = true;
  };

  // Appends a block's bits, a row of words for each row of the tile; none where all are the same.
  Seen add_bits(const Tile& tile, const KeySpan& span, const Range& keys, MaskedStep& step) const {
    const std::size_t first = bits_.size();
    const std::int64_t shift = (keys.begin - span.begin) % 64;
    const std::int64_t first_word = (keys.begin - span.begin) / 64;
    Seen seen;
    for (std::int64_t row = tile.begin; row < tile.end; ++row) {
      const std::uint64_t* const words = schedule_.row_bits(span, row);
      for (std::int64_t begin = 0; begin < key_block_; begin += 64) {
        const std::int64_t n_bits = std::clamp<std::int64_t>(keys.count() - begin, 0, 64);
        const std::int64_t at = first_word + begin / 64;
        std::uint64_t word = n_bits == 0 ? 0 : words[at] >> shift;
        if (shift != 0 && n_bits > 64 - shift) word |= words[at + 1] << (64 - shift);
        const std::uint64_t every = n_bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - n_bits);
        word &= every;
        seen.some = seen.some || word != 0;
        seen.all = seen.all && word == every;
        bits_.push_back(word);
      }
    }
    if (seen.some && !seen.all) {
      if (bits_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw Unsupported("flash on CUDA: the mask needs more than 2^31 words of bits");
      step.bits = narrow(static_cast<std::int64_t>(first));
    } else {
      bits_.resize(first);
    }
    return seen;
  }

  void add_full(Tile& tile, std::int64_t token, std::int64_t stride) const {
    ++tile.n_full;
    if (!tile.runs.empty()) {
      FullRun& last = tile.runs.back();
      if (last.k_stride == stride && last.k_token + last.n_blocks * key_block_ * stride == token) {
        ++last.n_blocks;
        return;
      }
    }
    tile.runs.push_back({narrow(token), narrow(stride), 1});
  }

  const TileSchedule& schedule_;
  const std::vector<LocalGroup>& keys_;
  std::int64_t key_block_;
  std::vector<std::uint64_t>& bits_;
};

}  // namespace

void add_tiles(const GroupedWorker& worker, std::size_t worker_index, const FlashShape& shape,
               std::int64_t tile_tokens, std::vector<Tile>& tiles,
               std::vector<std::uint64_t>& bits) {
  const TileSchedule& schedule = *worker.schedule;
  const std::vector<LocalGroup> queries = local_groups(worker.q_groups, false);
  const std::vector<LocalGroup> keys = local_groups(worker.kv_groups, true);
  const TileBuilder builder(schedule, keys, shape.key_block, bits);
  std::size_t group = 0;
  const auto add_rows = [&](std::int64_t begin, std::int64_t end, const QueryTile* of) {
    while (begin < end) {
      while (queries[group].end() <= begin) ++group;
      Tile tile;
      tile.worker = worker_index;
      tile.group = group;
      tile.begin = begin;
      tile.end = std::min({end, begin + tile_tokens, queries[group].end()});
      if (of != nullptr)
        for (const KeySpan& span : schedule.spans_of(*of)) builder.add_span(tile, span);
      begin = tile.end;
      tiles.push_back(std::move(tile));
    }
  };
  std::int64_t row = 0;
  for (const QueryTile& tile : schedule.tiles) {
    add_rows(row, tile.begin, nullptr);
    add_rows(tile.begin, tile.end, &tile);
    row = tile.end;
  }
  add_rows(row, schedule.n_queries, nullptr);
}

void list_steps(const Tile& tile, std::int64_t begin, std::int64_t end, std::int64_t key_block,
                TileWork& work, WorkLists& lists) {
  const auto n_masked = static_cast<std::int64_t>(tile.masked.size());
  work.first_masked = narrow(std::ssize(lists.masked));
  work.first_run = narrow(std::ssize(lists.runs));
  for (std::int64_t i = begin; i < std::min(end, n_masked); ++i)
    lists.masked.push_back(tile.masked[index(i)]);
  work.n_masked = narrow(std::ssize(lists.masked)) - work.first_masked;
  std::int64_t block = n_masked;  // step of the run's first block
  for (const FullRun& run : tile.runs) {
    const std::int64_t first = std::max(begin, block);
    const std::int64_t last = std::min(end, block + run.n_blocks);
    if (first < last)
      lists.runs.push_back({narrow(run.k_token + (first - block) * key_block * run.k_stride),
                            run.k_stride, narrow(last - first)});
    block += run.n_blocks;
  }
  work.n_full = narrow(std::max<std::int64_t>(0, end - std::max(begin, n_masked)));
}

}  // namespace qb::cuda
