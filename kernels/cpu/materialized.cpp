// SPDX-License-Identifier: Apache-2.0
// The baseline of the CQS-Attention case studies keeps the score matrix [b, h, n, m] of all heads
// in memory and passes over it once for each operation of the paper's model:
//
//   S = Q K^T       BLAS, head by head
//   S = S scale + 0 the scale and the zero attention bias
//   S = -inf        where the schedule leaves pairs out
//   S = softmax(S)  row by row: largest, exponentials and their sum, division
//   S = S 1         dropout that drops nothing
//   O = S V         BLAS, head by head
//
// All passes work in place in float32, to which 16-bit inputs are widened first. The BLAS uses this
// machine's best instruction set, because a baseline at half speed would not be a fair comparison.
// The memory that it packs into (a few MiB for each thread) is not in the workspace.
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/score_rows.h"

namespace qb::cpu {
namespace {

std::int64_t workspace_bytes(const CpuKernel::Shape& shape) {
  Extent v = shape.k;
  v.head_dim = shape.value_dim;
  const std::int64_t scores = 4 * scores_extent(shape.q, shape.k).elements();
  if (shape.dtype == DType::f32) return scores;
  return scores + 4 * (shape.q.elements() + shape.k.elements() + v.elements());
}

void attend(const AttentionArguments& a, const KernelContext& context) {
  const Extent extent = scores_extent(a.q.extent, a.k.extent);
  const std::int64_t group = a.q.extent.heads / a.k.extent.heads;
  const Widened q(a.q, "q_f32", context);
  const Widened k(a.k, "k_f32", context);
  const Widened v(a.v, "v_f32", context);
  const Tensor scores_tensor(context.workspace, DType::f32, extent, "scores", context.worker);
  const TensorView& scores = scores_tensor.view();
  const std::int64_t m = extent.head_dim;

  multiply_transposed(q, k, scores, context.threads);

  // Calls function(scores of a row, b, h, row) for every row of the score matrix.
  const auto pass = [&](auto function) {
    for_each_row(extent, context.threads, kRowsAtOnce,
                 [&](std::int64_t b, std::int64_t h, std::int64_t row, int) {
                   function(scores.row_as<float>(b, h, row), b, h, row);
                 });
  };
  const auto scale_by = [&](float factor) {
    pass([&](float* row, std::int64_t, std::int64_t, std::int64_t) { scale_row(row, m, factor); });
  };
  scale_by(binary_scale(a.scale));
  pass([&](float* s, std::int64_t, std::int64_t, std::int64_t row) {
    hide_unseen(*a.schedule, a.schedule->spans_of(row), row, {0, m}, s);
  });
  pass([&](float* row, std::int64_t b, std::int64_t h, std::int64_t i) {
    store_lse(a.lse, b, h, i, softmax_row(row, m));
  });
  scale_by(1.0f);

  for_each_row_block(
      extent, context.threads,
      [&](std::int64_t b, std::int64_t h, std::int64_t begin, std::int64_t rows) {
        gemm(rows, a.v.extent.head_dim, m, {scores.row_as<float>(b, h, begin), m, false},
             v.matrix(b, h / group, 0, false), a.out.row_as<float>(b, h, begin),
             a.out.token_stride);
        for (std::int64_t row = begin; row < begin + rows; ++row) {
          float* const out = a.out.row_as<float>(b, h, row);
          const float* const p = scores.row_as<float>(b, h, row);
          if (holds_nan(out, a.v.extent.head_dim))
            weigh_seen_values(
                *a.schedule, a.schedule->spans_of(row), row,
                [p](const KeySpan& span) { return p + span.begin; }, v.head(b, h / group), out);
        }
      });
}

}  // namespace

const CpuKernel materialized_kernel{
    .tiles =
        [](std::int64_t) {
          return KernelTiles{256, 1, 1, 1};
        },
    .workspace_bytes = workspace_bytes,
    .attend = attend,
    .isa = gemm_isa,
    .backward = &materialized_backward,
};

}  // namespace qb::cpu
