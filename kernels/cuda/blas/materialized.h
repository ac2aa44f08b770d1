// The baseline of the CQS-Attention case studies on a GPU. A plain host header.
#pragma once

#include "kernels/cuda/blas/blas.h"
#include "kernels/cuda/cuda_kernels.h"

namespace qb::cuda {

// As qb::attention with kernel materialized, on device views of f16, bf16 or f32; any head_dim.
// Throws Unsupported for f64, OutOfMemory from the workspace.
void materialized(const AttentionArguments& device_views, const LaunchContext& context, Blas& blas);

}  // namespace qb::cuda
