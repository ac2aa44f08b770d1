// SPDX-License-Identifier: Apache-2.0
// The inputs of a problem, all three.
#pragma once

#include "harness/verify/inputs.h"

namespace qb {

struct Inputs {
  Tensor q;
  Tensor k;
  Tensor v;
};

[[nodiscard]] inline Inputs make_inputs(const Problem& problem, Allocator& allocator, int threads) {
  return {make_input(problem, TensorRole::q, allocator, threads, "q"),
          make_input(problem, TensorRole::k, allocator, threads, "k"),
          make_input(problem, TensorRole::v, allocator, threads, "v")};
}

}  // namespace qb
