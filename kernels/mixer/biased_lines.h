// SPDX-License-Identifier: Apache-2.0
// Attention with a pair bias within lines of consecutive tokens: the row pass of axial (mixer.h).
#pragma once

#include "kernels/mixer/mixer.h"

namespace qb::cpu {

// out := softmax(scale Q K^T + pair_bias) V within each line of `length` tokens; the arguments have
// been checked.
void attend_biased_lines(const MixerArguments& a, std::int64_t length,
                         const KernelContext& context);

}  // namespace qb::cpu
