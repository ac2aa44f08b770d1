// SPDX-License-Identifier: Apache-2.0
// Turns the type and head dimension of a backward kernel into template arguments.
#pragma once

#include "kernels/cuda/flash/backward/backward_kernels.h"

namespace qb::cuda {

// A Config is BackwardSm80 or BackwardSm90, whose largest head dimension is kMostDim.
template <template <bool, int> class Config, int kMostDim, bool kBf16, class Function>
void with_backward_dim(int padded_dim, Function function) {
  if (padded_dim == 64)
    function(Config<kBf16, 64>{});
  else if (padded_dim == 128)
    function(Config<kBf16, 128>{});
  else if constexpr (kMostDim == 256)
    function(Config<kBf16, 256>{});
}

// Calls function(config) with the Config of the compiled kernel.
template <template <bool, int> class Config, int kMostDim, class Function>
void with_backward_config(const BackwardKernel& kernel, Function function) {
  if (kernel.bf16)
    with_backward_dim<Config, kMostDim, true>(kernel.shape.padded_dim, function);
  else
    with_backward_dim<Config, kMostDim, false>(kernel.shape.padded_dim, function);
}

}  // namespace qb::cuda
