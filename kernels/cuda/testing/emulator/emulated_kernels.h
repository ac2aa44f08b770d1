// SPDX-License-Identifier: Apache-2.0
// Compiles the kernels' own source with a host compiler, over emulated_ptx.h.
#pragma once

// The CUDA compiler does not have these warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/cuda/flash/flash_sm80.cuh"
#include "kernels/cuda/flash/flash_sm90.cuh"
#include "kernels/cuda/merge/merge.cuh"
#pragma GCC diagnostic pop
