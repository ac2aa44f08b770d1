// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/merge.h"
#include "kernels/mixer/checks.h"
#include "kernels/mixer/scan.h"
#include "kernels/mixer/segments.h"
#include "kernels/parallel.h"

namespace qb {
namespace cpu {
namespace {

// Returns factor rows^T in rows of whole vectors.
Tensor transposed(const TensorView& rows, double factor, const KernelContext& context) {
  const Extent& of = rows.extent;
  Tensor result(context.workspace, DType::f32,
                {of.batch, of.heads, of.head_dim, round_up(of.length, kMixerColumns)}, "features",
                context.worker);
  const TensorView& to = result.view();
  std::fill_n(static_cast<float*>(to.data), to.extent.elements(), 0.0f);
  for (std::int64_t b = 0; b < of.batch; ++b)
    for (std::int64_t h = 0; h < of.heads; ++h)
      for (std::int64_t r = 0; r < of.length; ++r)
        for (std::int64_t x = 0; x < of.head_dim; ++x)
          to.row_as<float>(b, h, x)[r] =
              static_cast<float>(factor * static_cast<double>(rows.row_as<float>(b, h, r)[x]));
  return result;
}

// Features of all heads from the rows of a.projection, which own their memory.
struct SharedFeatures {
  SharedFeatures(const MixerArguments& a, double factor, double half, const KernelContext& context)
      : omega(transposed(a.projection, factor * std::numbers::log2e, context)),
        features{omega.view(), static_cast<float>(half * std::numbers::log2e)} {
    features.omega.batch_stride = features.omega.head_stride = 0;
  }
  // They are those of performer.
  SharedFeatures(const MixerArguments& a, const KernelContext& context)
      : SharedFeatures(a, std::sqrt(a.scale), 0.5 * a.scale, context) {}
  Tensor omega;
  ExponentialFeatures features;
};

// The state of linformer, nystrom and perceiver is that of performer with other features.
MixerOptions with_features(MixerOptions options) {
  options.kind = Mixer::performer;
  return options;
}

// out := softmax(scale Q keys^T) values
void attend_rows(const MixerOptions& options, const MixerArguments& a, const TensorView& keys,
                 const TensorView& values, const KernelContext& context) {
  const Tensor omega = transposed(keys, a.scale * std::numbers::log2e, context);
  Extent extent = values.extent;
  extent.head_dim = 1;
  const Tensor zeros(context.workspace, DType::f32, extent, "features", context.worker);
  clear_rows(zeros.view());
  const MixerOptions featured = with_features(options);
  SegmentedCall(featured, a, context, {omega.view()}).attend({values, zeros.view()});
}

void mix_linformer(const MixerOptions& options, const MixerArguments& a,
                   const KernelContext& context) {
  Extent extent{a.k.extent.batch, a.k.extent.heads, options.rank, a.k.extent.head_dim};
  const Tensor keys(context.workspace, DType::f32, extent, "projected", context.worker);
  extent.head_dim = a.v.extent.head_dim;
  const Tensor values(context.workspace, DType::f32, extent, "projected", context.worker);
  project_tokens(a.projection, a.k, keys.view(), context);
  project_tokens(a.value_projection.data == nullptr ? a.projection : a.value_projection, a.v,
                 values.view(), context);
  attend_rows(options, a, keys.view(), values.view(), context);
}

// X := softmax(scale X X^T) X, `depth` times. The result is x or other, whichever is returned.
const TensorView& attend_latents(std::int64_t depth, double scale, const Tensor& x,
                                 const Tensor& other, const KernelContext& context) {
  const Extent& of = x.view().extent;
  const Tensor lse(context.workspace, DType::f32, {of.batch, of.heads, of.length, 1}, "latents",
                   context.worker);
  const TileSchedule all = build_schedule(of.length, of.length, {{0, of.length, {0, of.length}}},
                                          kernel_tiles(Kernel::flash, of.head_dim).query_tile);
  const TensorView* from = &x.view();
  const TensorView* to = &other.view();
  for (std::int64_t i = 0; i < depth; ++i) {
    attention(Kernel::flash, {*from, *from, *from, &all, scale, *to, lse.view()}, context);
    std::swap(from, to);
  }
  return *from;
}

void mix_perceiver(const MixerOptions& options, const MixerArguments& a,
                   const KernelContext& context) {
  const Extent& of = a.v.extent;
  const Extent latents{of.batch, of.heads, options.rank, of.head_dim};
  const SharedFeatures shared(a, a.scale, 0.0, context);
  const OwnState read({latents, {of.batch, of.heads, options.rank, 1}}, context);
  const Tensor other(context.workspace, DType::f32, latents, "latents", context.worker);
  const MixerOptions featured = with_features(options);
  SegmentedCall(featured, a, context, shared.features).sum(read.view);
  const TensorView& x = attend_latents(options.depth, a.scale, read.matrix, other, context);
  attend_rows(options, a, x, x, context);
}

void mix_nystrom_head(const MixerOptions& options, const MixerArguments& a,
                      const KernelContext& context) {
  const Extent of_queries{1, 1, options.rank, a.q.extent.head_dim};
  const Extent of_values{1, 1, options.rank, a.v.extent.head_dim};
  const Tensor queries(context.workspace, DType::f32, of_queries, "landmarks", context.worker);
  const Tensor keys(context.workspace, DType::f32, of_queries, "landmarks", context.worker);
  const Tensor values(context.workspace, DType::f32, of_values, "landmarks", context.worker);
  segment_means(a.q, queries.view());
  const Tensor omega = transposed(queries.view(), a.scale * std::numbers::log2e, context);
  const OwnState all({of_values, {1, 1, options.rank, 1}}, context);
  const MixerOptions featured = with_features(options);
  SegmentedCall(featured, a, context, {omega.view()}).sum(all.view);
  segment_means(a.k, keys.view());  // which were just read
  apply_nystrom_inverse(queries.view(), keys.view(), a.scale, all.view.matrix, values.view(),
                        context);
  attend_rows(options, a, keys.view(), values.view(), context);
}

// Takes a head at a time, whose queries and keys are read twice and may stay in the cache.
void mix_nystrom(const MixerOptions& options, const MixerArguments& a,
                 const KernelContext& context) {
  const std::int64_t heads = a.q.extent.heads;
  const std::int64_t all = a.q.extent.batch * heads;
  const int at_once = all < context.threads ? 1 : context.threads;
  parallel_for(all, at_once, 1, [&](std::int64_t item, std::int64_t, int) {
    MixerArguments one = a;
    for (TensorView* const view : {&one.q, &one.k, &one.v, &one.out})
      *view = heads_of(*view, item / heads, item % heads / (heads / view->extent.heads), 1);
    mix_nystrom_head(options, one, {context.workspace, context.threads / at_once, context.worker});
  });
}

}  // namespace
}  // namespace cpu

void mix(const MixerOptions& options, const MixerArguments& arguments, const KernelContext& context,
         const MixerState* before, const MixerState* after) {
  check_mixer("mix", options, arguments, context.threads);
  check_output("mix", options, arguments);
  for (const MixerState* const state : {before, after})
    if (state != nullptr) check_state("mix", options, arguments, *state);
  switch (options.kind) {
    case Mixer::nystrom:
      return cpu::mix_nystrom(options, arguments, context);
    case Mixer::linformer:
      return cpu::mix_linformer(options, arguments, context);
    case Mixer::perceiver:
      return cpu::mix_perceiver(options, arguments, context);
    case Mixer::selective_scan:
      return cpu::scan(arguments, context, before, after);
    case Mixer::performer: {
      const cpu::SharedFeatures random(arguments, context);
      return cpu::SegmentedCall(options, arguments, context, random.features).mix(before, after);
    }
    case Mixer::linear:
    case Mixer::ssd:
      return cpu::SegmentedCall(options, arguments, context).mix(before, after);
  }
}

void mix_state(const MixerOptions& options, const MixerArguments& arguments,
               const KernelContext& context, const MixerState& state) {
  check_mixer("mix_state", options, arguments, context.threads);
  check_state("mix_state", options, arguments, state);
  if (options.kind == Mixer::selective_scan) {
    MixerArguments without_out = arguments;
    without_out.out = {};
    return cpu::scan(without_out, context, nullptr, &state);
  }
  if (options.kind != Mixer::performer)
    return cpu::SegmentedCall(options, arguments, context).sum(state);
  const cpu::SharedFeatures random(arguments, context);
  cpu::SegmentedCall(options, arguments, context, random.features).sum(state);
}

}  // namespace qb
