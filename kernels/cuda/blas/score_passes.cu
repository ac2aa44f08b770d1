// SPDX-License-Identifier: Apache-2.0
// These passes over a matrix that fits no cache are bound by memory, so a thread moves 16 bytes at
// a time, or one element where the length of a row is not a multiple of that.
#include <algorithm>
#include <limits>

#include "kernels/cuda/blas/score_passes.h"
#include "kernels/cuda/blas/softmax_sum.cuh"
#include "kernels/cuda/blas/softmax_threads.cuh"
#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/element.cuh"

namespace qb::cuda {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

__device__ std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

template <class Group>
__global__ void scale_kernel(const Group* from, Group* to, std::int64_t groups, float scale) {
  const std::int64_t i = thread_index();
  if (i >= groups) return;
  Group group = from[i];
#pragma unroll
  for (int j = 0; j < Group::kSize; ++j) group.store(j, group.load(j) * scale);
  to[i] = group;
}

// blockIdx.y is the slice.
template <class Group>
__global__ void bias_kernel(Group* scores, const Group* bias, std::int64_t groups,
                            std::int64_t first_slice) {
  const std::int64_t i = thread_index();
  if (i >= groups) return;
  Group* const at = scores + (first_slice + blockIdx.y) * groups + i;
  Group group = *at;
  const Group added = bias[i];
#pragma unroll
  for (int j = 0; j < Group::kSize; ++j) group.store(j, group.load(j) + added.load(j));
  *at = group;
}

// Each block masks one row: what no span of its tile sees, or all of it where no tile has it.
template <class Element>
__global__ void mask_kernel(Element* scores, std::int64_t rows, std::int64_t columns,
                            const DeviceSchedule schedule) {
  const std::int64_t row = blockIdx.x % rows;
  Element* const line = scores + static_cast<std::int64_t>(blockIdx.x) * columns;
  const Element hidden = from_float<Element>(kMinusInfinity);
  const auto hide = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin + threadIdx.x; i < end; i += kThreads) line[i] = hidden;
  };
  std::int64_t low = 0;  // the first tile that ends after the row
  for (std::int64_t high = schedule.n_tiles; low < high;) {
    const std::int64_t middle = (low + high) / 2;
    if (schedule.tiles[middle].end <= row)
      low = middle + 1;
    else
      high = middle;
  }
  std::int64_t seen = 0;
  if (low < schedule.n_tiles && schedule.tiles[low].begin <= row) {
    const QueryTile tile = schedule.tiles[low];
    for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
      const KeySpan span = schedule.spans[s];
      const Range live = live_keys(span, row);
      hide(seen, live.begin);
      if (span.kind == SpanKind::bits)
        for (std::int64_t key = live.begin + threadIdx.x; key < live.end; key += kThreads)
          if (!bit_is_set(schedule.words, span, row, key)) line[key] = hidden;
      seen = live.end;
    }
  }
  hide(seen, columns);
}

// Each block handles one row. The second reading of a row mostly hits the second-level cache.
template <class Group>
__global__ void row_softmax_kernel(const Group* from, Group* to, std::int64_t rows,
                                   std::int64_t groups, const LseRows lse) {
  const std::int64_t line = blockIdx.x;
  const Group* const source = from + line * groups;
  Group* const target = to + line * groups;
  const Exponential<typename Group::Element> exponential;
  SoftmaxSum mine = sum_of_none();
  for (std::int64_t i = threadIdx.x; i < groups; i += kThreads) {
    const Group group = source[i];
    float scores[Group::kSize];
#pragma unroll
    for (int j = 0; j < Group::kSize; ++j) scores[j] = group.load(j);
    add(mine, scores, exponential);
  }
  mine = join_block<kThreads>(mine, exponential);
  const bool empty = mine.empty();
  const float inverse = empty ? 0.0f : 1.0f / mine.sum;
  const float shift = empty ? 0.0f : mine.largest;
  for (std::int64_t i = threadIdx.x; i < groups; i += kThreads) {
    Group group = source[i];
#pragma unroll
    for (int j = 0; j < Group::kSize; ++j)
      group.store(j, exponential(group.load(j) - shift) * inverse);
    target[i] = group;
  }
  if (threadIdx.x != 0) return;
  const std::int64_t slice = line / rows;
  lse.store(slice, line % rows, mine);
}

// Calls function(group) with as large groups as `multiple` allows.
template <class Function>
void in_groups(DType dtype, std::int64_t multiple, Function function) {
  of_groups(dtype, "score passes", multiple, {}, function);
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void scale_pass(DType dtype, const Scores& from, const Scores& to, float scale, void* stream) {
  in_groups(dtype, from.elements(), [&](auto group) {
    using Group = decltype(group);
    const std::int64_t groups = from.elements() / Group::kSize;
    scale_kernel<<<grid((groups + kThreads - 1) / kThreads), kThreads, 0,
                   static_cast<cudaStream_t>(stream)>>>(
        static_cast<const Group*>(from.data), static_cast<Group*>(to.data), groups, scale);
  });
}

void bias_pass(DType dtype, const Scores& scores, const void* bias, void* stream) {
  in_groups(dtype, scores.rows * scores.columns, [&](auto group) {
    using Group = decltype(group);
    const std::int64_t groups = scores.rows * scores.columns / Group::kSize;
    for (std::int64_t slice = 0; slice < scores.slices; slice += kMaxGridY) {
      const dim3 blocks(grid((groups + kThreads - 1) / kThreads),
                        grid(std::min(kMaxGridY, scores.slices - slice)));
      bias_kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
          static_cast<Group*>(scores.data), static_cast<const Group*>(bias), groups, slice);
    }
  });
}

void mask_pass(DType dtype, const Scores& scores, const DeviceSchedule& schedule, void* stream) {
  of_type(dtype, "score passes", [&](auto element) {
    using Element = decltype(element);
    mask_kernel<Element>
        <<<grid(scores.slices * scores.rows), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
            static_cast<Element*>(scores.data), scores.rows, scores.columns, schedule);
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

void softmax_pass(DType dtype, const Scores& from, const Scores& to, const TensorView& lse,
                  void* stream) {
  in_groups(dtype, from.columns, [&](auto group) {
    using Group = decltype(group);
    row_softmax_kernel<<<grid(from.slices * from.rows), kThreads, 0,
                         static_cast<cudaStream_t>(stream)>>>(
        static_cast<const Group*>(from.data), static_cast<Group*>(to.data), from.rows,
        from.columns / Group::kSize, LseRows(lse));
  });
}

}  // namespace qb::cuda
