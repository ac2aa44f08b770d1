// What a flash call must be, and how its inputs are to be read.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/integers.h"
#include "base/status.h"
#include "kernels/cuda/flash/flash_groups.h"
#include "kernels/cuda/flash/flash_layout.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {
namespace {

std::string text(const Extent& extent) {
  return fmt::format("[{}, {}, {}, {}]", extent.batch, extent.heads, extent.length,
                     extent.head_dim);
}

void require_extent(const char* name, const Extent& found, const Extent& expected) {
  if (found != expected)
    throw std::invalid_argument(
        fmt::format("flash: {} is {}, expected {}", name, text(found), text(expected)));
}

void check_worker(const GroupedCall& call, const GroupedWorker& worker) {
  if (worker.schedule == nullptr) throw std::invalid_argument("flash: no tile schedule");
  worker.schedule->validate();
  check_groups("query", worker.q_groups, worker.schedule->n_queries, call.q.extent.length);
  check_groups("key", worker.kv_groups, worker.schedule->n_keys, call.k.extent.length);
  const std::int64_t head_end = worker.head_end == 0 ? call.q.extent.heads : worker.head_end;
  if (worker.head_begin < 0 || worker.head_begin >= head_end || head_end > call.q.extent.heads)
    throw std::invalid_argument(fmt::format("flash: query heads [{}, {}) of {}", worker.head_begin,
                                            head_end, call.q.extent.heads));
}

}  // namespace

void check_call(const GroupedCall& call) {
  const Extent& q = call.q.extent;
  const Extent& k = call.k.extent;
  const std::int64_t e = call.v.extent.head_dim;
  if (call.k.dtype != call.q.dtype || call.v.dtype != call.q.dtype)
    throw std::invalid_argument(fmt::format("flash: q, k and v are of different types: {}, {}, {}",
                                            word(call.q.dtype), word(call.k.dtype),
                                            word(call.v.dtype)));
  if (call.q.dtype != DType::f16 && call.q.dtype != DType::bf16)
    throw Unsupported(
        fmt::format("flash on CUDA takes f16 and bf16, not {}; kernel materialized takes f32 there",
                    word(call.q.dtype)));
  if (call.out.dtype != DType::f32 || call.lse.dtype != DType::f32)
    throw std::invalid_argument("flash: out and lse must be f32");
  for (const std::int64_t dim : {q.head_dim, e})
    if (dim < 1 || dim > kMaxHeadDim)
      throw Unsupported(
          fmt::format("head_dim {} is outside the range 1..{} of flash on CUDA", dim, kMaxHeadDim));
  if (k.heads < 1 || q.heads % k.heads != 0)
    throw std::invalid_argument(fmt::format(
        "flash: {} query heads are no multiple of {} key-value heads", q.heads, k.heads));
  require_extent("k", k, {q.batch, k.heads, k.length, q.head_dim});
  require_extent("v", call.v.extent, {q.batch, k.heads, k.length, e});
  require_extent("out", call.out.extent, {q.batch, q.heads, q.length, e});
  require_extent("lse", call.lse.extent, {q.batch, q.heads, q.length, 1});
  for (const std::int64_t n : {q.length, k.length})
    if (n > std::numeric_limits<std::int32_t>::max())
      throw Unsupported(fmt::format("flash on CUDA: {} tokens, the most are 2^31 - 1", n));
  for (const GroupedWorker& worker : call.workers) check_worker(call, worker);
}

AlignedInputs align_inputs(const GroupedCall& call) {
  const auto input = [](const TensorView& view, float factor) {
    const auto whole = [](std::int64_t elements) { return elements % kChunkColumns == 0; };
    const Extent& x = view.extent;
    const bool aligned = whole(x.head_dim) && (x.length < 2 || whole(view.token_stride)) &&
                         (x.heads < 2 || whole(view.head_stride)) &&
                         (x.batch < 2 || whole(view.batch_stride)) &&
                         reinterpret_cast<std::uintptr_t>(view.data) % kChunkBytes == 0;
    AlignedInput result{!aligned || factor != 1.0F, x, factor};
    result.extent.head_dim = round_up(x.head_dim, kChunkColumns);
    return result;
  };
  const float factor = call.scale > 0.0 ? 1.0F : call.scale < 0.0 ? -1.0F : 0.0F;
  return {input(call.q, factor), input(call.k, 1.0F), input(call.v, 1.0F),
          factor == 0.0F ? 1.0 : std::abs(call.scale)};
}

GroupedCall aligned_call(const GroupedCall& call, const AlignedInputs& inputs) {
  GroupedCall aligned = call;
  const auto align = [](TensorView& view, const AlignedInput& input) {
    if (input.copied) view = contiguous_view(nullptr, view.dtype, input.extent);
  };
  align(aligned.q, inputs.q);
  align(aligned.k, inputs.k);
  align(aligned.v, inputs.v);
  return aligned;
}

}  // namespace qb::cuda
