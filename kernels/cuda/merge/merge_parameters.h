// The host passes this to the merge kernel: which rows of the partials make up which output rows.
#pragma once

#include <cstdint>

#include "kernels/cuda/flash/flash_parameters.h"

namespace qb::cuda {

struct MergeParameters {
  // Describes output tokens token, token + stride, … (n_rows of them). Row r of it is merged from
  // row source_row + r of each source. Without sources it is the identity: O = 0, LSE = -inf.
  struct Tile {
    std::int32_t token = 0;
    std::int32_t stride = 1;
    std::int32_t n_rows = 0;
    std::int32_t source_row = 0;
    std::int32_t first_source = 0;
    std::int32_t n_sources = 0;
  };

  // These are rows of the partials, for query heads [head_begin, head_end).
  struct Source {
    std::int32_t row = 0;
    std::int32_t head_begin = 0;
    std::int32_t head_end = 0;
  };

  TensorAddress out;
  TensorAddress lse;
  TensorAddress part_out;
  TensorAddress part_lse;
  const Tile* tiles = nullptr;
  const Source* sources = nullptr;
  std::int32_t n_tiles = 0;
  std::int32_t heads = 0;  // heads of one sequence of the batch
  std::int32_t value_dim = 0;
  std::int32_t accumulate = 0;  // the output's present content is a source too
};

}  // namespace qb::cuda
