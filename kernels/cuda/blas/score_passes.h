// SPDX-License-Identifier: Apache-2.0
// Declares kernel materialized's passes over its score matrix. This host header needs no CUDA.
#pragma once

#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb::cuda {

// A score matrix [slices, rows, columns], contiguous; slices = batch x heads.
struct Scores {
  void* data = nullptr;
  std::int64_t slices = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  [[nodiscard]] std::int64_t elements() const { return slices * rows * columns; }
};

struct DeviceSchedule {  // a tile schedule in device memory
  const QueryTile* tiles = nullptr;
  std::int64_t n_tiles = 0;
  const KeySpan* spans = nullptr;
  const std::uint64_t* words = nullptr;
};

void scale_pass(DType dtype, const Scores& from, const Scores& to, float scale, void* stream);
// scores += bias, a matrix [rows, columns] for every slice.
void bias_pass(DType dtype, const Scores& scores, const void* bias, void* stream);
// Sets scores to -inf where no span allows the pair.
void mask_pass(DType dtype, const Scores& scores, const DeviceSchedule& schedule, void* stream);
// to = softmax of each row of from; lse is [b,h,n,1]. A row of -inf gives 0 and -inf.
void softmax_pass(DType dtype, const Scores& from, const Scores& to, const TensorView& lse,
                  void* stream);

}  // namespace qb::cuda
