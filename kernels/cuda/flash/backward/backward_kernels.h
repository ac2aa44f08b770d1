// SPDX-License-Identifier: Apache-2.0
// Launches of the compiled kernels of the backward pass, for the host code around them.
#pragma once

#include "kernels/cuda/flash/backward/backward_parameters.h"
#include "kernels/cuda/flash/backward/backward_work.h"
#include "kernels/cuda/flash/flash_kernels.h"

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

}  // namespace qb::cuda
