// SPDX-License-Identifier: Apache-2.0
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

// The backward passes. d_y is the gradient of a loss with respect to y, and so on. The gradients of
// weights, biases, scales and shifts are float32 sums whatever the type is: a call adds to them,
// and the caller clears them before the first.

// The gradients of a LinearCall:
//   d_weight [out, in] += d_y^T x      d_bias [out] += column sums of d_y
//   d_x [rows, in] := d_y weight, or d_x += d_y weight
// d_y has the call's type or is f32, and its rows are d_y_stride elements apart. d_x may be x
// itself unless it is added to: x is read first.
struct LinearBackwardCall {
  DType dtype = DType::f32;
  std::int64_t rows = 0;
  std::int64_t in = 0;
  std::int64_t out = 0;
  const void* x = nullptr;
  const void* weight = nullptr;
  DType d_y_dtype = DType::f32;
  const void* d_y = nullptr;
  std::int64_t d_y_stride = 0;
  void* d_x = nullptr;
  bool adds_to_d_x = false;
  float* d_weight = nullptr;
  float* d_bias = nullptr;
};

// d_y [rows, width] := d_y gelu'(x + bias), gelu'(x) = Phi(x) + x phi(x), phi the density of the
// normal distribution. x is what GeluCall got in y, and d_y becomes the gradient of that. The
// gradient of the bias is that of the product before it.
struct GeluBackwardCall {
  DType dtype = DType::f32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const void* x = nullptr;
  const void* bias = nullptr;
  void* d_y = nullptr;
};

// x is what NormCall got in y. With n = norm(x + bias + residual), computed again with its
// statistics, and g = d_y scale:
//   d_scale += column sums of d_y n      d_shift += column sums of d_y
//   d_y [rows, width] := (g - mean(g) - n mean(g n)) / sqrt(variance + epsilon)
// so that d_y becomes the gradient of the sum, and of x and residual alike.
struct NormBackwardCall {
  DType dtype = DType::f32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const void* x = nullptr;
  const void* bias = nullptr;
  const void* residual = nullptr;
  const void* scale = nullptr;
  void* d_y = nullptr;
  float* d_scale = nullptr;
  float* d_shift = nullptr;
  double epsilon = 1e-12;
};

}  // namespace qb
