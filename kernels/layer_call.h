// What a transformer layer computes beside attention, as calls that a device is given: row-major
// matrices of one type, whose rows lie one after another. What they mean is said in
// kernels/cpu/layer_parts.h, where they are float32 in the host's memory; here they are f16, bf16
// or f32 where the device reads them, and the arithmetic is float32.
#pragma once

#include <cstdint>

#include "kernels/dtype.h"

namespace qb {

// y [rows, out] := x [rows, in] weight^T + bias; rows of y y_stride elements apart; no bias:
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
