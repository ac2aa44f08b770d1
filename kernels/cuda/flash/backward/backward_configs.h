// SPDX-License-Identifier: Apache-2.0
// Turns the type, head dimension and role of a backward kernel into template arguments.
#pragma once

#include "kernels/cuda/flash/backward/backward_kernels.h"

namespace qb::cuda {

// A Config is BackwardSm80 or BackwardSm90, whose largest head dimension is kMostDim.
template <template <bool, int, BackwardRole> class Config, int kMostDim, bool kBf16,
          BackwardRole kRole, class Function>
void with_backward_dim(int padded_dim, Function function) {
  if (padded_dim == 64)
    function(Config<kBf16, 64, kRole>{});
  else if (padded_dim == 128)
    function(Config<kBf16, 128, kRole>{});
  else if constexpr (kMostDim == 256)
    function(Config<kBf16, 256, kRole>{});
}

template <template <bool, int, BackwardRole> class Config, int kMostDim, bool kBf16, class Function>
void with_backward_role(const BackwardKernel& kernel, Function function) {
  const int dim = kernel.shape.padded_dim;
  switch (kernel.role) {
    case BackwardRole::keys:
      return with_backward_dim<Config, kMostDim, kBf16, BackwardRole::keys>(dim, function);
    case BackwardRole::keys_and_queries:
      return with_backward_dim<Config, kMostDim, kBf16, BackwardRole::keys_and_queries>(dim,
                                                                                        function);
    case BackwardRole::queries:
      return with_backward_dim<Config, kMostDim, kBf16, BackwardRole::queries>(dim, function);
  }
}

// Calls function(config) with the Config of the compiled kernel.
template <template <bool, int, BackwardRole> class Config, int kMostDim, class Function>
void with_backward_config(const BackwardKernel& kernel, Function function) {
  if (kernel.bf16)
    with_backward_role<Config, kMostDim, true>(kernel, function);
  else
    with_backward_role<Config, kMostDim, false>(kernel, function);
}

}  // namespace qb::cuda
