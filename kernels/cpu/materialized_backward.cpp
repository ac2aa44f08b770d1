// SPDX-License-Identifier: Apache-2.0
// The backward pass of the baseline: two matrices [b, h, n, m] of all heads are in memory, as in a
// framework that computes attention as a product, a softmax and a product.
//
//   S  = Q K^T                      BLAS, head by head
//   P  = exp(scale S - LSE)         0 where the schedule leaves pairs out
//   dP = dO V^T                     BLAS
//   dS = P (dP - D) scale           in place of dP
//   dQ += dS K                      BLAS, and the next two with the first matrix transposed
//   dV += P^T dO
//   dK += dS^T Q
//
// Everything is float32, to which 16-bit inputs are widened first. A query head writes its own rows
// of dQ; those of dK and dV are summed over the query heads of a group by the thread that has them.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/score_rows.h"

namespace qb::cpu {
namespace {

// Returns whether every element of a float32 head is a number.
bool all_finite(const TensorView& head) {
  for (std::int64_t i = 0; i < head.extent.length; ++i) {
    const float* const row = head.row_as<float>(0, 0, i);
    if (!std::all_of(row, row + head.extent.head_dim, [](float x) { return std::isfinite(x); }))
      return false;
  }
  return true;
}

void add_row(const float* from, float factor, std::int64_t count, float* to) {
  for (std::int64_t x = 0; x < count; ++x) to[x] += factor * from[x];
}

class Call {
 public:
  Call(const BackwardArguments& arguments, const KernelContext& context)
      : a_(arguments),
        threads_(context.threads),
        group_(a_.q.extent.heads / a_.k.extent.heads),
        q_(a_.q, "q_f32", context),
        k_(a_.k, "k_f32", context),
        v_(a_.v, "v_f32", context),
        d_out_(a_.d_out, "d_out_f32", context),
        scores_(context.workspace, DType::f32, extent(), "scores", context.worker),
        d_scores_(context.workspace, DType::f32, extent(), "score_gradients", context.worker) {}

  void weigh() const {
    const std::int64_t m = extent().head_dim;
    multiply_transposed(q_, k_, scores_.view(), threads_);
    for_each_row(extent(), threads_, kRowsAtOnce,
                 [&](std::int64_t b, std::int64_t h, std::int64_t row, int) {
                   float* const p = scores_.view().row_as<float>(b, h, row);
                   const RowLse lse = load_lse(a_.lse, b, h, row);
                   if (lse.is_empty()) return void(std::fill_n(p, m, 0.0f));
                   scale_row(p, m, binary_scale(a_.scale));
                   hide_unseen(*a_.schedule, a_.schedule->spans_of(row), row, {0, m}, p);
                   exponentiate_row(p, m, lse);
                 });
    multiply_transposed(d_out_, v_, d_scores_.view(), threads_);
    for_each_row(extent(), threads_, kRowsAtOnce,
                 [&](std::int64_t b, std::int64_t h, std::int64_t row, int) {
                   differentiate_row(scores_.view().row_as<float>(b, h, row), m,
                                     *a_.delta.row_as<float>(b, h, row),
                                     static_cast<float>(a_.scale),
                                     d_scores_.view().row_as<float>(b, h, row));
                 });
  }

  void add_query_gradients() const {
    const std::int64_t m = extent().head_dim;
    for_each_row_block(a_.q.extent, threads_,
                       [&](std::int64_t b, std::int64_t h, std::int64_t begin, std::int64_t rows) {
                         if (!all_finite(k_.head(b, h / group_)))
                           return add_seen_keys(b, h, begin, rows);
                         gemm(rows, a_.q.extent.head_dim, m,
                              {d_scores_.view().row_as<float>(b, h, begin), m, false},
                              k_.matrix(b, h / group_, 0, false), a_.d_q.row_as<float>(b, h, begin),
                              a_.d_q.token_stride, true);
                       });
  }

  void add_key_gradients() const {
    for_each_row_block(a_.k.extent, threads_,
                       [&](std::int64_t b, std::int64_t g, std::int64_t begin, std::int64_t count) {
                         const Range keys{begin, begin + count};
                         for (std::int64_t h = g * group_; h < (g + 1) * group_; ++h) {
                           add_transposed(scores_.view(), d_out_, b, h, keys, a_.d_v);
                           add_transposed(d_scores_.view(), q_, b, h, keys, a_.d_k);
                         }
                       });
  }

 private:
  [[nodiscard]] Extent extent() const { return scores_extent(a_.q.extent, a_.k.extent); }

  // Adds what query head h gives to these keys: the transpose of a matrix of weights times rows of
  // the queries' side.
  void add_transposed(const TensorView& weights, const Widened& rows, std::int64_t b,
                      std::int64_t h, const Range& keys, const TensorView& to) const {
    if (keys.count() == 0) return;
    if (!all_finite(rows.head(b, h))) return add_seeing_rows(weights, rows, b, h, keys, to);
    const std::int64_t m = extent().head_dim;
    gemm(keys.count(), to.extent.head_dim, a_.q.extent.length,
         {weights.row_as<float>(b, h, 0) + keys.begin, m, true}, rows.matrix(b, h, 0, false),
         to.row_as<float>(b, h / group_, keys.begin), to.token_stride, true);
  }

  // A product multiplies what a pair must not see by 0, which gives NaN where it is NaN or
  // infinity. With such inputs the next two add pair by pair.

  void add_seen_keys(std::int64_t b, std::int64_t h, std::int64_t begin, std::int64_t rows) const {
    const std::int64_t d = a_.q.extent.head_dim;
    float sum[kMaxHeadDim];
    for (std::int64_t row = begin; row < begin + rows; ++row) {
      if (load_lse(a_.lse, b, h, row).is_empty()) continue;
      const float* const d_scores = d_scores_.view().row_as<float>(b, h, row);
      weigh_seen_values(
          *a_.schedule, a_.schedule->spans_of(row), row,
          [d_scores](const KeySpan& span) { return d_scores + span.begin; }, k_.head(b, h / group_),
          sum);
      add_row(sum, 1.0f, d, a_.d_q.row_as<float>(b, h, row));
    }
  }

  void add_seeing_rows(const TensorView& weights, const Widened& rows, std::int64_t b,
                       std::int64_t h, const Range& keys, const TensorView& to) const {
    for (std::int64_t row = 0; row < a_.q.extent.length; ++row) {
      if (load_lse(a_.lse, b, h, row).is_empty()) continue;
      const float* const of_row = weights.row_as<float>(b, h, row);
      const float* const from = rows.view().row_as<float>(b, h, row);
      for_each_key(*a_.schedule, row, keys, [&](std::int64_t key) {
        add_row(from, of_row[key], to.extent.head_dim, to.row_as<float>(b, h / group_, key));
      });
    }
  }

  const BackwardArguments& a_;
  const int threads_;
  const std::int64_t group_;  // query heads of a key-value head
  const Widened q_;
  const Widened k_;
  const Widened v_;
  const Widened d_out_;
  const Tensor scores_;
  const Tensor d_scores_;
};

std::int64_t workspace_bytes(const CpuKernel::Shape& shape) {
  Extent v = shape.k;
  v.head_dim = shape.value_dim;
  Extent d_out = shape.q;
  d_out.head_dim = shape.value_dim;
  const std::int64_t matrices = 2 * 4 * scores_extent(shape.q, shape.k).elements();
  if (shape.dtype == DType::f32) return matrices;
  return matrices + 4 * (shape.q.elements() + shape.k.elements() + v.elements() + d_out.elements());
}

void accumulate(const BackwardArguments& a, const KernelContext& context) {
  const Call call(a, context);
  call.weigh();
  call.add_query_gradients();
  call.add_key_gradients();
}

}  // namespace

const CpuBackward materialized_backward{.workspace_bytes = workspace_bytes,
                                        .accumulate = accumulate};

}  // namespace qb::cpu
