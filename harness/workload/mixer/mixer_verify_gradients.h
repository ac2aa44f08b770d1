// SPDX-License-Identifier: Apache-2.0
// Judges the gradients of an operator by its own float64 definition.
#pragma once

#include "harness/verify/verify.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

// Adds the errors of the gradients of all tokens to the verification of the output, and what is
// wrong with them. Every element must be finite. Where `compares`, all tokens of some heads (those
// of groups_to_verify()) are compared with mix_backward_reference() by the limits of
// verify_gradients.h, where s is that of attention, and of an ssd the size of one pair's term.
void verify_mixer_gradients(const MixerProblem& problem, const MixerTensors& tensors, bool compares,
                            int threads, Verification& verification);

}  // namespace qb
