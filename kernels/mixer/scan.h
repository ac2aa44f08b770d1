// SPDX-License-Identifier: Apache-2.0
// The selective scan of Mamba-1, on checked arguments.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/integers.h"
#include "kernels/mixer/chunks.h"

namespace qb::cpu {

// Some channels of a head over all tokens.
struct ScanTask {
  const MixerArguments& a;
  std::int64_t batch;
  std::int64_t head;
  std::int64_t first_channel;
  const MixerState* before;  // nullptr: no tokens
  const MixerState* after;   // nullptr: it is not wanted

  static constexpr std::int64_t kTokens = 64;  // of a block
  static constexpr std::int64_t kChannels = 64;

  [[nodiscard]] std::int64_t channels() const {
    return std::min(kChannels, a.v.extent.head_dim - first_channel);
  }
  // Floats of scratch memory: delta, x and out of a block; rates and state; q and k of a block.
  [[nodiscard]] static std::int64_t floats(std::int64_t state_size) {
    return (3 * kTokens + 2 * state_size + 1) * kChannels +
           2 * kTokens * round_up(state_size, kMixerColumns);
  }
};

// Computes out unless it has no data. before and after may be nullptr.
void scan(const MixerArguments& arguments, const KernelContext& context, const MixerState* before,
          const MixerState* after);

}  // namespace qb::cpu
