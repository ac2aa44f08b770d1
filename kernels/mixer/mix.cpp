// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "kernels/merge.h"
#include "kernels/mixer/mix_parts.h"
#include "kernels/mixer/segments.h"
#include "kernels/mixer/stack_allocator.h"
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
  if (!context.computes) return result;
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
  if (context.computes) clear_rows(zeros.view());
  SegmentedCall(with_features(options), a, context, {omega.view()}).attend({values, zeros.view()});
}

void project(const MixerArguments& a, const KernelContext& context, const MixerState& state) {
  project_tokens(a.projection, a.k, state.vector, context);
  project_tokens(a.value_projection.data == nullptr ? a.projection : a.value_projection, a.v,
                 state.matrix, context);
}

// X := softmax(scale X X^T) X, `depth` times. The result is x or other, whichever is returned.
const TensorView& attend_latents(std::int64_t depth, double scale, const TensorView& x,
                                 const TensorView& other, const KernelContext& context) {
  const Extent& of = x.extent;
  const Tensor lse(context.workspace, DType::f32, {of.batch, of.heads, of.length, 1}, "latents",
                   context.worker);
  const TileSchedule all = build_schedule(of.length, of.length, {{0, of.length, {0, of.length}}},
                                          kernel_tiles(Kernel::flash, of.head_dim).query_tile);
  const TensorView* from = &x;
  const TensorView* to = &other;
  for (std::int64_t i = 0; i < depth; ++i) {
    attend_flash({*from, *from, *from, &all, scale, *to, lse.view()}, context);
    std::swap(from, to);
  }
  return *from;
}

void attend_perceiver(const MixerOptions& options, const MixerArguments& a,
                      const KernelContext& context, const MixerState& all) {
  const Tensor other(context.workspace, DType::f32, all.matrix.extent, "latents", context.worker);
  const TensorView& x = attend_latents(options.depth, a.scale, all.matrix, other.view(), context);
  attend_rows(options, a, x, x, context);
}

using HeadCall = void(const MixerOptions& options, const MixerArguments& a,
                      const KernelContext& context, const MixerState& state);

// Makes the call for each query head, whose queries and keys are read twice and may stay in the
// cache.
void for_each_head(const MixerOptions& options, const MixerArguments& a,
                   const KernelContext& context, const MixerState& state, HeadCall& call) {
  const std::int64_t heads = a.q.extent.heads;
  const std::int64_t all = a.q.extent.batch * heads;
  for_each_item(
      all, all < context.threads ? 1 : context.threads, "landmarks", context,
      [&](std::int64_t item, const KernelContext& of_item) {
        MixerArguments one = a;
        MixerState of_head = state;
        for (TensorView* const view : {&one.q, &one.k, &one.v, &one.out, &one.q_landmarks,
                                       &one.k_landmarks, &of_head.matrix, &of_head.vector})
          if (view->data != nullptr)
            *view = heads_of(*view, item / heads, item % heads / (heads / view->extent.heads), 1);
        call(options, one, of_item, of_head);
      });
}

// state := O and LSE of the landmarks over these tokens.
void sum_nystrom_head(const MixerOptions& options, const MixerArguments& a,
                      const KernelContext& context, const MixerState& state) {
  const Tensor omega = transposed(a.q_landmarks, a.scale * std::numbers::log2e, context);
  SegmentedCall(with_features(options), a, context, {omega.view()}).sum(state);
}

void attend_nystrom_head(const MixerOptions& options, const MixerArguments& a,
                         const KernelContext& context, const MixerState& all) {
  const Tensor values(context.workspace, DType::f32, all.matrix.extent, "landmarks",
                      context.worker);
  apply_nystrom_inverse(a.q_landmarks, a.k_landmarks, a.scale, all.matrix, values.view(), context);
  attend_rows(options, a, a.k_landmarks, values.view(), context);
}

void mix_nystrom_head(const MixerOptions& options, const MixerArguments& a,
                      const KernelContext& context, const MixerState&) {
  const Extent of_means{1, 1, options.rank, a.q.extent.head_dim};
  const OwnState means({of_means, of_means}, context);
  const OwnState all({{1, 1, options.rank, a.v.extent.head_dim}, {1, 1, options.rank, 1}}, context);
  MixerArguments with = a;
  with.q_landmarks = means.view.matrix;
  with.k_landmarks = means.view.vector;
  if (context.computes) segment_means(a.q, with.q_landmarks);
  sum_nystrom_head(options, with, context, all.view);
  if (context.computes) segment_means(a.k, with.k_landmarks);  // which were just read
  attend_nystrom_head(options, with, context, all.view);
}

void sum_nystrom(const MixerOptions& options, const MixerArguments& a, const KernelContext& context,
                 const MixerState& state) {
  if (options.exchange == 1) return for_each_head(options, a, context, state, sum_nystrom_head);
  if (!context.computes) return;
  segment_means(a.q, state.matrix, a.first_token, a.all_tokens);
  segment_means(a.k, state.vector, a.first_token, a.all_tokens);
}

// Calls use(call) with the call of linear, ssd, gated_delta or performer.
template <class Use>
void with_call(const MixerOptions& options, const MixerArguments& a, const KernelContext& context,
               const Use& use) {
  if (options.kind != Mixer::performer) return use(SegmentedCall(options, a, context));
  const SharedFeatures random(a, context);
  use(SegmentedCall(options, a, context, random.features));
}

void mix_causal(const MixerOptions& options, const MixerArguments& a, const KernelContext& context,
                const MixerState* before, const MixerState* after) {
  if (options.kind == Mixer::selective_scan) return scan(a, context, before, after);
  if (options.kind == Mixer::short_convolution) return convolve(a, context, before, after);
  with_call(options, a, context, [&](SegmentedCall call) { call.mix(before, after); });
}

void sum(const MixerOptions& options, const MixerArguments& a, const KernelContext& context,
         const MixerState& state) {
  switch (options.kind) {
    case Mixer::linear:
    case Mixer::ssd:
    case Mixer::gated_delta:
    case Mixer::performer:
      return with_call(options, a, context, [&](SegmentedCall call) { call.sum(state); });
    case Mixer::linformer:
      return project(a, context, state);
    case Mixer::perceiver: {
      const SharedFeatures latents(a, a.scale, 0.0, context);
      return SegmentedCall(with_features(options), a, context, latents.features).sum(state);
    }
    case Mixer::nystrom:
      return sum_nystrom(options, a, context, state);
    case Mixer::selective_scan:
    case Mixer::short_convolution: {
      MixerArguments without_out = a;
      without_out.out = {};
      return mix_causal(options, without_out, context, nullptr, &state);
    }
    case Mixer::axial:
      break;  // check_state() refuses it
  }
}

void attend(const MixerOptions& options, const MixerArguments& a, const KernelContext& context,
            const MixerState& all) {
  if (options.kind == Mixer::linformer)
    return attend_rows(options, a, all.vector, all.matrix, context);
  if (options.kind == Mixer::perceiver) return attend_perceiver(options, a, context, all);
  if (options.kind == Mixer::nystrom)
    return for_each_head(options, a, context, all, attend_nystrom_head);
  with_call(options, a, context, [&](SegmentedCall call) { call.attend(all); });
}

}  // namespace
}  // namespace cpu

void mix(const MixerOptions& options, const MixerArguments& arguments, const KernelContext& context,
         const MixerState* before, const MixerState* after) {
  check_mixer("mix", options, arguments, context.threads);
  check_output("mix", options, arguments);
  if (!options.causal && (before != nullptr || after != nullptr))
    throw std::invalid_argument(
        "mix: without a mask there are no earlier tokens; attend_state() takes the state of all");
  for (const MixerState* const state : {before, after})
    if (state != nullptr) check_state("mix", options, arguments, *state);
  if (options.causal) return cpu::mix_causal(options, arguments, context, before, after);
  if (options.kind == Mixer::axial) return cpu::mix_axial(options, arguments, context);
  if (options.kind == Mixer::nystrom)
    return cpu::for_each_head(options, arguments, context, {}, cpu::mix_nystrom_head);
  const cpu::OwnState all(mixer_state_extents(options, mixer_shape(options, arguments)), context);
  cpu::sum(options, arguments, context, all.view);
  cpu::attend(options, arguments, context, all.view);
}

void mix_state(const MixerOptions& options, const MixerArguments& arguments,
               const KernelContext& context, const MixerState& state) {
  check_mixer("mix_state", options, arguments, context.threads);
  check_state("mix_state", options, arguments, state);
  cpu::sum(options, arguments, context, state);
}

void attend_state(const MixerOptions& options, const MixerArguments& arguments,
                  const KernelContext& context, const MixerState& state) {
  check_mixer("attend_state", options, arguments, context.threads);
  check_output("attend_state", options, arguments);
  check_state("attend_state", options, arguments, state);
  if (options.causal || options.exchange + 1 < mixer_exchanges(options.kind))
    throw std::invalid_argument(
        "attend_state: it needs an operator without a mask, and its last exchange");
  cpu::attend(options, arguments, context, state);
}

}  // namespace qb
