// SPDX-License-Identifier: Apache-2.0
// Computes sparse attention in three stages over a block-compressed matrix of scores, all heads at
// once. Fused attention is compared with it.
//
//   scores   S = Q K^T of every tile of rows and span of keys that the schedule keeps:
//            dense x dense -> sparse, one BLAS product for each block
//   softmax  of the kept scores of a row; pairs that a block stores but the mask hides are -inf
//   values   O = S V, block by block: sparse x dense
//
// A tile's spans stand side by side in one row-major block, so that a row of scores is contiguous.
#include <utility>
#include <vector>

#include "base/clock.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/score_rows.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb::cpu {
namespace {

// Says where the scores of each tile lie in a head's scores, and how many keys its rows have.
struct StoredTile {
  const QueryTile* tile;
  std::int64_t first_score;
  std::int64_t keys;

  [[nodiscard]] std::int64_t rows() const { return tile->end - tile->begin; }
};

class StagedCall {
 public:
  StagedCall(const AttentionArguments& a, int threads) : a_(a), threads_(threads) {
    for (const QueryTile& tile : a.schedule->tiles) {
      std::int64_t keys = 0;
      for (const KeySpan& span : a.schedule->spans_of(tile)) keys += span.end - span.begin;
      tiles_.push_back({&tile, scores_, keys});
      scores_ += (tile.end - tile.begin) * keys;
    }
  }

  [[nodiscard]] std::int64_t bytes() const {
    return 4 * scores_ * a_.q.extent.batch * a_.q.extent.heads;
  }

  void score(float* scores) const {
    for_each_tile(scores,
                  [this](const StoredTile& stored, std::int64_t b, std::int64_t h, float* block) {
                    for (const KeySpan& span : a_.schedule->spans_of(*stored.tile)) {
                      gemm(stored.rows(), span.end - span.begin, a_.q.extent.head_dim,
                           {a_.q.row_as<float>(b, h, stored.tile->begin), a_.q.token_stride, false},
                           {a_.k.row_as<float>(b, kv_head(h), span.begin), a_.k.token_stride, true},
                           block, stored.keys);
                      block += span.end - span.begin;
                    }
                  });
  }

  void softmax(float* scores) const {
    const float scale = binary_scale(a_.scale);
    for_each_tile(
        scores, [&](const StoredTile& stored, std::int64_t b, std::int64_t h, float* block) {
          for (std::int64_t i = 0; i < stored.rows(); ++i) {
            float* const row = block + i * stored.keys;
            scale_row(row, stored.keys, scale);
            mask(stored, stored.tile->begin + i, row);
            store_lse(a_.lse, b, h, stored.tile->begin + i, softmax_row(row, stored.keys));
          }
        });
  }

  void multiply_values(float* scores) const {
    for_each_tile(
        scores, [this](const StoredTile& stored, std::int64_t b, std::int64_t h, float* block) {
          const float* const p = block;
          bool first = true;
          for (const KeySpan& span : a_.schedule->spans_of(*stored.tile)) {
            gemm(stored.rows(), a_.v.extent.head_dim, span.end - span.begin,
                 {block, stored.keys, false},
                 {a_.v.row_as<float>(b, kv_head(h), span.begin), a_.v.token_stride, false},
                 a_.out.row_as<float>(b, h, stored.tile->begin), a_.out.token_stride, !first);
            block += span.end - span.begin;
            first = false;
          }
          mend_rows(stored, b, h, p);
        });
  }

 private:
  [[nodiscard]] std::int64_t kv_head(std::int64_t head) const {
    return head / (a_.q.extent.heads / a_.k.extent.heads);
  }

  // Calls function(tile, b, h, its scores) for all tiles of all heads.
  template <class Function>
  void for_each_tile(float* scores, Function function) const {
    const auto n_tiles = static_cast<std::int64_t>(tiles_.size());
    const std::int64_t heads = a_.q.extent.heads;
    parallel_for(a_.q.extent.batch * heads * n_tiles, threads_, 4,
                 [&](std::int64_t begin, std::int64_t end, int) {
                   for (std::int64_t item = begin; item < end; ++item) {
                     const std::int64_t head = item / n_tiles;
                     const StoredTile& stored = tiles_[static_cast<std::size_t>(item % n_tiles)];
                     function(stored, head / heads, head % heads,
                              scores + head * scores_ + stored.first_score);
                   }
                 });
  }

  // Computes again the rows of a tile that masked values made NaN.
  void mend_rows(const StoredTile& stored, std::int64_t b, std::int64_t h, const float* p) const {
    TensorView values = a_.v.heads(kv_head(h), 1);
    values.data = values.row(b, 0, 0);
    for (std::int64_t i = 0; i < stored.rows(); ++i, p += stored.keys) {
      float* const out = a_.out.row_as<float>(b, h, stored.tile->begin + i);
      if (!holds_nan(out, a_.v.extent.head_dim)) continue;
      const float* next = p;
      weigh_seen_values(
          *a_.schedule, a_.schedule->spans_of(*stored.tile), stored.tile->begin + i,
          [&next](const KeySpan& span) {
            return std::exchange(next, next + span.end - span.begin);
          },
          values, out);
    }
  }

  void mask(const StoredTile& stored, std::int64_t query, float* row) const {
    for (const KeySpan& span : a_.schedule->spans_of(*stored.tile)) {
      if (span.kind != SpanKind::full)
        hide_unseen(*a_.schedule, {&span, 1}, query, {span.begin, span.end}, row);
      row += span.end - span.begin;
    }
  }

  const AttentionArguments& a_;
  const int threads_;
  std::vector<StoredTile> tiles_;
  std::int64_t scores_ = 0;  // scores of a head
};

// A block has this many rows: with a window as wide as the tile is high, two thirds of the stored
// pairs are seen.
KernelTiles tiles(std::int64_t) {
  constexpr std::int64_t kRows = 64;
  return {kRows, 1, kWholeSpan, kRows};
}

std::int64_t workspace_bytes(const CpuKernel::Shape& shape) {
  const std::int64_t pairs =
      shape.stored_pairs < 0 ? shape.q.length * shape.k.length : shape.stored_pairs;
  return 4 * shape.q.batch * shape.q.heads * pairs;
}

void attend(const AttentionArguments& a, const KernelContext& context) {
  const StagedCall call(a, context.threads);
  clear_partial(a.out, a.lse);  // rows without a tile
  if (call.bytes() == 0) return;
  const Buffer memory(context.workspace, static_cast<std::size_t>(call.bytes()), "sparse_scores",
                      context.worker);
  float* const scores = memory.as<float>();
  const double start_s = now_s();
  call.score(scores);
  const double scored_s = now_s();
  call.softmax(scores);
  const double softened_s = now_s();
  call.multiply_values(scores);
  if (context.stages == nullptr) return;
  context.stages->scores_s += scored_s - start_s;
  context.stages->softmax_s += softened_s - scored_s;
  context.stages->values_s += now_s() - softened_s;
}

}  // namespace

const CpuKernel staged_kernel{
    .tiles = tiles, .workspace_bytes = workspace_bytes, .attend = attend, .isa = gemm_isa};

}  // namespace qb::cpu
