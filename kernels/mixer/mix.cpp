// SPDX-License-Identifier: Apache-2.0
// Divides the calls of mixing operators among threads: each takes heads, and segments of the tokens
// where there are fewer heads than threads.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/merge.h"
#include "kernels/mixer/checks.h"
#include "kernels/mixer/chunks.h"
#include "kernels/mixer/landmarks.h"
#include "kernels/mixer/scan.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

using cpu::ChunkScratch;
using cpu::ChunkTask;

// sqrt(scale) log2(e) omega^T, in rows of whole vectors.
Buffer transposed_omega(const MixerOptions& options, const MixerArguments& a,
                        const KernelContext& context) {
  if (options.kind != Mixer::performer) return {};
  const std::int64_t width = round_up(options.rank, cpu::kMixerColumns);
  const std::int64_t d = a.k.extent.head_dim;
  Buffer omega(context.workspace, static_cast<std::size_t>(4 * d * width), "omega", context.worker);
  std::fill_n(omega.as<float>(), d * width, 0.0f);
  const double factor = std::sqrt(a.scale) * std::numbers::log2e;
  for (std::int64_t r = 0; r < options.rank; ++r)
    for (std::int64_t x = 0; x < d; ++x)
      omega.as<float>()[x * width + r] =
          static_cast<float>(factor * static_cast<double>(a.projection.row_as<float>(0, 0, r)[x]));
  return omega;
}

// A state that owns its memory.
struct OwnState {
  OwnState(const MixerOptions& options, const MixerShape& shape, const KernelContext& context)
      : matrix(context.workspace, DType::f32, mixer_state_extents(options, shape).matrix, "state",
               context.worker),
        vector(context.workspace, DType::f32, mixer_state_extents(options, shape).vector, "state",
               context.worker),
        view{matrix.view(), vector.view()} {}
  Tensor matrix;
  Tensor vector;
  MixerState view;
};

// A call in chunks. A segment begins with the state of the segments before it, whose own states are
// made first.
class SegmentedCall {
 public:
  SegmentedCall(const MixerOptions& options, const MixerArguments& arguments,
                const KernelContext& context)
      : options_(options),
        a_(arguments),
        context_(context),
        shape_(mixer_shape(options, arguments)),
        omega_(transposed_omega(options, arguments, context)) {
    constexpr std::int64_t kLeastChunks = 4;  // of a segment
    const std::int64_t chunks = ceil_div(shape_.n_tokens, options.chunk);
    const std::int64_t wanted = ceil_div(context.threads, shape_.batch * shape_.kv_heads);
    const std::int64_t most = std::clamp<std::int64_t>(chunks / kLeastChunks, 1, wanted);
    tokens_ = ceil_div(chunks, most) * options.chunk;
    segments_ = ceil_div(shape_.n_tokens, tokens_);
    ChunkScratch scratch{};
    floats_ = ChunkScratch::carve(ChunkTask{options_, a_, 0, 0}, nullptr, scratch);
    memory_ = Buffer(context.workspace, static_cast<std::size_t>(4 * floats_ * context.threads),
                     "mixer_chunks", context.worker);
  }

  void mix(const MixerState* before, const MixerState* after) {
    const std::vector<OwnState> states =
        states_before(before, segments_ - (options_.causal ? 1 : 0));
    for_each_task(segments_, shape_.q_heads, [&](std::int64_t segment, ChunkTask& task) {
      task.before =
          &states[options_.causal ? static_cast<std::size_t>(segment) : states.size() - 1].view;
      task.attends = true;
      task.absorbs = options_.causal;
      // Query heads that share keys have one state.
      const bool ends = options_.causal && segment + 1 == segments_;
      if (ends && task.head == task.state_head() * (shape_.q_heads / state_heads()))
        task.after = after;
    });
    if (after != nullptr && !options_.causal) store(states.back().view, *after);
  }

  void sum(const MixerState& state) { store(states_before(nullptr, segments_).back().view, state); }

 private:
  [[nodiscard]] std::int64_t state_heads() const {
    return mixer_state_extents(options_, shape_).matrix.heads;
  }
  static void store(const MixerState& from, const MixerState& to) {
    copy_rows(from.matrix, to.matrix);
    copy_rows(from.vector, to.vector);
  }

  // Calls prepare(segment, task) for the first segments of all these heads, and runs the tasks.
  template <class Prepare>
  void for_each_task(std::int64_t segments, std::int64_t heads, Prepare prepare) {
    parallel_for(shape_.batch * heads * segments, context_.threads, 1,
                 [&](std::int64_t item, std::int64_t, int thread) {
                   const std::int64_t segment = item % segments;
                   const std::int64_t first = segment * tokens_;
                   const MixerArguments part =
                       tokens_of(first, std::min(tokens_, shape_.n_tokens - first));
                   ChunkTask task{options_, part, item / segments / heads,
                                  item / segments % heads * (shape_.q_heads / heads)};
                   task.omega = omega_.as<float>();
                   prepare(segment, task);
                   ChunkScratch scratch{};
                   (void)ChunkScratch::carve(task, memory_.as<float>() + thread * floats_, scratch);
                   cpu::run_chunks(task, scratch);
                 });
  }

  [[nodiscard]] MixerArguments tokens_of(std::int64_t first, std::int64_t count) const {
    MixerArguments part = a_;
    for (TensorView* const view : {&part.q, &part.k, &part.v, &part.decay, &part.out})
      if (view->data != nullptr) *view = view->tokens(first, count);
    return part;
  }

  // Returns the states before each of the first `count` segments and after the last of them.
  std::vector<OwnState> states_before(const MixerState* before, std::int64_t count) {
    std::vector<OwnState> own;
    std::vector<OwnState> states;
    for (std::int64_t s = 0; s < count; ++s) own.emplace_back(options_, shape_, context_);
    for_each_task(count, state_heads(), [&](std::int64_t segment, ChunkTask& task) {
      task.after = &own[static_cast<std::size_t>(segment)].view;
      task.absorbs = true;
    });
    for (std::int64_t s = 0; s <= count; ++s) {
      const OwnState& state = states.emplace_back(options_, shape_, context_);
      if (s == 0 && before == nullptr)
        clear_state(options_, state.view);
      else
        store(s == 0 ? *before : states[static_cast<std::size_t>(s - 1)].view, state.view);
      if (s > 0) append_state(options_, state.view, own[static_cast<std::size_t>(s - 1)].view);
    }
    return states;
  }

  const MixerOptions& options_;
  const MixerArguments& a_;
  const KernelContext& context_;
  const MixerShape shape_;
  const Buffer omega_;
  std::int64_t tokens_ = 0;  // of a segment
  std::int64_t segments_ = 0;
  std::int64_t floats_ = 0;  // of a thread's scratch memory
  Buffer memory_;
};

}  // namespace

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
    case Mixer::selective_scan:
      return cpu::scan(arguments, context, before, after);
    case Mixer::performer:
      if (!options.causal) return cpu::mix_performer(options, arguments, context, before, after);
      break;
    case Mixer::linear:
    case Mixer::ssd:
      break;
  }
  SegmentedCall(options, arguments, context).mix(before, after);
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
  if (options.kind == Mixer::performer) return cpu::sum_performer(arguments, context, state);
  SegmentedCall(options, arguments, context).sum(state);
}

}  // namespace qb
