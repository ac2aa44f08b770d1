// These calls tell a device what a transformer layer computes besides attention. Matrices are
// row-major, of one type, and their rows lie one after another. kernels/cpu/layer_parts.h describes
// the same computations in float32 on the host; here the inputs are f16, bf16 or f32 in the
// device's memory, and the arithmetic is float32.
#pragma once

#include <cstdint>

#include "kernels/dtype.h"

namespace qb {

// y [rows, out] := x [rows, in] weight^T + bias. Rows of y are y_stride elements apart; bias may be
// nullptr.
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

// y [rows, width] := gelu(y + bias)
struct GeluCall {
  DType dtype = DType::f32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  void* y = nullptr;
  const void* bias = nullptr;
};

// y [rows, width] := norm(y + bias + residual) scale + shift
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
