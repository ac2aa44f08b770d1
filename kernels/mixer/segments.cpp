// SPDX-License-Identifier: Apache-2.0
#include "kernels/mixer/segments.h"

#include <algorithm>

#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb::cpu {
namespace {

void copy_state(const MixerState& from, const MixerState& to) {
  copy_rows(from.matrix, to.matrix);
  copy_rows(from.vector, to.vector);
}

}  // namespace

OwnState::OwnState(const MixerStateExtents& extents, const KernelContext& context)
    : matrix(context.workspace, DType::f32, extents.matrix, "state", context.worker),
      vector(context.workspace, DType::f32, extents.vector, "state", context.worker),
      view{matrix.view(), vector.view()} {}

SegmentedCall::SegmentedCall(const MixerOptions& options, const MixerArguments& arguments,
                             const KernelContext& context, const ExponentialFeatures& exponential,
                             std::int64_t segment_tokens)
    : options_(options),
      a_(arguments),
      context_(context),
      exponential_(exponential),
      shape_(mixer_shape(options, arguments)),
      extents_(mixer_state_extents(options, shape_)) {
  constexpr std::int64_t kLeastChunks = 4;  // of a segment
  const std::int64_t chunks = ceil_div(shape_.n_tokens, options.chunk);
  const std::int64_t wanted = ceil_div(context.threads, shape_.batch * shape_.kv_heads);
  const std::int64_t most = std::clamp<std::int64_t>(chunks / kLeastChunks, 1, wanted);
  tokens_ = segment_tokens > 0 ? segment_tokens : ceil_div(chunks, most) * options.chunk;
  segments_ = ceil_div(shape_.n_tokens, tokens_);
  floats_ = ChunkScratch::carve({options_, a_, exponential_}, nullptr).floats;
  memory_ = Buffer(context.workspace, static_cast<std::size_t>(4 * floats_ * context.threads),
                   "mixer_chunks", context.worker);
}

void SegmentedCall::mix(const MixerState* before, const MixerState* after) {
  const std::vector<OwnState> states = states_before(before, segments_ - 1);
  for_each_task(segments_, shape_.q_heads, [&](std::int64_t segment, ChunkTask& task) {
    task.before = &states[static_cast<std::size_t>(segment)].view;
    task.attends = task.absorbs = true;
    // Query heads that share a state write it once.
    const std::int64_t sharing = shape_.q_heads / extents_.matrix.heads;
    if (segment + 1 == segments_ && task.head % sharing == 0) task.after = after;
  });
}

void SegmentedCall::sum(const MixerState& state) {
  const std::vector<OwnState> states = states_before(nullptr, segments_);
  if (context_.computes) copy_state(states.back().view, state);
}

void SegmentedCall::attend(const MixerState& state) {
  for_each_task(segments_, shape_.q_heads, [&](std::int64_t, ChunkTask& task) {
    task.before = &state;
    task.attends = true;
  });
}

// Calls prepare(segment, task) for the first segments of so many heads, and runs the tasks.
template <class Prepare>
void SegmentedCall::for_each_task(std::int64_t segments, std::int64_t heads, Prepare prepare) {
  if (!context_.computes) return;
  parallel_for(shape_.batch * heads * segments, context_.threads, 1,
               [&](std::int64_t item, std::int64_t, int thread) {
                 const MixerArguments part = tokens_of(item % segments);
                 const std::int64_t head = item / segments;
                 ChunkTask task{options_, part, exponential_, head / heads,
                                head % heads * (shape_.q_heads / heads)};
                 prepare(item % segments, task);
                 run_chunks(task,
                            ChunkScratch::carve(task, memory_.as<float>() + thread * floats_));
               });
}

MixerArguments SegmentedCall::tokens_of(std::int64_t segment) const {
  const std::int64_t first = segment * tokens_;
  MixerArguments part = a_;
  for (TensorView* const view : {&part.q, &part.k, &part.v, &part.decay, &part.beta, &part.out})
    if (view->data != nullptr)
      *view = view->tokens(first, std::min(tokens_, shape_.n_tokens - first));
  return part;
}

std::vector<OwnState> SegmentedCall::states_before(const MixerState* before, std::int64_t count) {
  std::vector<OwnState> own;
  std::vector<OwnState> states;
  for (std::int64_t s = 0; s < count; ++s) own.emplace_back(extents_, context_);
  for_each_task(count, extents_.matrix.heads, [&](std::int64_t segment, ChunkTask& task) {
    task.after = &own[static_cast<std::size_t>(segment)].view;
    task.absorbs = true;
  });
  for (std::int64_t s = 0; s <= count; ++s) states.emplace_back(extents_, context_);
  if (!context_.computes) return states;
  if (before == nullptr)
    clear_state(options_, states.front().view);
  else
    copy_state(*before, states.front().view);
  for (std::size_t s = 0; s < own.size(); ++s) {
    copy_state(states[s].view, states[s + 1].view);
    append_state(options_, states[s + 1].view, own[s].view);
  }
  return states;
}

}  // namespace qb::cpu
