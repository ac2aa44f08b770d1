// Attention as an eager framework computes it, pass by pass over the whole score matrix of all
// heads in the inputs' own type, each result in a tensor of its own where the framework makes one:
//
//   zero_bias        [n, m] of zeros
//   scores           Q K^T                       cuBLAS
//   scaled_scores    scores scale                then scores goes
//                    += zero_bias                in place
//                    -inf where the schedule leaves pairs out, in place; no pass where it leaves
//                    none
//   weights          softmax, and LSE            then scaled_scores goes
//                    * 1                         in place: dropout that drops nothing
//   O                weights V                   cuBLAS, float32
//
// So two score matrices and the bias are alive at once, which is what a caching allocator meets.
#include "kernels/cuda/materialized.h"

#include <algorithm>
#include <optional>

#include "harness/base/status.h"
#include "kernels/cuda/runtime.h"
#include "kernels/cuda/score_passes.h"

namespace qb::cuda {
namespace {

constexpr std::size_t kBlasWorkspaceBytes = 32 << 20;  // what cuBLAS advises for Hopper

bool is_full(const TileSchedule& schedule) {
  std::int64_t rows = 0;
  for (const QueryTile& tile : schedule.tiles) {
    if (tile.n_spans != 1) return false;
    const KeySpan& span = schedule.spans[static_cast<std::size_t>(tile.first_span)];
    if (span.kind != SpanKind::full || span.begin != 0 || span.end != schedule.n_keys) return false;
    rows += tile.end - tile.begin;
  }
  return rows == schedule.n_queries;
}

std::size_t schedule_bytes(const TileSchedule& schedule) {
  return schedule.tiles.size() * sizeof(QueryTile) + schedule.spans.size() * sizeof(KeySpan) +
         schedule.words.size() * sizeof(std::uint64_t);
}

std::size_t scores_bytes(const Extent& q, const Extent& k, DType dtype) {
  return static_cast<std::size_t>(q.batch * q.heads * q.length * k.length * size_of(dtype));
}

class Materialized {
 public:
  Materialized(const AttentionArguments& arguments, const LaunchContext& context, Blas& blas)
      : a_(arguments), context_(context), blas_(blas) {}

  void run() {
    const Buffer blas_workspace = take(kBlasWorkspaceBytes, "cublas_workspace");
    blas_.use_workspace(blas_workspace);
    const std::size_t bias_bytes = static_cast<std::size_t>(n() * m() * size_of(dtype()));
    const Buffer bias = take(bias_bytes, "zero_bias");
    fill_bytes(bias.data(), 0, bias_bytes, context_.stream);

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

  // Query heads [head, head + heads) of sequence `b`, which cuBLAS takes at once: all of them, or
  // with grouped queries those that share a key-value head.
  struct Batch {
    std::int64_t b = 0;
    std::int64_t head = 0;
    std::int64_t heads = 0;
    std::int64_t group = 1;

    [[nodiscard]] MatrixBatch of(const TensorView& view, std::int64_t divisor) const {
      return {view.row(b, head / divisor, 0), view.dtype, view.token_stride,
              divisor == 1 ? view.head_stride : 0};
    }
    [[nodiscard]] MatrixBatch of_group(const TensorView& view) const { return of(view, group); }
    [[nodiscard]] MatrixBatch of_scores(const Buffer& scores, const Materialized& m) const {
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
    return take(scores_bytes(a_.q.extent, a_.k.extent, dtype()), label);
  }
  [[nodiscard]] Scores view(const Buffer& buffer) const {
    return {buffer.data(), a_.q.extent.batch * a_.q.extent.heads, n(), m()};
  }

  void mask(const Buffer& scores) const {
    const TileSchedule& schedule = *a_.schedule;
    if (is_full(schedule)) return;
    const std::size_t tiles_bytes = schedule.tiles.size() * sizeof(QueryTile);
    const std::size_t spans_bytes = schedule.spans.size() * sizeof(KeySpan);
    const Buffer device = take(schedule_bytes(schedule), "schedule");
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
         reinterpret_cast<const unsigned long long*>(words)},
        context_.stream);
  }

  const AttentionArguments& a_;
  const LaunchContext& context_;
  Blas& blas_;
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
