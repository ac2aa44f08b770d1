// SPDX-License-Identifier: Apache-2.0
// Computes attention with a tiled online softmax, which holds only a block of scores at a time.
//
// This file cuts the schedule into work items for the threads; flash_tile.cpp and flash_thin.cpp
// compute one. An item is a tile of query rows of one head, or of all heads that share keys where
// a head has few rows, over all of its keys, or over a part of them where there are too few tiles
// for the threads (flash decoding): then the parts are merged.
#include <algorithm>
#include <tuple>
#include <vector>

#include "base/integers.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/flash_tile.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb::cpu {
namespace {

std::int64_t flash_key_block() {
  const bool wide = instruction_set() >= InstructionSet::avx512;
  return wide ? kFlashScores / kFlashGroupRows : kFlashKeyBlock;
}

std::int64_t flash_group_rows() {  // three vectors
  switch (instruction_set()) {
    case InstructionSet::avx512_amx:
    case InstructionSet::avx512_bf16:
    case InstructionSet::avx512:
      return 48;
    case InstructionSet::avx2:
      return 24;
    case InstructionSet::neon:
    case InstructionSet::sse4:
      return 12;
    case InstructionSet::scalar:
      break;
  }
  return 3;
}

// Says how a call is cut, by its shapes and threads alone, so that its memory can be predicted.
struct Cut {
  std::int64_t heads_at_once = 1;  // query heads in a tile
  std::int64_t query_tile = 0;
  std::int64_t splits = 1;  // parts of each tile's keys
};

Cut cut_of(const Extent& q, const Extent& k, std::int64_t value_dim, int threads) {
  Cut cut;
  cut.query_tile = flash_query_tile(q.head_dim, value_dim);
  const std::int64_t group = q.heads / k.heads;
  const std::int64_t tokens = std::max<std::int64_t>(1, q.length);
  cut.heads_at_once = std::clamp<std::int64_t>(kFlashGroupRows / tokens, 1, group);
  if (threads == 1) return cut;
  // With fewer items than this, threads are idle at the end of a call.
  const std::int64_t enough = 8 * std::int64_t{threads};
  const auto items = [&] {
    return q.batch * k.heads * ceil_div(group, cut.heads_at_once) *
           ceil_div(tokens, cut.query_tile);
  };
  while (items() < enough && cut.query_tile > kFlashGroupRows) cut.query_tile /= 2;
  constexpr std::int64_t kLeastKeys = 512;  // keys of a part, so that merging costs little
  if (items() < enough)
    cut.splits = std::clamp<std::int64_t>(k.length / kLeastKeys, 1, ceil_div(enough, items()));
  return cut;
}

// A schedule and its tensors, which are the caller's or every n-th token of them.
struct Pass {
  AttentionArguments arguments;
  bool resumes;  // O and LSE hold other keys already
};

// Returns the schedule itself, then its residue classes, which share no rows.
std::vector<Pass> passes_of(const AttentionArguments& a) {
  std::vector<Pass> passes = {{a, a.resumes}};
  // A class alone begins with nothing.
  const bool resumes = a.resumes || !a.schedule->tiles.empty();
  for (const TileSchedule::ResidueClass& part : a.schedule->classes) {
    const TileSchedule& schedule = a.schedule->of_classes[part.schedule];
    const auto rows = [&](const TensorView& view) {
      return view.tokens(part.first_row, schedule.n_queries, part.stride);
    };
    const auto keys = [&](const TensorView& view) {
      return view.tokens(part.first_key, schedule.n_keys, part.stride);
    };
    passes.push_back(
        {{rows(a.q), keys(a.k), keys(a.v), &schedule, a.scale, rows(a.out), rows(a.lse)}, resumes});
  }
  return passes;
}

struct Rows {
  const Pass* pass;
  std::int64_t begin;
  std::int64_t end;
  std::int64_t first_span;
  std::int64_t n_spans;
  std::int64_t keys;  // between the first and the last that any row sees, of all spans
  bool alone;         // each row by itself, because it sees few of these keys
};

// This is the cost of a pair of a row computed alone, relative to groups: each row reads keys and
// values from the second-level cache for itself.
constexpr std::int64_t kRowCost = 4;

// Puts heavy tiles first, so that no thread begins one when the others are done. This memory is of
// the size of the schedule and is not taken from the workspace.
std::vector<Rows> heavy_first(std::span<const Pass> passes, std::int64_t query_tile) {
  std::vector<Rows> tiles;
  for (const Pass& pass : passes) {
    const TileSchedule& schedule = *pass.arguments.schedule;
    for (const QueryTile& tile : schedule.tiles) {
      const bool alone = schedule.rows_alone(tile, kFlashKeyStep, flash_group_rows(), kRowCost);
      for (std::int64_t begin = tile.begin; begin < tile.end; begin += query_tile) {
        const std::int64_t end = std::min(tile.end, begin + query_tile);
        Rows rows{&pass, begin, end, tile.first_span, tile.n_spans, 0, alone};
        for (const KeySpan& span : schedule.spans_of(begin))
          rows.keys += span.live(begin, end - 1).count();
        tiles.push_back(rows);
      }
    }
  }
  std::ranges::stable_sort(tiles, [](const Rows& a, const Rows& b) {
    return a.keys * (a.end - a.begin) > b.keys * (b.end - b.begin);
  });
  return tiles;
}

// Cuts the keys of a tile into blocks. It is kept from tile to tile to allocate memory once.
class KeyBlocks {
 public:
  // Returns part `split` of `splits` of the keys that the rows see, at most `limit` in a block, in
  // which pieces begin at multiples of `step`.
  std::span<const FlashTile::Block> cut(const Rows& rows, std::int64_t split, std::int64_t splits,
                                        std::int64_t limit, std::int64_t step) {
    const TileSchedule& schedule = *rows.pass->arguments.schedule;
    limit_ = limit;
    step_ = step;
    masked_ = false;
    pieces_.clear();
    ends_.clear();
    filled_ = 0;
    std::int64_t first = rows.keys * split / splits;
    std::int64_t count = rows.keys * (split + 1) / splits - first;
    for (std::int64_t s = rows.first_span; s < rows.first_span + rows.n_spans && count > 0; ++s) {
      const KeySpan& span = schedule.spans[static_cast<std::size_t>(s)];
      const Range live = span.live(rows.begin, rows.end - 1);
      const std::int64_t skipped = std::min(first, live.count());
      const std::int64_t taken = std::min(count, live.count() - skipped);
      first -= skipped;
      count -= taken;
      add_evenly(span, rows, {live.begin + skipped, live.begin + skipped + taken});
    }
    end_block();
    blocks_.clear();
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      blocks_.push_back(std::span(pieces_).subspan(begin, end - begin));
      begin = end;
    }
    return blocks_;
  }
  [[nodiscard]] bool masked() const { return masked_; }  // some piece cut last is masked

 private:
  void add_evenly(const KeySpan& span, const Rows& rows, const Range& keys) {
    if (keys.count() == 0) return;
    const std::int64_t even = round_up(ceil_div(keys.count(), ceil_div(keys.count(), limit_)),
                                       std::max<std::int64_t>(8, step_));
    for (std::int64_t begin = keys.begin; begin < keys.end; begin += even) {
      const std::int64_t end = std::min(keys.end, begin + even);
      if (filled_ + (end - begin) > limit_) end_block();
      const bool hides = needs_mask(span, rows.begin, rows.end - 1, {begin, end});
      pieces_.push_back({&span, begin, end, hides, filled_});
      masked_ = masked_ || hides;
      filled_ += round_up(end - begin, step_);
    }
  }
  void end_block() {
    const std::size_t begun = ends_.empty() ? 0 : ends_.back();
    if (pieces_.size() > begun) ends_.push_back(pieces_.size());
    filled_ = 0;
  }

  std::vector<FlashTile::Piece> pieces_;
  std::vector<std::size_t> ends_;  // ends of blocks, in pieces
  std::vector<FlashTile::Block> blocks_;
  std::int64_t filled_ = 0;  // keys of the block that is being filled
  std::int64_t limit_ = 0;
  std::int64_t step_ = 0;
  bool masked_ = false;
};

// Returns the keys of a block of rows computed one by one; copied keys must fit their buffer.
std::int64_t keys_of_rows_alone(const AttentionArguments& a) {
  const bool in_place =
      a.k.extent.head_dim % kFlashColumns == 0 && a.v.extent.head_dim % kFlashColumns == 0;
  return in_place ? kFlashRowKeys : flash_key_block();
}

// Rows outside all tiles have no keys.
void clear_rows_without_tile(const TileSchedule& schedule, const TensorView& out,
                             const TensorView& lse) {
  const auto clear = [&](std::int64_t begin, std::int64_t end) {
    if (begin < end) clear_partial(out.tokens(begin, end - begin), lse.tokens(begin, end - begin));
  };
  std::int64_t seen = 0;
  for (const QueryTile& tile : schedule.tiles) {
    clear(seen, tile.begin);
    seen = tile.end;
  }
  clear(seen, schedule.n_queries);
}

KernelTiles tiles(std::int64_t head_dim) {
  return {flash_query_tile(head_dim, head_dim),
          flash_key_block(),
          kFlashKeyStep,
          flash_group_rows(),
          true,
          kRowCost,
          true};
}

// Returns the bytes of O and LSE of all parts but the first, which goes directly into the output.
std::int64_t parts_bytes(const Extent& q, std::int64_t value_dim, const Cut& cut) {
  return 4 * (cut.splits - 1) * q.batch * q.heads * q.length * (value_dim + 1);
}

std::int64_t workspace_bytes(const CpuKernel::Shape& shape) {
  const Cut cut = cut_of(shape.q, shape.k, shape.value_dim, shape.threads);
  return shape.threads * 4 *
             FlashScratch::carve(nullptr, shape.q.head_dim, shape.value_dim).floats +
         parts_bytes(shape.q, shape.value_dim, cut);
}

void attend(const AttentionArguments& a, const KernelContext& context) {
  const std::int64_t head_dim = a.q.extent.head_dim;
  const std::int64_t value_dim = a.v.extent.head_dim;
  const std::int64_t floats = FlashScratch::carve(nullptr, head_dim, value_dim).floats;
  const Cut cut = cut_of(a.q.extent, a.k.extent, value_dim, context.threads);
  const Buffer memory(context.workspace, static_cast<std::size_t>(context.threads * 4 * floats),
                      "flash_tiles", context.worker);
  Buffer parts;
  if (cut.splits > 1)
    parts =
        Buffer(context.workspace, static_cast<std::size_t>(parts_bytes(a.q.extent, value_dim, cut)),
               "flash_parts", context.worker);
  float* const first_lse = parts.as<float>() + (cut.splits - 1) * a.out.extent.elements();
  const auto part = [&](std::int64_t split) -> std::pair<TensorView, TensorView> {
    if (split == 0) return {a.out, a.lse};
    float* const out = parts.as<float>() + (split - 1) * a.out.extent.elements();
    float* const lse = first_lse + (split - 1) * a.lse.extent.elements();
    return {contiguous_view(out, DType::f32, a.out.extent),
            contiguous_view(lse, DType::f32, a.lse.extent)};
  };
  const bool bf16_pairs = a.q.dtype == DType::bf16 && bf16_products();
  const std::int64_t step = bf16_pairs && bf16_tiles() ? kFlashTileKeys : 2;
  const std::vector<Pass> passes = passes_of(a);
  const std::int64_t group = a.q.extent.heads / a.k.extent.heads;
  const std::int64_t head_sets = ceil_div(group, cut.heads_at_once);
  std::vector<KeyBlocks> lists(static_cast<std::size_t>(context.threads));
  for (std::int64_t split = a.resumes ? 1 : 0; split < cut.splits; ++split) {
    const auto [out, lse] = part(split);
    clear_rows_without_tile(*a.schedule, out, lse);
  }
  const auto attend = [&](const Rows& rows, std::int64_t set, std::int64_t split,
                          std::int64_t splits, int thread) {
    const Pass& pass = *rows.pass;
    const std::int64_t first = set % head_sets * cut.heads_at_once;
    KeyBlocks& list = lists[static_cast<std::size_t>(thread)];
    FlashTile tile{.arguments = &pass.arguments,
                   .out = pass.arguments.out,
                   .lse = pass.arguments.lse,
                   .batch = set / head_sets / a.k.extent.heads,
                   .first_head = set / head_sets % a.k.extent.heads * group + first,
                   .heads = std::min(cut.heads_at_once, group - first),
                   .begin = rows.begin,
                   .end = rows.end,
                   .resumes = pass.resumes && split == 0,
                   .bf16_pairs = bf16_pairs};
    if (split > 0) std::tie(tile.out, tile.lse) = part(split);
    const FlashScratch scratch =
        FlashScratch::carve(memory.as<float>() + thread * floats, head_dim, value_dim);
    const bool alone = rows.alone || tile.rows() <= kFlashThinRows;
    tile.blocks =
        list.cut(rows, split, splits, rows.alone ? keys_of_rows_alone(a) : flash_key_block(), step);
    tile.masked = list.masked();
    if (alone || !attend_tile(tile, scratch)) attend_thin_tile(tile, scratch);
  };
  const auto attend_all = [&](std::span<const Pass> some, std::int64_t splits) {
    const std::vector<Rows> tiles = heavy_first(some, cut.query_tile);
    const std::int64_t per_tile = a.q.extent.batch * a.k.extent.heads * head_sets * splits;
    parallel_for(static_cast<std::int64_t>(tiles.size()) * per_tile, context.threads, 1,
                 [&](std::int64_t item, std::int64_t, int thread) {
                   attend(tiles[static_cast<std::size_t>(item / per_tile)],
                          item % per_tile / splits, item % splits, splits, thread);
                 });
  };
  attend_all(std::span(passes).first(1), cut.splits);
  attend_all(std::span(passes).subspan(1), 1);
  for (std::int64_t split = 1; split < cut.splits; ++split) {
    const auto [out, lse] = part(split);
    merge_partial(a.out, a.lse, out, lse);
  }
}

}  // namespace

const CpuKernel flash_kernel{
    .tiles = tiles,
    .workspace_bytes = workspace_bytes,
    .attend = attend,
    .isa = [] { return word(instruction_set()); },
    .backward = &flash_backward,
};

}  // namespace qb::cpu
