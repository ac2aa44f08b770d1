// SPDX-License-Identifier: Apache-2.0
// Checks flash calls, and decides how their inputs and groups of tokens are read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "base/integers.h"
#include "base/status.h"
#include "kernels/cuda/flash/flash_groups.h"
#include "kernels/cuda/flash/flash_layout.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {
namespace {

// Checks that the groups of `what` lie inside the tokens and have as many rows as the schedule.
void check_groups(const char* what, const std::vector<TokenGroup>& groups, std::int64_t n_local,
                  std::int64_t n_tokens) {
  std::int64_t rows = 0;
  for (const TokenGroup& group : groups) {
    const std::int64_t last = group.first + (group.count - 1) * group.stride;
    if (group.count < 0 || group.stride < 1 ||
        (group.count > 0 && (group.first < 0 || last >= n_tokens)))
      throw std::invalid_argument(
          fmt::format("flash: {} group of {} tokens from {} on, stride {}, is outside [0, {})",
                      what, group.count, group.first, group.stride, n_tokens));
    rows += group.count;
  }
  if (rows != n_local)
    throw std::invalid_argument(fmt::format(
        "flash: the {} groups have {} tokens, and the schedule has {}", what, rows, n_local));
}

void check_worker(const GroupedCall& call, const GroupedWorker& worker) {
  if (worker.schedule == nullptr) throw std::invalid_argument("flash: there is no tile schedule");
  worker.schedule->validate();
  check_groups("query", worker.q_groups, worker.schedule->n_queries, call.q.extent.length);
  check_groups("key", worker.kv_groups, worker.schedule->n_keys, call.k.extent.length);
  const std::int64_t head_end = worker.end_of_heads(call.q.extent.heads);
  if (worker.head_begin < 0 || worker.head_begin >= head_end || head_end > call.q.extent.heads)
    throw std::invalid_argument(
        fmt::format("flash: the query heads [{}, {}) are not among the {} there are",
                    worker.head_begin, head_end, call.q.extent.heads));
}

}  // namespace

std::vector<LocalGroup> local_groups(const std::vector<TokenGroup>& groups, bool join) {
  std::vector<LocalGroup> result;
  std::int64_t begin = 0;
  for (const TokenGroup& group : groups) {
    if (group.count == 0) continue;
    const bool goes_on = join && !result.empty() &&
                         result.back().rows.token(result.back().rows.count) == group.first &&
                         (result.back().rows.stride == group.stride || group.count == 1);
    if (goes_on)
      result.back().rows.count += group.count;
    else
      result.push_back({begin, group});
    begin += group.count;
  }
  return result;
}

std::int64_t common_stride(const GroupedCall& call,
                           std::vector<TokenGroup> GroupedWorker::*groups) {
  std::int64_t stride = 0;
  for (const GroupedWorker& worker : call.workers)
    for (const TokenGroup& group : worker.*groups) {
      if (group.count < 2 || group.stride == stride) continue;
      if (stride != 0) return 0;
      stride = group.stride;
    }
  return std::max<std::int64_t>(stride, 1);
}

void check_lengths(const Extent& q, const Extent& k) {
  for (const std::int64_t n : {q.length, k.length})
    if (n > std::numeric_limits<std::int32_t>::max())
      throw Unsupported(fmt::format("flash on CUDA: {} tokens are more than 2^31 - 1", n));
}

void check_call(const GroupedCall& call) {
  check_tensors("flash", {call.q, call.k, call.v, nullptr, call.scale, call.out, call.lse});
  require_gpu_kernel(Kernel::flash, call.q.dtype);
  check_lengths(call.q.extent, call.k.extent);
  for (const GroupedWorker& worker : call.workers) check_worker(call, worker);
}

AlignedInputs::Input align_input(const TensorView& view, float factor) {
  const auto whole = [](std::int64_t elements) { return elements % kChunkColumns == 0; };
  const Extent& x = view.extent;
  const bool aligned = whole(x.head_dim) && (x.length < 2 || whole(view.token_stride)) &&
                       (x.heads < 2 || whole(view.head_stride)) &&
                       (x.batch < 2 || whole(view.batch_stride)) &&
                       reinterpret_cast<std::uintptr_t>(view.data) % kChunkBytes == 0;
  AlignedInputs::Input result{!aligned || factor != 1.0F, x, factor};
  result.extent.head_dim = round_up(x.head_dim, kChunkColumns);
  return result;
}

AlignedInputs align_inputs(const GroupedCall& call) {
  const float factor = call.scale > 0.0 ? 1.0F : call.scale < 0.0 ? -1.0F : 0.0F;
  return {align_input(call.q, factor),
          align_input(call.k),
          align_input(call.v),
          {},
          factor == 0.0F ? 1.0 : std::abs(call.scale)};
}

TensorView aligned_view(const TensorView& view, const AlignedInputs::Input& input) {
  return input.copied ? contiguous_view(nullptr, view.dtype, input.extent) : view;
}

}  // namespace qb::cuda
