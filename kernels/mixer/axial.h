// SPDX-License-Identifier: Apache-2.0
// What mix() and mix_backward() call for axial, on arguments that they have checked. Both passes
// are the CPU's flash attention, unless rows have a pair bias; rows and columns are batches of
// strided views of the tensors.
#pragma once

#include "kernels/mixer/mixer.h"

namespace qb::cpu {

// The CPU's flash attention, or the memory alone that it takes.
void attend_flash(const AttentionArguments& arguments, const KernelContext& context);

// out := softmax(scale Q K^T + pair_bias) V within each line of `length` consecutive tokens.
void attend_biased_lines(const MixerArguments& a, std::int64_t length,
                         const KernelContext& context);

void mix_axial(const MixerOptions& options, const MixerArguments& arguments,
               const KernelContext& context);
// Computes both passes forward again and keeps their LSE. As in training, what one pass hands to
// the other is rounded to the inputs' type: Y, and the gradient of Y.
void axial_backward(const MixerOptions& options, const MixerArguments& arguments,
                    const MixerGradients& gradients, const KernelContext& context);

}  // namespace qb::cpu
