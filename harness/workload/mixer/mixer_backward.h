// SPDX-License-Identifier: Apache-2.0
// The backward pass of an operator on one worker: dO, which it takes, and the gradients, which it
// writes. It begins with the inputs and dO alone, since mix_backward() keeps nothing of a forward
// pass. Its tensors belong to no worker:
//   d_out                the seeded dO of attention over the same problem (verify/inputs.h)
//   d_q, d_k, d_v, and d_decay of an ssd
#pragma once

#include <vector>

#include "harness/execute/device/mixer_device.h"
#include "harness/execute/verify/verify.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

class MixerBackward {
 public:
  // Takes the memory, fills d_out and poisons the gradients. The references must outlive it.
  MixerBackward(const MixerProblem& problem, const MixerArguments& inputs, Allocator& memory,
                int threads);

  // Computes once and returns the wall clock.
  [[nodiscard]] double run(MixerDevice& device, int threads) const;

  // Adds the errors of the gradients to the verification of the output, and what is wrong with
  // them. Every element must be finite. Where `compares`, all tokens of some heads (those of
  // groups_to_verify()) are compared with mix_backward_reference() by the limits of
  // verify_gradients.h, where s is that of attention, and of an ssd the size of one pair's term.
  void verify(bool compares, int threads, Verification& verification) const;

 private:
  [[nodiscard]] TensorView take(DType dtype, const Extent& extent, const char* label);

  const MixerProblem& problem_;
  const MixerArguments& inputs_;
  Allocator& memory_;
  std::vector<Tensor> owned_;
  MixerGradients gradients_;
};

}  // namespace qb
