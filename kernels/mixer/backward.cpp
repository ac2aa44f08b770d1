// SPDX-License-Identifier: Apache-2.0
#include "kernels/mixer/backward.h"

#include <algorithm>

#include "base/status.h"
#include "kernels/cpu/call_checks.h"
#include "kernels/merge.h"
#include "kernels/mixer/checks.h"
#include "kernels/parallel.h"

namespace qb {
namespace cpu {

std::int64_t BackwardScratch::carve(const ChunkTask& task, float* memory, BackwardScratch& s) {
  const std::int64_t c = chunk_columns(task);
  const std::int64_t f = round_up(task.features(), kMixerColumns);
  const std::int64_t p = round_up(task.a.v.extent.head_dim, kMixerColumns);
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
                               {&s.later_pairs, c}});
}

namespace {

// State `at` of a batch of them, whatever head is asked for.
MixerState one_of(const MixerState& states, std::int64_t at) {
  MixerState one = states;
  for (TensorView* const view : {&one.matrix, &one.vector}) {
    view->data = view->row(at, 0, 0);
    view->batch_stride = view->head_stride = 0;
  }
  return one;
}

// The backward pass of one thread, whose memory is kept from head to head.
class HeadsBackward {
 public:
  HeadsBackward(const MixerOptions& options, const MixerArguments& a,
                const MixerGradients& gradients, const KernelContext& context)
      : options_(options), a_(a), gradients_(gradients) {
    const ChunkTask task{options_, a_, none_};
    n_states_ = options.causal ? ceil_div(a.k.extent.length, task.chunk()) + 1 : 2;
    const Extent extent{n_states_, 1, a.k.extent.head_dim, a.v.extent.head_dim};
    matrices_ = Tensor(context.workspace, DType::f32, extent, "states", context.worker);
    vectors_ = Tensor(context.workspace, DType::f32, {n_states_, 1, extent.length, 1}, "states",
                      context.worker);
    const std::int64_t of_chunks = ChunkScratch::carve(task, nullptr, scratch_);
    const std::int64_t all = of_chunks + BackwardScratch::carve(task, nullptr, more_);
    memory_ = Buffer(context.workspace, static_cast<std::size_t>(4 * all), "mixer_chunks",
                     context.worker);
    (void)ChunkScratch::carve(task, memory_.as<float>(), scratch_);
    (void)BackwardScratch::carve(task, memory_.as<float>() + of_chunks, more_);
  }

  void run(std::int64_t batch, std::int64_t kv_head) {
    const std::int64_t group = a_.q.extent.heads / a_.k.extent.heads;
    for (std::int64_t member = 0; member < group; ++member) {
      const ChunkTask task{options_, a_, none_, batch, kv_head * group + member};
      if (member == 0 || options_.kind == Mixer::ssd) make_states(task);
      const MixerState states{matrices_.view(), vectors_.view()};
      const MixerState& used = options_.causal ? states : one_of(states, 1);
      run_backward({task, gradients_, used, member > 0}, scratch_, more_);
    }
  }

 private:
  void make_states(const ChunkTask& of_head) {
    const MixerState states{matrices_.view(), vectors_.view()};
    const std::int64_t n = a_.k.extent.length;
    const std::int64_t step = options_.causal ? of_head.chunk() : n;
    clear_state(options_, one_of(states, 0));
    for (std::int64_t at = 0; at + 1 < n_states_; ++at) {
      MixerArguments part = a_;
      for (TensorView* const view : {&part.q, &part.k, &part.v, &part.decay})
        if (view->data != nullptr) *view = view->tokens(at * step, std::min(step, n - at * step));
      const MixerState before = one_of(states, at);
      const MixerState after = one_of(states, at + 1);
      ChunkTask task{options_, part, none_, of_head.batch, of_head.head, &before, &after};
      task.absorbs = true;
      run_chunks(task, scratch_);
    }
  }

  const MixerOptions& options_;
  const MixerArguments& a_;
  const MixerGradients& gradients_;
  const ExponentialFeatures none_{};
  std::int64_t n_states_ = 0;
  Tensor matrices_;
  Tensor vectors_;
  ChunkScratch scratch_{};
  BackwardScratch more_{};
  Buffer memory_;
};

void check_gradients(const MixerOptions& options, const MixerArguments& a,
                     const MixerGradients& gradients) {
  constexpr std::string_view kWho = "mix_backward";
  Extent rows = a.q.extent;
  rows.head_dim = a.v.extent.head_dim;
  require_extent(kWho, "d_out", gradients.d_out.extent, rows);
  require_floats(kWho, "d_q", gradients.d_q, a.q.extent);
  require_floats(kWho, "d_k", gradients.d_k, a.k.extent);
  require_floats(kWho, "d_v", gradients.d_v, a.v.extent);
  if (options.kind == Mixer::ssd)
    require_floats(kWho, "d_decay", gradients.d_decay, a.decay.extent);
}

}  // namespace
}  // namespace cpu

void mix_backward(const MixerOptions& options, const MixerArguments& arguments,
                  const MixerGradients& gradients, const KernelContext& context) {
  check_mixer("mix_backward", options, arguments, context.threads);
  if (options.kind != Mixer::linear && options.kind != Mixer::ssd)
    throw Unsupported("mix_backward: " + std::string(word(options.kind)) +
                      " has no backward pass; linear and ssd have one");
  cpu::check_gradients(options, arguments, gradients);
  const Extent& k = arguments.k.extent;
  const auto threads = static_cast<int>(std::min<std::int64_t>(context.threads, k.batch * k.heads));
  std::vector<std::unique_ptr<cpu::HeadsBackward>> of_threads;
  for (int thread = 0; thread < threads; ++thread)
    of_threads.push_back(
        std::make_unique<cpu::HeadsBackward>(options, arguments, gradients, context));
  parallel_for(k.batch * k.heads, threads, 1, [&](std::int64_t item, std::int64_t, int thread) {
    of_threads[static_cast<std::size_t>(thread)]->run(item / k.heads, item % k.heads);
  });
}

}  // namespace qb
