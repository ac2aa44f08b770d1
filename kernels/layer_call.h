// Says what a transformer layer computes besides attention. Matrices are contiguous, row-major and
// of one type: f16, bf16 or f32. The arithmetic is in float32.
#pragma once

#include <cstdint>

#include "kernels/dtype.h"

namespace qb {

// y [rows, out] := x [rows, in] weight^T + bias; weight [out, in], as frameworks store it. Rows of
// y are y_stride elements apart, and memory between them is not changed; bias may be nullptr.
struct LinearCall {
  DType dtype = DType::f32;
  std::int64_t rows = 0;
  std::int64_t in = 0;
  std::int64_t out = 0;
  const void* x = nullptr;
  const void* weight = nullptr;
  const void* bias = nullptr;
  void* y = nullptr;
  std::int64_t y_stride = 0;
};

// y [rows, width] := gelu(y + bias), in BERT's exact form x Phi(x), Phi the normal distribution.
struct GeluCall {
  DType dtype = DType::f32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  void* y = nullptr;
  const void* bias = nullptr;
};

// y [rows, width] := norm(y + bias + residual) scale + shift; norm(x) is (x - mean) / sqrt(variance
// + epsilon) over a row, and the variance the mean of the squared deviations, in two passes.
struct NormCall {
  DType dtype = DType::f32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  void* y = nullptr;
  const void* bias = nullptr;
  const void* residual = nullptr;
  const void* scale = nullptr;
  const void* shift = nullptr;
  double epsilon = 1e-12;
};

}  // namespace qb
