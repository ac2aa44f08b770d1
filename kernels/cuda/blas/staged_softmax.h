// Declares the tiles and the middle stage of kernel staged. The host and the device read it; no
// other kernel does.
#pragma once

#include <cstdint>

#include "kernels/cuda/runtime/host_device.h"
#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb::cuda {

// Query rows [begin, end) against the spans [first_span, first_span + n_spans) of the schedule.
struct StagedTile {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_span = 0;
  std::int64_t n_spans = 0;
  std::int64_t first_score = 0;  // position in a head's scores
  std::int64_t stride = 0;       // scores from one row to the next
};

// Returns the columns of a block with its padding, so that 16-bit weights fill multiples of 16
// bytes.
QB_HOST_DEVICE std::int64_t padded_keys(std::int64_t keys) { return (keys + 7) / 8 * 8; }

// Holds, in device memory, the tiles, those of short rows first, and the scores of each head of
// each sequence, which become weights of type `dtype` in place.
struct StagedSoftmax {
  const StagedTile* tiles = nullptr;
  std::int64_t n_tiles = 0;
  std::int64_t n_short = 0;
  std::int64_t rows_of_a_tile = 0;  // at most this many
  const KeySpan* spans = nullptr;
  const std::uint64_t* words = nullptr;
  float* scores = nullptr;
  std::int64_t scores_of_a_head = 0;
  float scale = 1.0F;
  DType dtype = DType::f32;
  TensorView lse;  // f32
};

// A row of a block that sees no key becomes 0 and -inf.
void staged_softmax(const StagedSoftmax& call, void* stream);

}  // namespace qb::cuda
