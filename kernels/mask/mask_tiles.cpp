// SPDX-License-Identifier: Apache-2.0
#include "kernels/mask/mask_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "kernels/mask/mask_pieces.h"
#include "kernels/mask/mask_tile_maker.h"

namespace qb {
namespace {

// Calls function(rows) for each tile of the group of queries of these blocks.
template <class Function>
void for_each_tile(const PieceMaker& maker, std::int64_t n_rows, std::int64_t query_tile,
                   Function function) {
  std::vector<std::int64_t> cuts = maker.cuts();
  cuts.push_back(n_rows);
  std::int64_t begin = 0;
  for (const std::int64_t cut : cuts)
    while (begin < std::min(cut, n_rows)) {
      const std::int64_t end = std::min({cut, n_rows, begin + query_tile});
      function(Range{begin, end});
      begin = end;
    }
}

std::vector<PieceMaker> makers_of(const Mask& mask, std::span<const MaskBlock> blocks) {
  std::vector<PieceMaker> makers;
  makers.reserve(blocks.size());
  for (const MaskBlock& block : blocks) makers.emplace_back(mask, block);
  return makers;
}

void check_tile(std::int64_t query_tile) {
  if (query_tile < 1)
    throw std::invalid_argument(
        fmt::format("tile schedule: a query tile cannot have {} rows", query_tile));
}

TileSchedule build_tiles(const Mask& mask, std::int64_t n_queries, std::int64_t n_keys,
                         std::vector<MaskBlock> blocks, std::int64_t query_tile, int threads) {
  std::ranges::sort(blocks, [](const MaskBlock& a, const MaskBlock& b) {
    return a.q_begin != b.q_begin ? a.q_begin < b.q_begin : a.k_begin < b.k_begin;
  });
  TileSchedule schedule{n_queries, n_keys, {}, {}, {}};
  TileMaker tiles(schedule, true, threads);
  for (std::size_t first = 0; first < blocks.size();) {
    std::size_t end = first;
    while (end < blocks.size() && blocks[end].q_begin == blocks[first].q_begin) ++end;
    const std::span<const MaskBlock> group = std::span(blocks).subspan(first, end - first);
    const std::vector<PieceMaker> makers = makers_of(mask, group);
    for_each_tile(makers.front(), group.front().q.count, query_tile,
                  [&](const Range& rows) { tiles.add_tile(group, makers, rows); });
    first = end;
  }
  return schedule;
}

// Holds the two parts of a pattern's shapes, over a group of queries and one of keys. Among every
// stride-th token dilated windows and strides are plain windows and blocks, which tiles compute
// without waste: a schedule may hold a schedule for each such class (TileSchedule::classes).
struct ResidueSplit {
  Mask near;                // every other shape; may be none
  Mask far;                 // bands of one dilation: row i sees only keys j = i + phase mod stride
  std::int64_t stride = 1;  // in indices of the groups
  std::int64_t phase = 0;   // in [0, stride)

  // Returns the groups of the class that begins with row `first`; its keys begin with row (first +
  // phase) mod stride, and there may be none.
  [[nodiscard]] MaskBlock class_block(const MaskBlock& whole, std::int64_t first) const {
    const auto every = [this](const TokenGroup& all, std::int64_t begin) -> TokenGroup {
      const std::int64_t count = std::max<std::int64_t>(0, ceil_divide(all.count - begin, stride));
      return {all.token(begin), count, all.stride * stride};
    };
    return {0, 0, every(whole.q, first), every(whole.k, (first + phase) % stride)};
  }
};

constexpr std::int64_t kLeastClassRows = 16;  // with fewer, a class's tiles do not fill the vectors

Mask with_atoms(const Mask& mask, std::vector<Pattern::Atom> atoms) {
  Mask part = mask;
  part.pattern = std::make_shared<const Pattern>(Pattern{{}, std::move(atoms)});
  return part;
}

// Returns nullopt where there is no such band or its classes are too short to fill a vector.
std::optional<ResidueSplit> split_by_residue(const Mask& mask, const MaskBlock& block) {
  if (mask.kind != MaskKind::pattern || block.q.count < 2 * kLeastClassRows) return std::nullopt;
  const PieceMaker maker(mask, block);
  std::optional<ResidueSplit> split;
  std::int64_t dilation = 0;
  std::vector<Pattern::Atom> near;
  std::vector<Pattern::Atom> far;
  for (const Pattern::Atom& atom : mask.pattern->atoms) {
    const auto* band = std::get_if<Pattern::Band>(&atom.shape);
    if (band != nullptr && !split) {
      const auto steps = maker.steps_of(band->dilation);
      if (steps && steps->step > 1 && block.q.count / steps->step >= kLeastClassRows) {
        split.emplace(ResidueSplit{{}, {}, steps->step, steps->phase});
        dilation = band->dilation;
      }
    }
    (band != nullptr && split && band->dilation == dilation ? far : near).push_back(atom);
  }
  if (!split) return std::nullopt;
  split->near = with_atoms(mask, std::move(near));
  split->far = with_atoms(mask, std::move(far));
  // Scattered keys cannot be taken out of a class.
  if (PieceMaker(split->near, block).scatters()) return std::nullopt;
  return split;
}

// Builds the far pairs of a class, without those that are near as well.
TileSchedule build_class(const ResidueSplit& split, const MaskBlock& block,
                         std::int64_t query_tile) {
  TileSchedule schedule{block.q.count, block.k.count, {}, {}, {}};
  TileMaker tiles(schedule, true);
  const std::vector<PieceMaker> far = makers_of(split.far, std::span(&block, 1));
  const PieceMaker near(split.near, block);
  tiles.leave_out(near);
  for_each_tile(near, block.q.count, query_tile,
                [&](const Range& rows) { tiles.add_tile(std::span(&block, 1), far, rows); });
  return schedule;
}

// Returns whether every shape is a band, so that classes are alike wherever they begin.
bool bands_only(const Mask& mask) {
  return std::ranges::all_of(mask.pattern->atoms, [](const Pattern::Atom& atom) {
    return std::holds_alternative<Pattern::Band>(atom.shape);
  });
}

TileSchedule build_by_residue(const ResidueSplit& split, const MaskBlock& block,
                              std::int64_t query_tile, int threads) {
  TileSchedule schedule =
      build_tiles(split.near, block.q.count, block.k.count, {block}, query_tile, threads);
  const bool alike = bands_only(split.near);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> known;
  for (std::int64_t first = 0; first < split.stride; ++first) {
    const MaskBlock own = split.class_block(block, first);
    if (own.k.count == 0) continue;
    std::size_t index = schedule.of_classes.size();
    if (alike)
      index = known.emplace(std::tuple(own.q.count, own.k.count, own.q.first - own.k.first), index)
                  .first->second;
    if (index == schedule.of_classes.size())
      schedule.of_classes.push_back(build_class(split, own, query_tile));
    schedule.classes.push_back({first, (first + split.phase) % split.stride, split.stride, index});
  }
  return schedule;
}

}  // namespace

TileSchedule build_mask_schedule(const Mask& mask, std::int64_t n_queries, std::int64_t n_keys,
                                 std::vector<MaskBlock> blocks, std::int64_t query_tile,
                                 const ScheduleChoice& choice) {
  check_tile(query_tile);
  const bool whole = blocks.size() == 1 && blocks[0].q_begin == 0 && blocks[0].k_begin == 0 &&
                     blocks[0].q.count == n_queries && blocks[0].k.count == n_keys;
  if (whole && choice.residue_classes)
    if (const auto split = split_by_residue(mask, blocks[0]))
      return build_by_residue(*split, blocks[0], query_tile, choice.threads);
  return build_tiles(mask, n_queries, n_keys, std::move(blocks), query_tile, choice.threads);
}

PairCounts count_pairs(const Mask& mask, const TokenGroup& q, const TokenGroup& k,
                       const KernelTiles& tiles) {
  check_tile(tiles.query_tile);
  const MaskBlock block{0, 0, q, k};
  PairCounts counts;
  const auto add = [&](const TileSchedule& schedule) {
    counts.unmasked += schedule.unmasked_pairs();
    counts.executed += schedule.executed_pairs(tiles.key_step, tiles.row_group, tiles.row_cost);
    counts.empty_rows += schedule.empty_rows();
  };
  // The schedule is short: its tiles need few bits or none.
  if (tiles.residue_classes)
    if (const auto split = split_by_residue(mask, block)) {
      add(build_by_residue(*split, block, tiles.query_tile, 1));
      return counts;
    }
  const PieceMaker maker(mask, block);
  for_each_tile(maker, q.count, tiles.query_tile, [&](const Range& rows) {
    TileSchedule one{rows.count(), 0, {}, {}, {}};
    TileMaker(one, false).add_tile(std::span(&block, 1), std::span(&maker, 1), rows);
    add(one);
  });
  return counts;
}

Coverage Mask::coverage(const TokenGroup& q, const TokenGroup& k) const {
  const TokenGroup at{q.first + offset, q.count, q.stride};
  if (kind == MaskKind::pattern) return pattern->coverage(at, k);
  if (q.count == 0 || k.count == 0) return Coverage::none;
  if (kind == MaskKind::full || k.last() <= at.first) return Coverage::all;
  return k.first > at.last() ? Coverage::none : Coverage::partial;
}

std::int64_t Mask::keys_of_pattern(std::int64_t q, std::int64_t kv_len) const {
  return count_pairs(*this, {q, 1, 1}, {0, kv_len, 1}, {1, 1, 1}).unmasked;
}

std::string to_string(const Mask& mask) {
  return mask.kind == MaskKind::pattern ? mask.pattern->text : std::string(word(mask.kind));
}

}  // namespace qb
