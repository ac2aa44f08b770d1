// The middle stage of kernel staged; private to it. A plain host header.
#pragma once

#include "kernels/cuda/blas/staged_tile.h"
#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb::cuda {

// In device memory: the tiles, those of short rows first, and of each head of each sequence its
// scores, which become weights of type `dtype` in place.
struct StagedSoftmax {
  const StagedTile* tiles = nullptr;
  std::int64_t n_tiles = 0;
  std::int64_t n_short = 0;
  std::int64_t rows_of_a_tile = 0;  // at most
  const KeySpan* spans = nullptr;
  const std::uint64_t* words = nullptr;
  float* scores = nullptr;
  std::int64_t scores_of_a_head = 0;
  float scale = 1.0F;
  DType dtype = DType::f32;
  TensorView lse;  // f32
};

// A block row without a key that is seen becomes 0 and -inf.
void staged_softmax(const StagedSoftmax& call, void* stream);

}  // namespace qb::cuda
