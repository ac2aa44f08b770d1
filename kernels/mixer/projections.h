// SPDX-License-Identifier: Apache-2.0
// The vector code of project_tokens() and apply_nystrom_inverse() takes these.
#pragma once

#include "kernels/tensor.h"

namespace qb::cpu {

inline constexpr std::int64_t kProjectedTokens = 128;  // of a block of project_tokens()

// One head of apply_nystrom_inverse(), as tensors of one head.
struct InverseTask {
  TensorView queries;
  TensorView keys;
  TensorView values;
  TensorView out;
  double scale;
};

}  // namespace qb::cpu
