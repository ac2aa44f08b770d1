// SPDX-License-Identifier: Apache-2.0
#include "kernels/mixer/backward.h"

#include <algorithm>

#include "base/status.h"
#include "kernels/cpu/call_checks.h"
#include "kernels/mixer/mix_parts.h"
#include "kernels/mixer/stack_allocator.h"

namespace qb {
namespace cpu {

std::int64_t MixerScratch::carve(const ChunkTask& task, float* memory, MixerScratch& s) {
  const std::int64_t c = chunk_columns(task);
  const std::int64_t f = round_up(task.features(), kMixerColumns);
  const std::int64_t p = round_up(task.a.v.extent.head_dim, kMixerColumns);
  const std::int64_t delta = task.is_delta() ? 1 : 0;
  const std::int64_t chunks = ceil_div(task.a.k.extent.length, task.chunk());
  return carve_floats(memory, {{&s.d_out, c * p},
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
}

namespace {

// The backward pass of the query heads of one key-value head.
void run_group(const MixerOptions& options, const MixerArguments& a,
               const MixerGradients& gradients, const KernelContext& context) {
  const ExponentialFeatures none{};
  const ChunkTask task{options, a, none};
  const std::int64_t n = a.k.extent.length;
  const std::int64_t segment = options.causal ? task.chunk() : n;
  std::vector<OwnState> states;
  if (!task.is_delta())
    states = SegmentedCall(options, a, context, none, segment)
                 .states_before(nullptr, options.causal ? ceil_div(n, segment) - 1 : 1);
  ChunkScratch scratch{};
  MixerScratch more{};
  const std::int64_t of_chunks = ChunkScratch::carve(task, nullptr, scratch);
  const std::int64_t floats = of_chunks + MixerScratch::carve(task, nullptr, more);
  const Buffer memory(context.workspace, static_cast<std::size_t>(4 * floats), "mixer_chunks",
                      context.worker);
  if (!context.computes) return;
  (void)ChunkScratch::carve(task, memory.as<float>(), scratch);
  (void)MixerScratch::carve(task, memory.as<float>() + of_chunks, more);
  for (std::int64_t head = 0; head < a.q.extent.heads; ++head)
    run_backward(
        {{options, a, none, 0, head, nullptr, nullptr, true, true}, gradients, states, head > 0},
        scratch, more);
}

void check_gradients(const MixerOptions& options, const MixerArguments& a,
                     const MixerGradients& gradients) {
  constexpr std::string_view kWho = "mix_backward";
  Extent rows = a.q.extent;
  rows.head_dim = a.v.extent.head_dim;
  require_extent(kWho, "d_out", gradients.d_out.extent, rows);
  require_floats(kWho, "d_q", gradients.d_q, a.q.extent);
  require_floats(kWho, "d_k", gradients.d_k, a.k.extent);
  require_floats(kWho, "d_v", gradients.d_v, a.v.extent);
  if (is_recurrent(options.kind))
    require_floats(kWho, "d_decay", gradients.d_decay, a.decay.extent);
  if (options.kind == Mixer::gated_delta)
    require_floats(kWho, "d_beta", gradients.d_beta, a.beta.extent);
}

}  // namespace
}  // namespace cpu

void mix_backward(const MixerOptions& options, const MixerArguments& arguments,
                  const MixerGradients& gradients, const KernelContext& context) {
  check_mixer("mix_backward", options, arguments, context.threads);
  const bool is_axial = options.kind == Mixer::axial;
  if (!is_axial && options.kind != Mixer::linear && options.kind != Mixer::ssd &&
      options.kind != Mixer::gated_delta)
    throw Unsupported("mix_backward: " + std::string(word(options.kind)) +
                      " has no backward pass; axial, linear, ssd and gated_delta have one");
  if (arguments.pair_bias.data != nullptr)
    throw Unsupported("mix_backward: axial with a pair bias has no backward pass");
  cpu::check_gradients(options, arguments, gradients);
  if (is_axial) return cpu::axial_backward(options, arguments, gradients, context);
  const std::int64_t heads = arguments.k.extent.heads;
  const std::int64_t group = arguments.q.extent.heads / heads;
  const std::int64_t items = arguments.k.extent.batch * heads;
  cpu::for_each_item(items, static_cast<int>(std::min<std::int64_t>(items, context.threads)),
                     "mixer_chunks", context, [&](std::int64_t item, const KernelContext& of_item) {
                       const auto some = [&](const TensorView& view, bool of_queries) {
                         const std::int64_t count = of_queries ? group : 1;
                         return cpu::heads_of(view, item / heads, item % heads * count, count);
                       };
                       MixerArguments a = arguments;
                       MixerGradients g = gradients;
                       for (TensorView* const view :
                            {&a.q, &a.decay, &a.beta, &g.d_out, &g.d_q, &g.d_decay, &g.d_beta})
                         *view = some(*view, true);
                       for (TensorView* const view : {&a.k, &a.v, &g.d_k, &g.d_v})
                         *view = some(*view, false);
                       KernelContext alone = of_item;
                       alone.threads = 1;
                       cpu::run_group(options, a, g, alone);
                     });
}

}  // namespace qb
