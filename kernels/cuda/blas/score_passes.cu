// These passes run over a matrix that does not fit any cache: each is bound by memory, so a thread
// should move 16 bytes at a time. Rows whose length is not a multiple of that are handled element
// by element.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "kernels/cuda/blas/score_passes.h"
#include "kernels/cuda/blas/softmax_threads.cuh"
#include "kernels/cuda/flash/key_span.cuh"
#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/element.cuh"

namespace qb::cuda {
namespace {

constexpr int kThreads = 256;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

__device__ std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

template <class Element, int kSize>
struct Group {
  using Type = Pack<Element>;
};
template <class Element>
struct Group<Element, 1> {
  struct Type {
    Element at[1];
  };
};

template <class Element, int kSize>
__global__ void scale_kernel(const Element* from, Element* to, std::int64_t groups, float scale) {
  using Group = typename Group<Element, kSize>::Type;
  const std::int64_t i = thread_index();
  if (i >= groups) return;
  Group group = reinterpret_cast<const Group*>(from)[i];
#pragma unroll
  for (int j = 0; j < kSize; ++j) group.at[j] = from_float<Element>(to_float(group.at[j]) * scale);
  reinterpret_cast<Group*>(to)[i] = group;
}

// blockIdx.y is the slice.
template <class Element, int kSize>
__global__ void bias_kernel(Element* scores, const Element* bias, std::int64_t groups,
                            std::int64_t first_slice) {
  using Group = typename Group<Element, kSize>::Type;
  const std::int64_t i = thread_index();
  if (i >= groups) return;
  auto* const at = reinterpret_cast<Group*>(scores) + (first_slice + blockIdx.y) * groups + i;
  Group group = *at;
  const Group added = reinterpret_cast<const Group*>(bias)[i];
#pragma unroll
  for (int j = 0; j < kSize; ++j)
    group.at[j] = from_float<Element>(to_float(group.at[j]) + to_float(added.at[j]));
  *at = group;
}

// Each block masks one row: it hides what no span of its tile sees, or all of it where no tile has
// the row.
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
      const KeyRange live = live_keys(span, row);
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
template <class Element, int kSize>
__global__ void softmax_kernel(const Element* from, Element* to, std::int64_t rows,
                               std::int64_t columns, const LseRows lse) {
  using Group = typename Group<Element, kSize>::Type;
  const std::int64_t line = blockIdx.x;
  const auto* const source = reinterpret_cast<const Group*>(from + line * columns);
  auto* const target = reinterpret_cast<Group*>(to + line * columns);
  const std::int64_t groups = columns / kSize;
  const Exponential<Element> exponential;
  SoftmaxSum mine = sum_of_none();
  for (std::int64_t i = threadIdx.x; i < groups; i += kThreads) {
    const Group group = source[i];
    float scores[kSize];
#pragma unroll
    for (int j = 0; j < kSize; ++j) scores[j] = to_float(group.at[j]);
    add(mine, scores, exponential);
  }
  mine = join_block<kThreads>(mine, exponential);
  const bool empty = mine.empty();
  const float inverse = empty ? 0.0f : 1.0f / mine.sum;
  const float shift = empty ? 0.0f : mine.largest;
  for (std::int64_t i = threadIdx.x; i < groups; i += kThreads) {
    Group group = source[i];
#pragma unroll
    for (int j = 0; j < kSize; ++j)
      group.at[j] = from_float<Element>(exponential(to_float(group.at[j]) - shift) * inverse);
    target[i] = group;
  }
  if (threadIdx.x != 0) return;
  const std::int64_t slice = line / rows;
  lse.store(slice, line % rows, mine);
}

unsigned grid(std::int64_t blocks) {
  if (blocks > std::numeric_limits<int>::max())
    throw std::invalid_argument("score passes: more rows than a grid has blocks");
  return static_cast<unsigned>(blocks);
}

// Calls function(element, size of a group as a constant) with as large groups as `multiple` allows.
template <class Function>
void in_groups(DType dtype, std::int64_t multiple, Function function) {
  of_type(dtype, "score passes", [&](auto element) {
    using Element = decltype(element);
    constexpr int kWide = Pack<Element>::kSize;
    if (multiple % kWide == 0)
      function(element, std::integral_constant<int, kWide>{});
    else
      function(element, std::integral_constant<int, 1>{});
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void scale_pass(DType dtype, const Scores& from, const Scores& to, float scale, void* stream) {
  in_groups(dtype, from.elements(), [&](auto element, auto width) {
    using Element = decltype(element);
    constexpr int kSize = decltype(width)::value;
    const std::int64_t groups = from.elements() / kSize;
    scale_kernel<Element, kSize><<<grid((groups + kThreads - 1) / kThreads), kThreads, 0,
                                   static_cast<cudaStream_t>(stream)>>>(
        static_cast<const Element*>(from.data), static_cast<Element*>(to.data), groups, scale);
  });
}

void bias_pass(DType dtype, const Scores& scores, const void* bias, void* stream) {
  in_groups(dtype, scores.rows * scores.columns, [&](auto element, auto width) {
    using Element = decltype(element);
    constexpr int kSize = decltype(width)::value;
    constexpr std::int64_t kMaxGridY = 65535;
    const std::int64_t groups = scores.rows * scores.columns / kSize;
    for (std::int64_t slice = 0; slice < scores.slices; slice += kMaxGridY) {
      const dim3 blocks(grid((groups + kThreads - 1) / kThreads),
                        grid(std::min(kMaxGridY, scores.slices - slice)));
      bias_kernel<Element, kSize><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
          static_cast<Element*>(scores.data), static_cast<const Element*>(bias), groups, slice);
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
  in_groups(dtype, from.columns, [&](auto element, auto width) {
    using Element = decltype(element);
    constexpr int kSize = decltype(width)::value;
    softmax_kernel<Element, kSize>
        <<<grid(from.slices * from.rows), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
            static_cast<const Element*>(from.data), static_cast<Element*>(to.data), from.rows,
            from.columns, LseRows(lse));
  });
}

}  // namespace qb::cuda
