// These calls tell a device what a transformer layer computes besides attention. Matrices are
// row-major, of one type, and their rows lie one after another. On a GPU the inputs are f16, bf16
// or f32, and the arithmetic is float32; on the CPU (kernels/cpu/layer_parts.h) all is f32.
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

// y [rows, width] := gelu(y + bias), gelu(x) = x Phi(x) with the normal distribution function Phi:
// this is the exact form with erf that BERT uses.
struct GeluCall {
  DType dtype = DType::f32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  void* y = nullptr;
  const void* bias = nullptr;
};

// y [rows, width] := norm(y + bias + residual) scale + shift. The norm subtracts a row's mean and
// divides by the square root of variance + epsilon; the variance is the mean of the squared
// deviations, two-pass.
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
