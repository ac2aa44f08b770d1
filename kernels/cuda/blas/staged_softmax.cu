// SPDX-License-Identifier: Apache-2.0
// This is bound by memory: a row is read twice, the second time from the cache, and written once.
#include "kernels/cuda/blas/staged_work.h"

#include "kernels/cuda/blas/softmax_threads.cuh"
#include "kernels/cuda/blas/staged_softmax.cuh"
#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/element.cuh"

namespace qb::cuda {
namespace {

struct SoftmaxRows {
  const StagedTile* tiles;
  std::int64_t blocks_of_a_tile;
  std::int64_t blocks_of_a_head;
  std::int64_t scores_of_a_head;
  StagedHead head;  // the first
  LseRows lse;
};

// kLanes threads handle a row: a warp, or the block. Blocks go through the heads, their tiles, and
// the rows of a tile.
template <class Element, int kLanes>
__global__ void __launch_bounds__(kThreads) softmax_kernel(const SoftmaxRows p) {
  const std::int64_t slice = blockIdx.x / p.blocks_of_a_head;
  const std::int64_t block = blockIdx.x % p.blocks_of_a_head;
  const StagedTile tile = p.tiles[block / p.blocks_of_a_tile];
  const std::int64_t row = tile.begin + block % p.blocks_of_a_tile * (kThreads / kLanes) +
                           static_cast<int>(threadIdx.x) / kLanes;
  if (row >= tile.end) return;  // all lanes of the row return together
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  StagedHead head = p.head;
  head.scores += slice * p.scores_of_a_head;
  const Exponential<Element> exp;
  SoftmaxSum sum = lane_sum(head, tile, row, lane, kLanes, exp);
  if constexpr (kLanes == kWarp)
    sum = join_warp(sum, exp);
  else
    sum = join_block<kLanes>(sum, exp);
  for_row(head, tile, row, kLanes, [&](const StagedKeys& keys) {
    const float weight = lane_weight(head, tile, row, keys, lane, sum, exp);
    if constexpr (sizeof(Element) < sizeof(float)) {
      if constexpr (kLanes == kWarp)
        __syncwarp();
      else
        __syncthreads();
    }
    store_weight(head, tile, row, keys, lane, from_float<Element>(weight));
  });
  if (lane == 0) p.lse.store(slice, row, sum);
}

template <class Element, int kLanes>
void launch_softmax(const StagedSoftmax& call, std::int64_t first_tile, std::int64_t n_tiles,
                    void* stream) {
  if (n_tiles == 0) return;
  constexpr std::int64_t kRowsOfABlock = kThreads / kLanes;
  const std::int64_t of_a_tile = (call.rows_of_a_tile + kRowsOfABlock - 1) / kRowsOfABlock;
  const std::int64_t blocks = call.lse.extent.batch * call.lse.extent.heads * n_tiles * of_a_tile;
  softmax_kernel<Element, kLanes><<<grid(blocks), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      {call.tiles + first_tile,
       of_a_tile,
       n_tiles * of_a_tile,
       call.scores_of_a_head,
       {call.spans, call.words, call.scores, call.scale},
       LseRows(call.lse)});
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void staged_softmax(const StagedSoftmax& call, void* stream) {
  of_type(call.dtype, "the passes of kernel staged", [&](auto element) {
    using Element = decltype(element);
    launch_softmax<Element, kWarp>(call, 0, call.n_short, stream);
    launch_softmax<Element, kThreads>(call, call.n_short, call.n_tiles - call.n_short, stream);
  });
}

}  // namespace qb::cuda
