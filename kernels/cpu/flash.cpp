// Attention with a tiled online softmax: no score matrix, only a block of scores at a time.
//
// One work item is a query tile of one head. It packs its queries once, with scale * log2(e) folded
// in, so that exponentials are powers of two; then, for each block of keys of its schedule, it
// packs keys and values and takes its rows a few at a time:
//
//   S = Q K^T            register-blocked product with the packed key panels
//   m' = max(m, max S)   P = 2^(S - m')      f = 2^(m - m')
//   l = f l + sum P      O = f O + P V       register-blocked product with the value block
//
// and at the end O / l, LSE = (m + log2 l) log 2. A causal span limits how many keys of the block
// each row sees: scores behind that are neither computed (whole panels) nor used (the rest).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/flash_tile.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/flash.cpp"
#include "kernels/cpu/highway_targets.h"
// After highway_targets.h
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/exp2-inl.h"
#include "kernels/cpu/flash_pack-inl.h"
#include "kernels/cpu/tile_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
using Floats = hn::ScalableTag<float>;

constexpr auto kRows = static_cast<std::int64_t>(kRowBlock);

HWY_INLINE std::size_t panel_width() { return kVectorBlock * hn::Lanes(Floats()); }

// S = Q K^T of one row block, panel by panel up to the last live key.
HWY_INLINE void score_rows(const float* queries, const float* panels, std::size_t head_dim,
                           std::size_t live, float* scores) {
  for (std::size_t j = 0; j < live; j += panel_width())
    tile_product<kRowBlock, kVectorBlock>(Floats(), InterleavedRows<kRowBlock>{queries},
                                          panels + j * head_dim, panel_width(), head_dim, nullptr,
                                          scores + j, kFlashScoreStride);
}

// O = f O + P V of one row block: kVectorBlock vectors of columns at a time, the rest one by one.
HWY_INLINE void accumulate_rows(const float* scores, const float* values, std::size_t columns,
                                std::size_t live, const float* factors, float* accumulator) {
  const Floats d;
  const StridedRows<kFlashScoreStride> p{scores};
  std::size_t x = 0;
  for (; x + panel_width() <= columns; x += panel_width())
    tile_product<kRowBlock, kVectorBlock>(d, p, values + x, columns, live, factors, accumulator + x,
                                          columns);
  for (; x < columns; x += hn::Lanes(d))
    tile_product<kRowBlock, 1>(d, p, values + x, columns, live, factors, accumulator + x, columns);
}

// One row's step of the online softmax: scores [0, live) become P, [live, end) become 0. Updates m
// and l and returns the factor f of what was accumulated before.
HWY_INLINE float softmax_step(float* scores, std::int64_t live, std::int64_t end, float& m,
                              float& l) {
  const Floats d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t whole = live / lanes * lanes;
  const auto rest = hn::FirstN(d, static_cast<std::size_t>(live - whole));
  if (whole != live)
    hn::Store(hn::IfThenElse(rest, hn::Load(d, scores + whole), hn::Set(d, kMinusInfinity)), d,
              scores + whole);
  auto block_largest = hn::Set(d, m);
  for (std::int64_t j = 0; j < live; j += lanes)
    block_largest = hn::Max(block_largest, hn::Load(d, scores + j));
  const float largest = hn::GetLane(hn::MaxOfLanes(d, block_largest));
  // While every score is -inf, -inf - 0 is what exp2 takes to 0.
  const float shift = largest == kMinusInfinity ? 0.0f : largest;
  auto sum = hn::Zero(d);
  std::int64_t j = 0;
  for (; j < live; j += lanes) {
    const auto p = exp2_fast(d, hn::Sub(hn::Load(d, scores + j), hn::Set(d, shift)));
    sum = hn::Add(sum, p);
    hn::Store(p, d, scores + j);
  }
  for (; j < end; j += lanes) hn::Store(hn::Zero(d), d, scores + j);
  const float factor = hn::GetLane(exp2_fast(d, hn::Set(d, m - shift)));
  l = l * factor + hn::GetLane(hn::SumOfLanes(d, sum));
  m = largest;
  return factor;
}

// Rows [row, row + kRows) of the tile against one packed block of keys that begins at key_begin.
HWY_INLINE void attend_block(const FlashTile& tile, const FlashScratch& scratch, std::int64_t row,
                             const KeySpan& span, std::int64_t key_begin, std::int64_t key_end) {
  const std::int64_t head_dim = tile.arguments->q.extent.head_dim;
  const std::int64_t columns = FlashScratch::padded(tile.arguments->v.extent.head_dim);
  const std::int64_t row_end = std::min<std::int64_t>(tile.begin + row + kRows, tile.end);
  const auto live_keys = [&](std::int64_t query) {
    return std::clamp<std::int64_t>(TileSchedule::live_end(span, query) - key_begin, 0,
                                    key_end - key_begin);
  };
  const std::int64_t live = live_keys(row_end - 1);
  if (live == 0) return;
  score_rows(scratch.queries + row * head_dim, scratch.keys, static_cast<std::size_t>(head_dim),
             static_cast<std::size_t>(live), scratch.scores);
  float factors[kRowBlock] = {};
  for (std::int64_t query = tile.begin + row; query < row_end; ++query) {
    const std::int64_t i = query - tile.begin;
    factors[i - row] = softmax_step(scratch.scores + (i - row) * kFlashScoreStride,
                                    live_keys(query), live, scratch.largest[i], scratch.sum[i]);
  }
  accumulate_rows(scratch.scores, scratch.values, static_cast<std::size_t>(columns),
                  static_cast<std::size_t>(live), factors, scratch.accumulator + row * columns);
}

HWY_INLINE void write_rows(const FlashTile& tile, const FlashScratch& scratch) {
  const TensorView& out = tile.arguments->out;
  const std::int64_t e = out.extent.head_dim;
  const std::int64_t columns = FlashScratch::padded(e);
  for (std::int64_t i = 0; i < tile.end - tile.begin; ++i) {
    const float* HWY_RESTRICT from = scratch.accumulator + i * columns;
    float* HWY_RESTRICT to = out.row_as<float>(tile.batch, tile.head, tile.begin + i);
    const float sum = scratch.sum[i];
    const float factor = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (std::int64_t x = 0; x < e; ++x) to[x] = from[x] * factor;
    const double lse =
        (static_cast<double>(scratch.largest[i]) + std::log2(static_cast<double>(sum))) *
        std::numbers::ln2;
    *tile.arguments->lse.row_as<float>(tile.batch, tile.head, tile.begin + i) =
        sum == 0.0f ? kMinusInfinity : static_cast<float>(lse);
  }
}

void attend_tile(const FlashTile& tile, const FlashScratch& scratch) {
  const AttentionArguments& a = *tile.arguments;
  const std::int64_t rows = tile.end - tile.begin;
  const std::int64_t padded_rows = (rows + kRows - 1) / kRows * kRows;
  const std::int64_t columns = FlashScratch::padded(a.v.extent.head_dim);
  const std::int64_t kv_head = tile.head / (a.q.extent.heads / a.k.extent.heads);
  const HeadRows keys(a.k, tile.batch, kv_head);
  const HeadRows values(a.v, tile.batch, kv_head);

  pack_interleaved(HeadRows(a.q, tile.batch, tile.head), tile.begin, rows, kRows,
                   static_cast<float>(a.scale * std::numbers::log2e), scratch.queries);
  std::fill_n(scratch.accumulator, padded_rows * columns, 0.0f);
  std::fill_n(scratch.largest, padded_rows, kMinusInfinity);
  std::fill_n(scratch.sum, padded_rows, 0.0f);
  for (std::int64_t s = 0; s < tile.n_spans; ++s) {
    const KeySpan& span = tile.spans[s];
    const std::int64_t span_end = TileSchedule::live_end(span, tile.end - 1);
    for (std::int64_t begin = span.begin; begin < span_end; begin += kFlashKeyBlock) {
      const std::int64_t end = std::min(span_end, begin + kFlashKeyBlock);
      pack_interleaved(keys, begin, end - begin, static_cast<std::int64_t>(panel_width()), 1.0f,
                       scratch.keys);
      pack_rows(values, begin, end - begin, columns, scratch.values);
      for (std::int64_t row = 0; row < rows; row += kRows)
        attend_block(tile, scratch, row, span, begin, end);
    }
  }
  write_rows(tile, scratch);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {

HWY_EXPORT(attend_tile);

// A query tile of the schedule, cut to the kernel's own size.
struct TileRows {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t first_span;
  std::int64_t n_spans;
  std::int64_t pairs;  // computed, at most
};

// Heavy tiles first, so that no thread begins one when the others are done. Bookkeeping of the
// size of the schedule, so not taken from the workspace.
std::vector<TileRows> heavy_first(const TileSchedule& schedule) {
  std::vector<TileRows> tiles;
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t begin = tile.begin; begin < tile.end; begin += kFlashQueryTile) {
      const std::int64_t end = std::min(tile.end, begin + kFlashQueryTile);
      std::int64_t keys = 0;
      for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
        const KeySpan& span = schedule.spans[static_cast<std::size_t>(s)];
        keys += TileSchedule::live_end(span, end - 1) - span.begin;
      }
      tiles.push_back({begin, end, tile.first_span, tile.n_spans, keys * (end - begin)});
    }
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const TileRows& a, const TileRows& b) { return a.pairs > b.pairs; });
  return tiles;
}

// Rows in no tile have no keys.
void clear_rows_without_tile(const AttentionArguments& a) {
  const auto clear = [&a](std::int64_t begin, std::int64_t end) {
    if (begin < end)
      clear_partial(a.out.tokens(begin, end - begin), a.lse.tokens(begin, end - begin));
  };
  std::int64_t seen = 0;
  for (const QueryTile& tile : a.schedule->tiles) {
    clear(seen, tile.begin);
    seen = tile.end;
  }
  clear(seen, a.schedule->n_queries);
}

}  // namespace

KernelTiles flash_tiles(std::int64_t /*head_dim*/) { return {kFlashQueryTile, kFlashKeyBlock}; }

std::string_view flash_isa() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  switch (usable & -usable) {  // the lowest bit is the best target
    case HWY_AVX3:
      return "avx512";
    case HWY_AVX2:
      return "avx2";
    case HWY_SSE4:
      return "sse4";
    case HWY_NEON:
      return "neon";
    default:
      return "scalar";
  }
}

std::int64_t flash_workspace_bytes(const WorkspaceShape& shape) {
  return shape.threads * 4 * FlashScratch::floats(shape.q.head_dim, shape.value_dim);
}

void flash_attention(const AttentionArguments& a, const KernelContext& context) {
  const std::int64_t head_dim = a.q.extent.head_dim;
  const std::int64_t value_dim = a.v.extent.head_dim;
  const std::int64_t floats = FlashScratch::floats(head_dim, value_dim);
  const Buffer memory(context.workspace, static_cast<std::size_t>(context.threads * 4 * floats),
                      "flash_tiles", context.worker);
  const std::vector<TileRows> tiles = heavy_first(*a.schedule);
  const std::int64_t heads = a.q.extent.batch * a.q.extent.heads;
  clear_rows_without_tile(a);
  parallel_for(static_cast<std::int64_t>(tiles.size()) * heads, context.threads, 1,
               [&](std::int64_t item, std::int64_t, int thread) {
                 const TileRows& rows = tiles[static_cast<std::size_t>(item / heads)];
                 const std::int64_t head = item % heads;
                 const FlashTile tile{&a,
                                      head / a.q.extent.heads,
                                      head % a.q.extent.heads,
                                      rows.begin,
                                      rows.end,
                                      a.schedule->spans.data() + rows.first_span,
                                      rows.n_spans};
                 HWY_DYNAMIC_DISPATCH(attend_tile)
                 (tile,
                  FlashScratch::carve(memory.as<float>() + thread * floats, head_dim, value_dim));
               });
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
