// SPDX-License-Identifier: Apache-2.0
#include "kernels/mixer/landmarks.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/cpu/score_rows.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb {
namespace cpu {
namespace {

Tensor floats(const Extent& extent, std::string_view label, const KernelContext& context) {
  return {context.workspace, DType::f32, extent, label, context.worker};
}

// out := softmax(scale q k^T) v, all of float32 and without a mask; returns the LSE.
Tensor attend_all(const TensorView& q, const TensorView& k, const TensorView& v, double scale,
                  const TensorView& out, const KernelContext& context) {
  const Extent& rows = q.extent;
  Tensor lse = floats({rows.batch, rows.heads, rows.length, 1}, "lse", context);
  const TileSchedule schedule =
      build_schedule(rows.length, k.extent.length, {{0, rows.length, {0, k.extent.length}}},
                     kernel_tiles(Kernel::flash, rows.head_dim).query_tile);
  attention(Kernel::flash, {q, k, v, &schedule, scale, out, lse.view()}, context);
  return lse;
}

// One head as if it were `heads` heads.
TensorView repeated(const TensorView& view, std::int64_t head, std::int64_t heads) {
  TensorView all = view.heads(head, 1);
  all.extent.heads = heads;
  all.head_stride = 0;
  return all;
}

// Returns rows [factor * row, last(b, h, row, their sum of squares)] in float32.
template <class Last>
Tensor with_last(const TensorView& view, double factor, std::string_view label,
                 const KernelContext& context, Last last) {
  Extent extent = view.extent;
  ++extent.head_dim;
  Tensor result = floats(extent, label, context);
  for_each_row(extent, context.threads, 64,
               [&](std::int64_t b, std::int64_t h, std::int64_t row, int) {
                 float* const to = result.view().row_as<float>(b, h, row);
                 const std::int64_t dim = view.extent.head_dim;
                 convert(view.row(b, h, row), view.dtype, to, DType::f32, dim);
                 float squares = 0.0f;
                 for (std::int64_t x = 0; x < dim; ++x) squares += to[x] * to[x];
                 for (std::int64_t x = 0; x < dim && factor != 1.0; ++x)
                   to[x] *= static_cast<float>(factor);
                 to[dim] = static_cast<float>(last(b, h, row, squares));
               });
  return result;
}

// Views omega as one of each batch and head.
TensorView features_of(const MixerArguments& a) {
  TensorView omega = a.projection;
  omega.extent.batch = a.k.extent.batch;
  omega.extent.heads = a.k.extent.heads;
  omega.batch_stride = omega.head_stride = 0;
  return omega;
}

}  // namespace

void sum_performer(const MixerArguments& a, const KernelContext& context, const MixerState& state) {
  const Widened v(a.v, "v_f32", context);
  const Tensor omega =
      with_last(features_of(a), std::sqrt(a.scale), "omega", context, [](auto...) { return 1.0f; });
  const Tensor k = with_last(a.k, 1.0, "k_f32", context,
                             [&](std::int64_t, std::int64_t, std::int64_t, float squares) {
                               return -0.5 * a.scale * static_cast<double>(squares);
                             });
  const Tensor lse = attend_all(omega.view(), k.view(), v.view(), 1.0, state.matrix, context);
  copy_rows(lse.view(), state.vector);
}

void mix_performer(const MixerOptions& options, const MixerArguments& a,
                   const KernelContext& context, const MixerState* before,
                   const MixerState* after) {
  const MixerStateExtents extents = mixer_state_extents(options, mixer_shape(options, a));
  const Tensor matrix = floats(extents.matrix, "state", context);
  const Tensor vector = floats(extents.vector, "state", context);
  const MixerState state{matrix.view(), vector.view()};
  sum_performer(a, context, state);
  if (before != nullptr) append_state(options, state, *before);
  if (after != nullptr) {
    copy_rows(state.matrix, after->matrix);
    copy_rows(state.vector, after->vector);
  }
  const Tensor omega = with_last(features_of(a), std::sqrt(a.scale), "omega", context,
                                 [&](std::int64_t b, std::int64_t h, std::int64_t row, float) {
                                   return *state.vector.row_as<float>(b, h, row);
                                 });
  const Tensor q = with_last(a.q, 1.0, "q_f32", context, [](auto...) { return 1.0f; });
  (void)attend_all(q.view(), omega.view(), state.matrix, 1.0, a.out, context);
}

void mix_linformer(const MixerOptions& options, const MixerArguments& a,
                   const KernelContext& context) {
  const bool shared = a.value_projection.data == nullptr;
  const Extent& of_k = a.k.extent;
  const Tensor k = floats({of_k.batch, of_k.heads, options.rank, of_k.head_dim}, "keys", context);
  const Tensor v =
      floats({of_k.batch, of_k.heads, options.rank, a.v.extent.head_dim}, "values", context);
  project_tokens(a.projection, a.k, k.view(), context);
  project_tokens(shared ? a.projection : a.value_projection, a.v, v.view(), context);
  const Widened q(a.q, "q_f32", context);
  (void)attend_all(q.view(), k.view(), v.view(), a.scale, a.out, context);
}

void mix_nystrom(const MixerOptions& options, const MixerArguments& a,
                 const KernelContext& context) {
  const Extent landmarks{a.q.extent.batch, a.q.extent.heads, options.rank, a.q.extent.head_dim};
  Extent of_values = landmarks;
  of_values.head_dim = a.v.extent.head_dim;
  const Tensor q_means = floats(landmarks, "landmarks", context);
  const Tensor k_means = floats(landmarks, "landmarks", context);
  const Tensor attended = floats(of_values, "attended", context);
  const Tensor values = floats(of_values, "values", context);
  const std::int64_t group = a.q.extent.heads / a.k.extent.heads;
  segment_means(a.q, q_means.view());
  for (std::int64_t g = 0; g < a.k.extent.heads; ++g)
    segment_means(repeated(a.k, g, group), k_means.view().heads(g * group, group));
  const Widened q(a.q, "q_f32", context);
  const Widened k(a.k, "k_f32", context);
  const Widened v(a.v, "v_f32", context);
  (void)attend_all(q_means.view(), k.view(), v.view(), a.scale, attended.view(), context);
  apply_nystrom_inverse(q_means.view(), k_means.view(), a.scale, attended.view(), values.view(),
                        context);
  (void)attend_all(q.view(), k_means.view(), values.view(), a.scale, a.out, context);
}

}  // namespace cpu

void segment_means(const TensorView& x, const TensorView& means) {
  const std::int64_t n = x.extent.length;
  const std::int64_t rank = means.extent.length;
  std::vector<float> row(static_cast<std::size_t>(x.extent.head_dim));
  cpu::for_each_row(means.extent, 1, 1, [&](std::int64_t b, std::int64_t h, std::int64_t s, int) {
    float* const mean = means.row_as<float>(b, h, s);
    std::fill_n(mean, x.extent.head_dim, 0.0f);
    const std::int64_t begin = s * n / rank;
    const std::int64_t end = (s + 1) * n / rank;
    for (std::int64_t j = begin; j < end; ++j) {
      convert(x.row(b, h, j), x.dtype, row.data(), DType::f32, x.extent.head_dim);
      for (std::size_t e = 0; e < row.size(); ++e) mean[e] += row[e];
    }
    for (std::size_t e = 0; e < row.size(); ++e) mean[e] /= static_cast<float>(end - begin);
  });
}

void fill_orthogonal(const TensorView& omega, std::uint64_t seed) {
  const std::int64_t d = omega.extent.head_dim;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const auto dot = [d](const double* a, const double* b) {
    double sum = 0.0;
    for (std::int64_t x = 0; x < d; ++x) sum += a[x] * b[x];
    return sum;
  };
  std::vector<double> block(static_cast<std::size_t>(d * d));
  std::vector<double> other(static_cast<std::size_t>(d));
  for (std::int64_t r = 0; r < omega.extent.length; ++r) {
    double* const row = block.data() + r % d * d;
    for (std::int64_t x = 0; x < d; ++x) row[x] = normal(engine);
    for (double& x : other) x = normal(engine);
    for (int pass = 0; pass < 2; ++pass)  // once more, against rounding
      for (const double* before = block.data(); before != row; before += d) {
        const double shared = dot(row, before);
        for (std::int64_t x = 0; x < d; ++x) row[x] -= shared * before[x];
      }
    const double length = std::sqrt(dot(row, row));
    for (std::int64_t x = 0; x < d; ++x) row[x] /= length;
    const double norm = std::sqrt(dot(other.data(), other.data()));
    for (std::int64_t x = 0; x < d; ++x)
      omega.row_as<float>(0, 0, r)[x] = static_cast<float>(row[x] * norm);
  }
}

}  // namespace qb
