// SPDX-License-Identifier: Apache-2.0
#include "kernels/mixer/backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/status.h"
#include "kernels/cpu/call_checks.h"
#include "kernels/merge.h"
#include "kernels/mixer/mix_parts.h"
#include "kernels/mixer/stack_allocator.h"

namespace qb {
namespace cpu {

MixerScratch MixerScratch::carve(const ChunkTask& task, float* memory) {
  const std::int64_t c = chunk_columns(task);
  const std::int64_t f = round_up(task.features(), kMixerColumns);
  const std::int64_t p = round_up(task.a.v.extent.head_dim, kMixerColumns);
  const std::int64_t delta = task.is_delta() ? 1 : 0;
  const std::int64_t chunks = ceil_div(task.a.k.extent.length, task.chunk());
  MixerScratch s{};
  s.floats = carve_floats(memory, {{&s.d_out, c * p},
                                   {&s.d_weights, c * c},
                                   {&s.v_transposed, c * p},
                                   {&s.state_transposed, f * p},
                                   {&s.later, (f + kMixerColumns) * p},
                                   {&s.later_transposed, f * p},
                                   {&s.later_sums, f},
                                   {&s.gradients, c * std::max(f, p)},
                                   {&s.d_sum, c},
                                   {&s.row_pairs, c},
                                   {&s.column_pairs, c},
                                   {&s.earlier_pairs, c},
                                   {&s.later_pairs, c},
                                   {&s.states, delta * (chunks - 1) * f * p},
                                   {&s.q, delta * c * f},
                                   {&s.k, delta * c * f},
                                   {&s.errors, delta * c * p},
                                   {&s.d_updates, delta * c * p},
                                   {&s.d_key_weights, delta * c * c},
                                   {&s.d_q, delta * c * f},
                                   {&s.d_k, delta * c * f},
                                   {&s.d_columns, delta * c * f}});
  return s;
}

namespace {

// States without data are not there. The last two are gradients, as in a BackwardTask.
struct States {
  MixerState before;
  MixerState later;
  MixerState earlier;
};

// The backward pass of the query heads of one key-value head.
void run_group(const MixerOptions& options, const MixerArguments& a,
               const MixerGradients& gradients, const States& given, const KernelContext& context) {
  const ExponentialFeatures none{};
  const ChunkTask task{options, a, none};
  const std::int64_t n = a.k.extent.length;
  const std::int64_t segment = options.causal ? task.chunk() : n;
  const MixerState* const before = given.before.matrix.data == nullptr ? nullptr : &given.before;
  std::vector<OwnState> states;
  if (!task.is_delta() && (options.kind == Mixer::linear || gradients.d_q.data != nullptr))
    states = SegmentedCall(options, a, context, none, segment)
                 .states_before(before, options.causal ? ceil_div(n, segment) - 1 : 1);
  const std::int64_t of_chunks = ChunkScratch::carve(task, nullptr).floats;
  const std::int64_t floats = of_chunks + MixerScratch::carve(task, nullptr).floats;
  const Buffer memory(context.workspace, static_cast<std::size_t>(4 * floats), "mixer_chunks",
                      context.worker);
  if (!context.computes) return;
  const ChunkScratch scratch = ChunkScratch::carve(task, memory.as<float>());
  const MixerScratch more = MixerScratch::carve(task, memory.as<float>() + of_chunks);
  for (std::int64_t head = 0; head < a.q.extent.heads; ++head)
    run_backward({{options, a, none, 0, head, before, nullptr, true, true},
                  gradients,
                  states,
                  head > 0,
                  given.later,
                  given.earlier},
                 scratch, more);
}

// Runs the groups of an operator with states.
void run_groups(const MixerOptions& options, const MixerArguments& arguments,
                const MixerGradients& gradients, const States& states,
                const KernelContext& context) {
  const std::int64_t heads = arguments.k.extent.heads;
  const std::int64_t group = arguments.q.extent.heads / heads;
  const std::int64_t items = arguments.k.extent.batch * heads;
  for_each_item(items, static_cast<int>(std::min<std::int64_t>(items, context.threads)),
                "mixer_chunks", context, [&](std::int64_t item, const KernelContext& of_item) {
                  MixerArguments a = arguments;
                  MixerGradients g = gradients;
                  States s = states;
                  for (TensorView* const view :
                       {&a.q, &a.k, &a.v, &a.decay, &a.beta, &g.d_out, &g.d_q, &g.d_k, &g.d_v,
                        &g.d_decay, &g.d_beta, &s.before.matrix, &s.before.vector, &s.later.matrix,
                        &s.later.vector, &s.earlier.matrix, &s.earlier.vector}) {
                    const std::int64_t count = view->extent.heads == heads ? 1 : group;
                    *view = heads_of(*view, item / heads, item % heads * count, count);
                  }
                  KernelContext alone = of_item;
                  alone.threads = 1;
                  run_group(options, a, g, s, alone);
                });
}

// Throws where the operator has no backward pass.
void require_backward(std::string_view who, const MixerOptions& options, const MixerArguments& a,
                      const KernelContext& context) {
  check_mixer(who, options, a, context.threads);
  if (!has_backward(options.kind))
    throw Unsupported(
        fmt::format("{}: {} has no backward pass; axial, linear, ssd, gated_delta and "
                    "short_convolution have one",
                    who, word(options.kind)));
  if (a.pair_bias.data != nullptr)
    throw Unsupported(fmt::format("{}: axial with a pair bias has no backward pass", who));
}

void check_gradients(const MixerOptions& options, const MixerArguments& a,
                     const MixerGradients& gradients) {
  constexpr std::string_view kWho = "mix_backward";
  const MixerShape s = mixer_shape(options, a);
  require_extent(kWho, "d_out", gradients.d_out.extent,
                 {s.batch, s.q_heads, s.n_tokens, s.value_dim});
  if (options.kind == Mixer::short_convolution) {
    require_floats(kWho, "d_v", gradients.d_v, a.v.extent);
    return require_floats(kWho, "d_projection", gradients.d_projection,
                          {s.batch, s.q_heads, options.rank, s.value_dim});
  }
  require_floats(kWho, "d_q", gradients.d_q, a.q.extent);
  require_floats(kWho, "d_k", gradients.d_k, a.k.extent);
  require_floats(kWho, "d_v", gradients.d_v, a.v.extent);
  if (is_only_causal(options.kind))
    require_floats(kWho, "d_decay", gradients.d_decay, a.decay.extent);
  if (options.kind == Mixer::gated_delta)
    require_floats(kWho, "d_beta", gradients.d_beta, a.beta.extent);
}

}  // namespace
}  // namespace cpu

bool has_backward(Mixer kind) {
  return kind == Mixer::axial || kind == Mixer::linear || kind == Mixer::ssd ||
         kind == Mixer::gated_delta || kind == Mixer::short_convolution;
}

void mix_backward(const MixerOptions& options, const MixerArguments& arguments,
                  const MixerGradients& gradients, const KernelContext& context,
                  const MixerState* before, const MixerState* later) {
  cpu::require_backward("mix_backward", options, arguments, context);
  cpu::check_gradients(options, arguments, gradients);
  if (!options.causal && (before != nullptr || later != nullptr))
    throw std::invalid_argument("mix_backward: without a mask there are no earlier tokens");
  for (const MixerState* const state : {before, later})
    if (state != nullptr) check_state("mix_backward", options, arguments, *state);
  if (options.kind == Mixer::axial)
    return cpu::axial_backward(options, arguments, gradients, context);
  const auto given = [](const MixerState* state) { return state ? *state : MixerState{}; };
  if (options.kind == Mixer::short_convolution)
    return cpu::convolve_backward(arguments, gradients, context, given(before).matrix,
                                  given(later).matrix, {});
  cpu::run_groups(options, arguments, gradients, {given(before), given(later), {}}, context);
}

void mix_state_backward(const MixerOptions& options, const MixerArguments& arguments,
                        const TensorView& d_out, const KernelContext& context,
                        const MixerState* before, const MixerState& own, const MixerState& state) {
  constexpr std::string_view kWho = "mix_state_backward";
  cpu::require_backward(kWho, options, arguments, context);
  if (!options.causal)
    throw std::invalid_argument("mix_state_backward: without a mask there are no earlier tokens");
  for (const MixerState* const one : {&own, &state}) check_state(kWho, options, arguments, *one);
  const MixerState given = before == nullptr ? MixerState{} : *before;
  if (options.kind == Mixer::short_convolution)
    return cpu::convolve_backward(arguments, {.d_out = d_out}, context, given.matrix, {},
                                  state.matrix);
  cpu::run_groups(options, arguments, {.d_out = d_out}, {given, {}, state}, context);
  if (!context.computes) return;
  if (options.kind == Mixer::ssd) copy_rows(own.vector, state.vector);
  if (options.kind != Mixer::gated_delta) return;
  const std::int64_t d = own.vector.extent.length;
  for (std::int64_t b = 0; b < own.vector.extent.batch; ++b)
    for (std::int64_t h = 0; h < own.vector.extent.heads; ++h)
      for (std::int64_t i = 0; i < d * d; ++i)
        state.vector.row_as<float>(b, h, i / d)[i % d] =
            own.vector.row_as<float>(b, h, i % d)[i / d];
}

}  // namespace qb
