// SPDX-License-Identifier: Apache-2.0
// Judges the output and the gradients of an operator by its own float64 definition, and says how
// far the output is from attention.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/verify/verify.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

// Every element must be finite; the given rows are compared with mix_reference(). Rows of causal
// operators are judged among rows that see about as many tokens, as those of attention are, and may
// be off by four roundings of float32 of a term of their sums.
[[nodiscard]] Verification verify_mixer(const MixerProblem& problem,
                                        const MixerArguments& arguments,
                                        const std::vector<std::int64_t>& rows, int threads);

// ||out - O||_2 / ||O||_2 over the rows, where O is float64 softmax attention: causal if `mask`
// lets none of the rows see a later key, else full. Heads of a view may share rows (head_stride 0).
[[nodiscard]] double distance_to_attention(const TensorView& q, const TensorView& k,
                                           const TensorView& v, const TensorView& out,
                                           const Mask& mask, double scale,
                                           const std::vector<std::int64_t>& rows, int threads);

// The same for an operator.
[[nodiscard]] double distance_to_attention(const MixerProblem& problem,
                                           const MixerArguments& arguments,
                                           const std::vector<std::int64_t>& rows, int threads);

// Adds the errors of the gradients of all tokens to the verification of the output, and what is
// wrong with them. Every element must be finite. Where `compares`, all tokens of some heads (those
// of groups_to_verify()) are compared with mix_backward_reference() by the limits of
// verify_gradients.h, where s is that of attention, and of ssd and gated_delta the size of one
// pair's term.
void verify_mixer_gradients(const MixerProblem& problem, const MixerTensors& tensors, bool compares,
                            int threads, Verification& verification);

}  // namespace qb
