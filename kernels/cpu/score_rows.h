// SPDX-License-Identifier: Apache-2.0
// The CPU kernels call these passes over single rows of inputs and scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

#include "base/integers.h"
#include "kernels/attention.h"
#include "kernels/cpu/gemm.h"
#include "kernels/lse.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb::cpu {

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
inline constexpr std::int64_t kRowsAtOnce = 8;  // of scores, for a thread

// Calls function(b, h, row, thread) for every row of the extent; a thread takes `grain` at a time.
template <class Function>
void for_each_row(const Extent& extent, int threads, std::int64_t grain, Function function) {
  const std::int64_t heads = extent.heads;
  const std::int64_t n = extent.length;
  parallel_for(extent.batch * heads * n, threads, grain,
               [&](std::int64_t begin, std::int64_t end, int thread) {
                 for (std::int64_t i = begin; i < end;) {
                   const std::int64_t slice = i / n;
                   for (const std::int64_t first = slice * n; i < std::min(end, first + n); ++i)
                     function(slice / heads, slice % heads, i - first, thread);
                 }
               });
}

// Calls function(b, h, first row, rows) for the row blocks of every head. Each head has as many
// blocks as there are threads, so that one thread gets whole heads.
template <class Function>
void for_each_row_block(const Extent& extent, int threads, Function function) {
  const std::int64_t n = extent.length;
  const std::int64_t heads = extent.heads;
  const std::int64_t block = ceil_div(n, threads);
  parallel_for(extent.batch * heads * threads, threads, 1,
               [&](std::int64_t item, std::int64_t, int) {
                 const std::int64_t head = item / threads;
                 const std::int64_t begin = std::min(n, item % threads * block);
                 function(head / heads, head % heads, begin, std::min(n, begin + block) - begin);
               });
}

// Calls function(key) for the keys of `within` that the row sees, ascending.
template <class Function>
void for_each_key(const TileSchedule& schedule, std::int64_t row, const Range& within,
                  Function function) {
  for (const KeySpan& span : schedule.spans_of(row))
    schedule.for_each_run(span, row, within, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t key = begin; key < end; ++key) function(key);
    });
}

// Returns the extent of the score matrix as a tensor whose "head_dim" is the keys.
[[nodiscard]] inline Extent scores_extent(const Extent& q, const Extent& k) {
  return {q.batch, q.heads, q.length, k.length};
}

// A tensor as float32: the tensor itself, or a widened copy in the workspace.
class Widened {
 public:
  Widened(const TensorView& input, std::string_view label, const KernelContext& context)
      : view_(input) {
    if (input.dtype == DType::f32 || input.data == nullptr) return;
    copy_ = Tensor(context.workspace, DType::f32, input.extent, label, context.worker);
    view_ = copy_.view();
    copy_rows(input, view_, context.threads);
  }
  [[nodiscard]] const TensorView& view() const { return view_; }
  [[nodiscard]] float* floats() const { return static_cast<float*>(view_.data); }
  [[nodiscard]] TensorView head(std::int64_t b, std::int64_t index) const {
    TensorView one = view_.heads(index, 1);
    one.data = one.row(b, 0, 0);
    return one;
  }
  [[nodiscard]] Matrix matrix(std::int64_t b, std::int64_t head, std::int64_t first,
                              bool transposed) const {
    return {view_.row_as<float>(b, head, first), view_.token_stride, transposed};
  }

 private:
  Tensor copy_;
  TensorView view_;
};

// to [b,h,queries,keys] := rows of the queries' side times the transpose of those of the keys'
// side.
inline void multiply_transposed(const Widened& queries, const Widened& keys, const TensorView& to,
                                int threads) {
  const Extent& q = queries.view().extent;
  const std::int64_t group = q.heads / keys.view().extent.heads;
  for_each_row_block(to.extent, threads,
                     [&](std::int64_t b, std::int64_t h, std::int64_t begin, std::int64_t rows) {
                       gemm(rows, to.extent.head_dim, q.head_dim,
                            queries.matrix(b, h, begin, false), keys.matrix(b, h / group, 0, true),
                            to.row_as<float>(b, h, begin), to.extent.head_dim);
                     });
}

// Sets scores of `keys` that the row sees in none of these spans to -inf; `scores` begins with the
// first key.
inline void hide_unseen(const TileSchedule& schedule, std::span<const KeySpan> spans,
                        std::int64_t row, const Range& keys, float* scores) {
  std::int64_t seen = keys.begin;
  const auto hide_until = [&](std::int64_t key) {
    std::fill(scores + (seen - keys.begin), scores + (key - keys.begin), kMinusInfinity);
  };
  for (const KeySpan& span : spans)
    schedule.for_each_run(span, row, [&](std::int64_t begin, std::int64_t end) {
      hide_until(begin);
      seen = end;
    });
  hide_until(keys.end);
}

// Turns products of queries and keys into the exponents of powers of two.
[[nodiscard]] inline float binary_scale(double scale) {
  return static_cast<float>(scale * std::numbers::log2e);
}

// row[j] := row[j] * factor
void scale_row(float* row, std::int64_t n, float factor);

// row[j] := 2^(row[j] - LSE), for exponents of at most 127; -inf gives exactly 0, and NaN stays
// NaN.
void exponentiate_row(float* row, std::int64_t n, RowLse lse);

// d_p[j] := p[j] * (d_p[j] - delta) * scale, and 0 where p[j] is 0, whatever d_p[j] is.
void differentiate_row(const float* p, std::int64_t n, float delta, float scale, float* d_p);

// row[j] := 2^row[j] / sum_j 2^row[j] in place; returns the LSE. A row whose scores are all -inf
// becomes 0 with LSE -inf; a NaN makes the whole row NaN.
[[nodiscard]] RowLse softmax_row(float* row, std::int64_t n);

// The products of `materialized` and `staged` multiply values that a row does not see by 0, which
// gives NaN where they are NaN or infinity. Such rows are found by their output and computed again,
// from the keys that they see.

[[nodiscard]] inline bool holds_nan(const float* row, std::int64_t count) {
  return std::any_of(row, row + count, [](float value) { return std::isnan(value); });
}

// out[x] := sum of p V[x] over the keys of `spans` that the row sees; of_span(span) returns the p
// of the span's first key. values is float32, of one head.
template <class Probabilities>
void weigh_seen_values(const TileSchedule& schedule, std::span<const KeySpan> spans,
                       std::int64_t row, Probabilities of_span, const TensorView& values,
                       float* out) {
  const std::int64_t dim = values.extent.head_dim;
  std::fill_n(out, dim, 0.0f);
  for (const KeySpan& span : spans) {
    const float* const p = of_span(span);
    schedule.for_each_run(span, row, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t key = begin; key < end; ++key) {
        const float* const value = values.row_as<float>(0, 0, key);
        for (std::int64_t x = 0; x < dim; ++x) out[x] += p[key - span.begin] * value[x];
      }
    });
  }
}

}  // namespace qb::cpu
