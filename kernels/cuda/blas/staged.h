// Sparse attention on a GPU in three stages over a block-compressed matrix of scores: what fusing
// is measured against. A plain host header.
#pragma once

#include "kernels/cuda/blas/blas.h"
#include "kernels/cuda/cuda_kernels.h"

namespace qb::cuda {

// As qb::attention with kernel staged, on device views of f16, bf16 or f32; any head_dim. The
// products are cuBLAS's, a batch for all blocks of one shape; scores are float32, weights of the
// inputs' type. Throws Unsupported for f64, OutOfMemory from the workspace.
void staged(const AttentionArguments& device_views, const LaunchContext& context, Blas& blas,
            const OnStage& on_stage);

}  // namespace qb::cuda
