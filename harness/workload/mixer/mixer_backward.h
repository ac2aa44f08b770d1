// SPDX-License-Identifier: Apache-2.0
// The backward pass of an operator on one worker, from the inputs and dO alone: mix_backward()
// keeps nothing of a forward pass.
#pragma once

#include "harness/workload/mixer/crew_member.h"

namespace qb {

class MixerBackward final : public CrewMember {
 public:
  using CrewMember::CrewMember;

  [[nodiscard]] int rounds() const override { return 0; }

 private:
  void compute(int /*round*/, const Tools& tools) override {
    time([&] {
      tools.device.mix_backward(problem_.options, arguments_, gradients_, context(tools));
    });
  }
};

}  // namespace qb
