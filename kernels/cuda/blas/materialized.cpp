// SPDX-License-Identifier: Apache-2.0
// Computes attention as an eager framework does, pass by pass over the whole score matrix of all
// heads in the inputs' own type, each result in a tensor of its own where the framework makes one:
//
//   zero_bias        [n, m] of zeros
//   scores           Q K^T                       cuBLAS
//   scaled_scores    scores scale                then scores goes
//                    += zero_bias                in place
//                    -inf for pairs left out      in place; no pass where there are none
//   weights          softmax, and LSE            then scaled_scores goes
//                    * 1                         in place: dropout that drops nothing
//   O                weights V                   cuBLAS, float32
//
// So two score matrices and the bias are held at once, as a caching allocator sees it.
#include "kernels/cuda/blas/blas.h"

#include "base/status.h"
#include "kernels/cuda/blas/score_passes.h"
#include "kernels/cuda/runtime/runtime.h"

namespace qb::cuda {
namespace {

class Materialized {
 public:
  Materialized(const AttentionArguments& arguments, const LaunchContext& context, Blas& blas)
      : a_(arguments),
        context_(context),
        blas_(blas),
        memory_(materialized_memory(a_.q.extent, a_.k.extent, dtype(), *a_.schedule)) {}

  void run() {
    const Buffer blas_workspace = take(memory_.blas_workspace_bytes, "cublas_workspace");
    blas_.use_workspace(blas_workspace);
    const Buffer bias = take(memory_.bias_bytes, "zero_bias");
    fill_bytes(bias.data(), 0, bias.bytes(), context_.stream);

    Buffer scores = take_scores("scores");
    multiply_heads([&](const Batch& batch) {
      blas_.multiply(n(), m(), a_.q.extent.head_dim, batch.of(a_.q, 1), batch.of_group(a_.k), true,
                     batch.of_scores(scores, *this), batch.heads);
    });
    Buffer scaled = take_scores("scaled_scores");
    scale_pass(dtype(), view(scores), view(scaled), static_cast<float>(a_.scale), context_.stream);
    scores = Buffer();
    bias_pass(dtype(), view(scaled), bias.data(), context_.stream);
    mask(scaled);
    const Buffer weights = take_scores("weights");
    softmax_pass(dtype(), view(scaled), view(weights), a_.lse, context_.stream);
    scaled = Buffer();
    scale_pass(dtype(), view(weights), view(weights), 1.0f, context_.stream);
    multiply_heads([&](const Batch& batch) {
      blas_.multiply(n(), a_.v.extent.head_dim, m(), batch.of_scores(weights, *this),
                     batch.of_group(a_.v), false, batch.of(a_.out, 1), batch.heads);
    });
  }

 private:
  [[nodiscard]] std::int64_t n() const { return a_.q.extent.length; }
  [[nodiscard]] std::int64_t m() const { return a_.k.extent.length; }
  [[nodiscard]] DType dtype() const { return a_.q.dtype; }
  [[nodiscard]] std::int64_t group() const { return a_.q.extent.heads / a_.k.extent.heads; }

  // These are query heads [head, head + heads) of sequence `b`, which cuBLAS computes at once: all
  // of them, or with grouped queries those that share a key-value head.
  struct Batch {
    std::int64_t b = 0;
    std::int64_t head = 0;
    std::int64_t heads = 0;
    std::int64_t group = 1;

    [[nodiscard]] Blas::Batch of(const TensorView& view, std::int64_t divisor) const {
      return {view.row(b, head / divisor, 0), view.dtype, view.token_stride,
              divisor == 1 ? view.head_stride : 0};
    }
    [[nodiscard]] Blas::Batch of_group(const TensorView& view) const { return of(view, group); }
    [[nodiscard]] Blas::Batch of_scores(const Buffer& scores, const Materialized& m) const {
      const std::int64_t stride = m.n() * m.m();
      const std::int64_t first = (b * m.a_.q.extent.heads + head) * stride * size_of(m.dtype());
      return {scores.as<std::byte>() + first, m.dtype(), m.m(), stride};
    }
  };

  template <class Function>
  void multiply_heads(Function function) const {
    const std::int64_t at_once = group() == 1 ? a_.q.extent.heads : group();
    for (std::int64_t b = 0; b < a_.q.extent.batch; ++b)
      for (std::int64_t head = 0; head < a_.q.extent.heads; head += at_once)
        function(Batch{b, head, at_once, group()});
  }

  [[nodiscard]] Buffer take(std::size_t bytes, std::string_view label) const {
    return {context_.workspace, bytes, label, context_.worker};
  }
  [[nodiscard]] Buffer take_scores(std::string_view label) const {
    return take(memory_.scores_bytes, label);
  }
  [[nodiscard]] Scores view(const Buffer& buffer) const {
    return {buffer.data(), a_.q.extent.batch * a_.q.extent.heads, n(), m()};
  }

  void mask(const Buffer& scores) const {
    const TileSchedule& schedule = *a_.schedule;
    if (memory_.schedule_bytes == 0) return;
    const std::size_t tiles_bytes = schedule.tiles.size() * sizeof(QueryTile);
    const std::size_t spans_bytes = schedule.spans.size() * sizeof(KeySpan);
    const Buffer device = take(memory_.schedule_bytes, "schedule");
    auto* const tiles = device.as<std::byte>();
    auto* const spans = tiles + tiles_bytes;
    auto* const words = spans + spans_bytes;
    copy_to_device(schedule.tiles.data(), tiles, tiles_bytes, context_.stream);
    copy_to_device(schedule.spans.data(), spans, spans_bytes, context_.stream);
    copy_to_device(schedule.words.data(), words, schedule.words.size() * sizeof(std::uint64_t),
                   context_.stream);
    mask_pass(
        dtype(), view(scores),
        {reinterpret_cast<const QueryTile*>(tiles),
         static_cast<std::int64_t>(schedule.tiles.size()), reinterpret_cast<const KeySpan*>(spans),
         reinterpret_cast<const std::uint64_t*>(words)},
        context_.stream);
  }

  const AttentionArguments& a_;
  const LaunchContext& context_;
  Blas& blas_;
  const MaterializedMemory memory_;
};

}  // namespace

void materialized(const AttentionArguments& a, const LaunchContext& context, Blas& blas) {
  if (a.q.dtype == DType::f64)
    throw Unsupported("kernel materialized takes no f64 inputs on a GPU; the nearest is f32");
  if (a.q.extent.length == 0) return;
  if (a.k.extent.length == 0 || a.schedule->tiles.empty())
    return clear_partial(a.out, a.lse, context);
  Materialized(a, context, blas).run();
}

}  // namespace qb::cuda
