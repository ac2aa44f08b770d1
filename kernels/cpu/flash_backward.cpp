// SPDX-License-Identifier: Apache-2.0
// Computes the backward pass of flash attention: P is computed anew from LSE, a block at a time,
// and five products of a block are the whole work (FlashAttention-2, arXiv 2307.08691, algorithm
// 2).
//
// Read in this order: this file has the items of the threads (backward_work.cpp says how they are
// cut, and why), flash_backward_tile.cpp the steps of a block, backward_products-inl.h its
// products.
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <vector>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/flash_backward.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/parallel.h"

namespace qb::cpu {
namespace {

// Returns the call for one residue class: every so-many-th row of the same tensors.
BackwardArguments class_arguments(const BackwardArguments& a,
                                  const TileSchedule::ResidueClass& part) {
  const TileSchedule& schedule = a.schedule->of_classes[part.schedule];
  BackwardArguments own = a;
  own.schedule = &schedule;
  for (TensorView* const view : {&own.q, &own.d_out, &own.lse, &own.delta, &own.d_q})
    *view = view->tokens(part.first_row, schedule.n_queries, part.stride);
  for (TensorView* const view : {&own.k, &own.v, &own.d_k, &own.d_v})
    *view = view->tokens(part.first_key, schedule.n_keys, part.stride);
  return own;
}

// Returns the schedule itself, then its residue classes: calls of a round share no rows or keys, so
// that threads compute them at once. Classes have rows of their own, and all that mask_tiles.h
// makes have keys of their own.
std::vector<std::vector<BackwardArguments>> rounds_of(const BackwardArguments& a) {
  std::vector<std::vector<BackwardArguments>> rounds;
  rounds.emplace_back(1, a);
  std::map<std::int64_t, std::size_t> classes_with_keys;
  for (const TileSchedule::ResidueClass& part : a.schedule->classes) {
    const std::size_t round = ++classes_with_keys[part.first_key % part.stride];
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(class_arguments(a, part));
  }
  return rounds;
}

// Calls function(piece) for the keys of a chunk that the rows may see, a block at a time.
template <class Function>
void for_each_block(const TileSchedule& schedule, const BackwardChunk::Tile& rows,
                    const Range& keys, Function function) {
  for (std::int64_t s = rows.first_span; s < rows.first_span + rows.n_spans; ++s) {
    const KeySpan& span = schedule.spans[static_cast<std::size_t>(s)];
    const Range live = intersection(span.live(rows.begin, rows.end - 1), keys);
    for (std::int64_t begin = live.begin; begin < live.end; begin += kBackwardKeyBlock) {
      const std::int64_t end = std::min(live.end, begin + kBackwardKeyBlock);
      const bool hides = needs_mask(span, rows.begin, rows.end - 1, {begin, end});
      function(FlashTile::Piece{&span, begin, end, hides, 0});
    }
  }
}

// Computes the calls of a round.
class Round {
 public:
  Round(const std::vector<BackwardArguments>& calls, const KernelContext& context, float* memory)
      : calls_(calls), threads_(context.threads), memory_(memory) {
    std::vector<const TileSchedule*> schedules;
    for (const BackwardArguments& call : calls) schedules.push_back(call.schedule);
    work_ = cut_backward(schedules, items_of_chunk_, backward_query_tile(head_dim_, value_dim_));
    turns_ = std::vector<std::atomic<int>>(
        static_cast<std::size_t>(a_.q.extent.batch * heads_ * work_.n_tiles));
  }

  void run() {
    const auto n_chunks = static_cast<std::int64_t>(work_.chunks.size());
    // An item that ended without its turns would let others wait for ever, so it must not throw.
    parallel_for(n_chunks * items_of_chunk_, threads_, 1,
                 [this](std::int64_t item, std::int64_t /*end*/, int thread) noexcept {
                   const std::int64_t of_chunk = item % items_of_chunk_;
                   add_chunk(work_.chunks[static_cast<std::size_t>(item / items_of_chunk_)],
                             of_chunk / kv_heads_, of_chunk % kv_heads_, thread);
                 });
  }

 private:
  void add_chunk(const BackwardChunk& chunk, std::int64_t batch, std::int64_t kv_head, int thread) {
    const std::int64_t floats = BackwardScratch::carve(nullptr, head_dim_, value_dim_).floats;
    const BackwardScratch scratch =
        BackwardScratch::carve(memory_ + thread * floats, head_dim_, value_dim_);
    BackwardTile tile{.arguments = &calls_[chunk.schedule],
                      .batch = batch,
                      .kv_head = kv_head,
                      .bf16_pairs = bf16_pairs_};
    tile.keys_finite = backward_keys_finite(tile, chunk.keys, scratch);
    const std::int64_t group = heads_ / kv_heads_;
    for (std::int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head)
      for (const BackwardChunk::Tile& rows : chunk.tiles) {
        tile.head = head;
        tile.begin = rows.begin;
        tile.end = rows.end;
        add_tile(tile, rows, chunk.keys, scratch);
      }
  }

  void add_tile(BackwardTile& tile, const BackwardChunk::Tile& rows, const Range& keys,
                const BackwardScratch& scratch) {
    begin_backward_tile(tile, scratch);
    for_each_block(*tile.arguments->schedule, rows, keys, [&](const FlashTile::Piece& piece) {
      add_backward_block(tile, scratch, piece);
    });
    const std::int64_t index = (tile.batch * heads_ + tile.head) * work_.n_tiles + rows.index;
    std::atomic<int>& turn = turns_[static_cast<std::size_t>(index)];
    await_value(turn, rows.turn);
    add_query_gradients(tile, scratch);
    turn.store(rows.turn + 1, std::memory_order_seq_cst);  // as in parallel.cpp
    turn.notify_all();
  }

  const std::vector<BackwardArguments>& calls_;
  const int threads_;
  float* const memory_;
  const BackwardArguments& a_ = calls_.front();
  const std::int64_t head_dim_ = a_.q.extent.head_dim;
  const std::int64_t value_dim_ = a_.v.extent.head_dim;
  const std::int64_t heads_ = a_.q.extent.heads;
  const std::int64_t kv_heads_ = a_.k.extent.heads;
  const std::int64_t items_of_chunk_ = a_.q.extent.batch * kv_heads_;
  const bool bf16_pairs_ = a_.q.dtype == DType::bf16 && bf16_products();
  // These are of the size of the schedule and are not taken from the workspace.
  BackwardWork work_;
  std::vector<std::atomic<int>> turns_;  // [b, h, tile] how many chunks have added to dQ
};

std::int64_t workspace_bytes(const CpuKernel::Shape& shape) {
  return shape.threads * 4 *
         BackwardScratch::carve(nullptr, shape.q.head_dim, shape.value_dim).floats;
}

void accumulate(const BackwardArguments& a, const KernelContext& context) {
  const std::int64_t floats =
      BackwardScratch::carve(nullptr, a.q.extent.head_dim, a.v.extent.head_dim).floats;
  const Buffer memory(context.workspace, static_cast<std::size_t>(context.threads * 4 * floats),
                      "backward_tiles", context.worker);
  for (const std::vector<BackwardArguments>& calls : rounds_of(a))
    Round(calls, context, memory.as<float>()).run();
}

// Half of a core's second-level cache, which has 512 KiB on Zen 3 and 1 MiB on Zen 4.
std::int64_t tile_bytes() {
  static const std::int64_t half = [] {
    constexpr std::int64_t kUsual = 1 << 20;
    const long known = ::sysconf(_SC_LEVEL2_CACHE_SIZE);  // 0: the system does not say
    return (known > 0 ? std::int64_t{known} : kUsual) / 2;
  }();
  return half;
}

}  // namespace

std::int64_t backward_query_tile(std::int64_t head_dim, std::int64_t value_dim) {
  std::int64_t rows = kMostBackwardRows;
  while (rows > 2 * kFlashGroupRows && 4 * rows * (3 * head_dim + 2 * value_dim) > tile_bytes())
    rows /= 2;
  return rows;
}

const CpuBackward flash_backward{.workspace_bytes = workspace_bytes, .accumulate = accumulate};

}  // namespace qb::cpu
