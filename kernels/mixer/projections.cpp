// SPDX-License-Identifier: Apache-2.0
// The products of linformer and nystrom: projections of all tokens, and the six iterations of a
// pseudo-inverse.
#include <algorithm>
#include <utility>

#include "kernels/cpu/score_rows.h"
#include "kernels/mixer/chunks.h"
#include "kernels/mixer/mix_parts.h"
#include "kernels/parallel.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/mixer/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// out := rows [first, first + count) of the weights times the tokens of every head: a block of
// tokens at a time, so that its weights stay in the cache for all heads.
void project_rows(const TensorView& weights, const TensorView& x, const TensorView& out,
                  std::int64_t first, std::int64_t count, float* memory) {
  constexpr std::int64_t kTokens = kProjectedTokens;
  const std::int64_t width = round_up(x.extent.head_dim, kMixerColumns);
  const std::int64_t rows = count + kRowsBehind;
  const std::int64_t heads = x.extent.batch * x.extent.heads;
  float* const block = std::exchange(memory, memory + rows * kTokens);
  float* const tokens = std::exchange(memory, memory + kTokens * width);
  std::fill_n(memory, heads * rows * width, 0.0f);
  for (std::int64_t token = 0; token < x.extent.length; token += kTokens) {
    TensorView columns = weights;
    columns.data = weights.row(0, 0, 0) + token * size_of(DType::f32);
    columns.extent.head_dim = std::min(kTokens, x.extent.length - token);
    load_rows(columns, 0, 0, first, count, kTokens, block);
    for (std::int64_t head = 0; head < heads; ++head) {
      load_rows(x, head / x.extent.heads, head % x.extent.heads, token, columns.extent.head_dim,
                width, tokens);
      sum_products<true>(count, x.extent.head_dim, memory + head * rows * width, width,
                         RowsTerm{block, kTokens, tokens, width, columns.extent.head_dim});
    }
  }
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t r = 0; r < count; ++r)
      store_row(memory + (head * rows + r) * width, x.extent.head_dim, 1.0f,
                out.row_as<float>(head / x.extent.heads, head % x.extent.heads, first + r));
}

// x := diagonal I - x, of n rows
void subtract_from(float diagonal, std::int64_t n, std::int64_t stride, float* x) {
  change_row(x, n * stride, [&](std::int64_t, Vector each) { return hn::Neg(each); });
  for (std::int64_t i = 0; i < n; ++i) x[i * stride + i] += diagonal;
}

// z := A^T over the largest sum of a row of A and that of a column, which are not negative.
void begin_inverse(const float* a, std::int64_t n, std::int64_t stride, float* z) {
  float rows = 0.0f;
  float columns = 0.0f;
  for (std::int64_t i = 0; i < n; ++i) {
    float row = 0.0f;
    float column = 0.0f;
    for (std::int64_t j = 0; j < n; ++j) {
      row += a[i * stride + j];
      column += a[j * stride + i];
      z[i * stride + j] = a[j * stride + i];
    }
    rows = std::max(rows, row);
    columns = std::max(columns, column);
  }
  const Vector norm = hn::Set(Floats(), rows * columns);
  change_row(z, n * stride, [&](std::int64_t, Vector each) { return hn::Div(each, norm); });
}

// z := six iterations from z on; the others are scratch memory. Returns z or x, whichever holds it.
float* iterate(const float* a, std::int64_t n, std::int64_t stride, float* z, float* x, float* y,
               float* az) {
  const auto multiply = [&](const float* left, const float* right, float* to) {
    sum_products<false>(n, n, to, stride, RowsTerm{left, stride, right, stride, n});
  };
  const Vector quarter = hn::Set(Floats(), 0.25f);
  for (int iteration = 0; iteration < 6; ++iteration) {
    multiply(a, z, az);
    std::copy_n(az, n * stride, y);
    subtract_from(7.0f, n, stride, y);
    multiply(az, y, x);
    subtract_from(15.0f, n, stride, x);
    multiply(az, x, y);
    subtract_from(13.0f, n, stride, y);
    multiply(z, y, x);
    change_row(x, n * stride, [&](std::int64_t, Vector each) { return hn::Mul(each, quarter); });
    std::swap(x, z);
  }
  return z;
}

// out := Z values, of one head.
void invert(const TensorView& queries, const TensorView& keys, double scale,
            const TensorView& values, const TensorView& out, float* memory) {
  const std::int64_t n = queries.extent.length;
  const std::int64_t stride = round_up(n, kMixerColumns);
  const std::int64_t d = round_up(queries.extent.head_dim, kMixerColumns);
  const std::int64_t p = round_up(values.extent.head_dim, kMixerColumns);
  const auto take = [&](std::int64_t width) {
    return std::exchange(memory, memory + (stride + kRowsBehind) * width);
  };
  float* const a = take(stride);
  float* const z = take(stride);
  float* const left = take(std::max(d, p));
  float* const right = take(std::max(d, p));
  float* const transposed = take(d);
  load_rows(queries, 0, 0, 0, n, d, left);
  load_rows(keys, 0, 0, 0, n, d, right);
  transpose_in([&](std::int64_t j) { return right + j * d; }, n, d, stride, 0u, transposed);
  sum_products<false>(n, n, a, stride, RowsTerm{left, d, transposed, stride, d});
  std::fill_n(z, n * stride, 0.0f);
  for (std::int64_t i = 0; i < n; ++i) {
    scale_row(a + i * stride, n, binary_scale(scale));
    (void)softmax_row(a + i * stride, n);
  }
  begin_inverse(a, n, stride, z);
  float* const x = take(stride);
  float* const y = take(stride);
  const float* const inverse = iterate(a, n, stride, z, x, y, take(stride));
  load_rows(values, 0, 0, 0, n, p, left);
  sum_products<false>(n, p, right, p, RowsTerm{inverse, stride, left, p, n});
  for (std::int64_t i = 0; i < n; ++i)
    store_row(right + i * p, values.extent.head_dim, 1.0f, out.row_as<float>(0, 0, i));
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb {
namespace cpu {
HWY_EXPORT(project_rows);
HWY_EXPORT(invert);
}  // namespace cpu

void project_tokens(const TensorView& weights, const TensorView& x, const TensorView& out,
                    const KernelContext& context) {
  using namespace cpu;
  const Extent& of_x = x.extent;
  const std::int64_t rank = weights.extent.length;
  require_floats("project_tokens", "weights", weights, {1, 1, rank, of_x.length});
  require_floats("project_tokens", "out", out, {of_x.batch, of_x.heads, rank, of_x.head_dim});
  const std::int64_t part = round_up(ceil_div(rank, context.threads), kMixerColumns);
  const std::int64_t width = round_up(of_x.head_dim, kMixerColumns);
  const std::int64_t rows = part + kRowsBehind;
  const std::int64_t floats =
      rows * kProjectedTokens + width * (kProjectedTokens + of_x.batch * of_x.heads * rows);
  const Buffer memory(context.workspace, static_cast<std::size_t>(4 * floats * context.threads),
                      "projections", context.worker);
  if (!context.computes) return;
  parallel_for(rank, context.threads, part, [&](std::int64_t begin, std::int64_t end, int thread) {
    HWY_DYNAMIC_DISPATCH(project_rows)
    (weights, x, out, begin, end - begin, memory.as<float>() + thread * floats);
  });
}

void apply_nystrom_inverse(const TensorView& queries, const TensorView& keys, double scale,
                           const TensorView& values, const TensorView& out,
                           const KernelContext& context) {
  using namespace cpu;
  const Extent& of_q = queries.extent;
  Extent of_values = of_q;
  of_values.head_dim = values.extent.head_dim;
  require_floats("apply_nystrom_inverse", "queries", queries, of_q);
  require_floats("apply_nystrom_inverse", "keys", keys, of_q);
  require_floats("apply_nystrom_inverse", "values", values, of_values);
  require_floats("apply_nystrom_inverse", "out", out, of_values);
  const std::int64_t n = round_up(of_q.length, kMixerColumns);
  const std::int64_t width = round_up(std::max(of_q.head_dim, of_values.head_dim), kMixerColumns);
  const std::int64_t floats = (n + kRowsBehind) * (5 * n + 3 * width);
  const Buffer memory(context.workspace, static_cast<std::size_t>(4 * floats * context.threads),
                      "inverse", context.worker);
  if (!context.computes) return;
  parallel_for(of_q.batch * of_q.heads, context.threads, 1,
               [&](std::int64_t item, std::int64_t, int thread) {
                 const auto head = [&](const TensorView& view) {
                   return heads_of(view, item / of_q.heads, item % of_q.heads, 1);
                 };
                 HWY_DYNAMIC_DISPATCH(invert)
                 (head(queries), head(keys), scale, head(values), head(out),
                  memory.as<float>() + thread * floats);
               });
}

}  // namespace qb
#endif  // HWY_ONCE
