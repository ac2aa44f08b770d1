// SPDX-License-Identifier: Apache-2.0
// Launches of the compiled kernels of the backward pass, for the host code around them.
#pragma once

#include "kernels/cuda/flash/backward/backward_parameters.h"
#include "kernels/cuda/flash/backward/backward_work.h"

namespace qb::cuda {

struct BackwardKernel {
  BackwardShape shape;
  bool bf16 = true;  // f16 if false
};

// Does what the first launch of a kernel on the current device needs; later calls cost nothing.
void prepare_backward_sm80(const BackwardKernel& kernel);
void prepare_backward_sm90(const BackwardKernel& kernel);

// These launch a block for each item.
void launch_backward_sm80(const BackwardParameters& parameters, const BackwardKernel& kernel,
                          void* stream);
void launch_backward_sm90(const BackwardParameters& parameters, const BackwardMaps& maps,
                          const BackwardKernel& kernel, void* stream);
// Adds the steps that the kernels above leave out (backward_step.cuh).
void launch_backward_pairs(const BackwardParameters& parameters, bool bf16, void* stream);
// Prepares the rows of one side.
void launch_backward_rows(const RowsParameters& parameters, void* stream);

// Turns the head dimension of a backward kernel into a template argument. A Config is BackwardSm80
// or BackwardSm90, whose largest head dimension is kMostDim.
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
