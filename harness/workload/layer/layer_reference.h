// The oracle of the transformer layer: float64, obvious and slow; it knows nothing of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/workload/layer/layer_shape.h"
#include "harness/workload/layer/layer_weights.h"
#include "kernels/mask/mask.h"

namespace qb {

struct LayerQuestion {
  const LayerShape& shape;
  const LayerWeights& weights;
  const float* x = nullptr;  // [batch, N, H]
  const Mask& mask;
  double scale = 1.0;
  // Weights and x are values of this type, and what a naive layer keeps between two steps is
  // rounded to it; f32, or f16 or bf16.
  DType dtype = DType::f32;
  bool eager = false;  // its scores too, see eager_rows()
};

// Rows of y, [batch, rows, H]: keys and values of every token, the rest of the given tokens.
[[nodiscard]] std::vector<double> reference_layer_rows(const LayerQuestion& question,
                                                       std::span<const std::int64_t> rows,
                                                       int threads = 1);

// The same rows by the same steps in float32, kept in question.dtype: how far a straightforward
// implementation is off.
[[nodiscard]] std::vector<double> naive_layer_rows(const LayerQuestion& question,
                                                   std::span<const std::int64_t> rows,
                                                   int threads = 1);

}  // namespace qb
