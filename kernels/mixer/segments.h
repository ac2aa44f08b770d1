// SPDX-License-Identifier: Apache-2.0
// Divides operators in chunks among threads: each takes heads, and segments of the tokens where
// there are fewer heads than threads. A segment begins with the state of the segments before it,
// whose own states are made first.
#pragma once

#include <vector>

#include "kernels/mixer/chunks.h"

namespace qb::cpu {

// A state that owns its memory.
struct OwnState {
  OwnState(const MixerStateExtents& extents, const KernelContext& context);
  Tensor matrix;
  Tensor vector;
  MixerState view;
};

// The arguments must outlive it.
class SegmentedCall {
 public:
  // segment_tokens 0: as many as the threads need.
  SegmentedCall(const MixerOptions& options, const MixerArguments& arguments,
                const KernelContext& context, const ExponentialFeatures& exponential = {},
                std::int64_t segment_tokens = 0);

  // As the functions of mixer.h; mix() where the operator is causal.
  void mix(const MixerState* before, const MixerState* after);
  void sum(const MixerState& state);
  // out := what the queries make of this state.
  void attend(const MixerState& state);
  // Returns the states before each of the first `count` segments and after the last of them.
  [[nodiscard]] std::vector<OwnState> states_before(const MixerState* before, std::int64_t count);

 private:
  template <class Prepare>
  void for_each_task(std::int64_t segments, std::int64_t heads, Prepare prepare);
  [[nodiscard]] MixerArguments tokens_of(std::int64_t segment) const;

  const MixerOptions options_;
  const MixerArguments& a_;
  const KernelContext& context_;
  const ExponentialFeatures exponential_;
  const MixerShape shape_;
  const MixerStateExtents extents_;
  std::int64_t tokens_ = 0;  // of a segment
  std::int64_t segments_ = 0;
  std::int64_t floats_ = 0;  // of a thread's scratch memory
  Buffer memory_;
};

}  // namespace qb::cpu
