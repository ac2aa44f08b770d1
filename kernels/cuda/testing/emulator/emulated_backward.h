// SPDX-License-Identifier: Apache-2.0
// Compiles the kernels of the backward pass with a host compiler, over emulated_ptx.h, and launches
// them on emulated blocks as backward_kernels.h does on a GPU.
#pragma once

// The CUDA compiler does not have these warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/cuda/flash/backward/backward_pairs.cuh"
#include "kernels/cuda/flash/backward/backward_rows.cuh"
#include "kernels/cuda/flash/backward/backward_sm80.cuh"
#include "kernels/cuda/flash/backward/backward_sm90.cuh"
#pragma GCC diagnostic pop

#include "kernels/cuda/flash/backward/backward_kernels.h"
#include "kernels/cuda/testing/emulator/emulator.h"

namespace qb::cuda::emulator {

inline void run_backward_rows(const RowsParameters& p, unsigned seed) {
  launch(p.n_blocks, kRowsThreads, kRowsSharedBytes, seed,
         [&p] { RowsBlock(p, ptx::shared_base()).run(); });
}

inline void run_backward_sm80(const BackwardParameters& p, const BackwardKernel& kernel,
                              unsigned seed) {
  with_config<BackwardSm80, 256>(kernel.shape.padded_dim, kernel.bf16, [&](auto config) {
    using C = decltype(config);
    launch(p.n_items, C::kThreads, C::kSharedBytes, seed,
           [&p] { Sm80Backward<C>(p, ptx::shared_base()).run(); });
  });
}

inline void run_backward_sm90(const BackwardParameters& p, const BackwardMaps& maps,
                              const BackwardKernel& kernel, unsigned seed) {
  with_config<BackwardSm90, 128>(kernel.shape.padded_dim, kernel.bf16, [&](auto config) {
    using C = decltype(config);
    launch(p.n_items, C::kThreads, C::kSharedBytes, seed,
           [&] { Sm90Backward<C>(p, maps, ptx::shared_base()).run(); });
  });
}

inline void run_backward_pairs(const BackwardParameters& p, bool bf16, unsigned seed) {
  launch(p.n_items, kPairsThreads, kPairsSharedBytes, seed, [&p, bf16] {
    if (bf16)
      PairsBlock<true>(p, ptx::shared_base()).run();
    else
      PairsBlock<false>(p, ptx::shared_base()).run();
  });
}

}  // namespace qb::cuda::emulator
