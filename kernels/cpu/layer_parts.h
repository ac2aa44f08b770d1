// Computes the other parts of a transformer layer than attention, on row-major float32 matrices
// whose rows lie one after another: products with a weight, layer norms, GELU. Each call divides
// its rows among `threads`. Element-wise steps are fused into the neighbouring pass (the bias of a
// product into the norm or GELU that follows it), since a pass over memory costs more than the
// arithmetic in it.
#pragma once

#include <cstdint>

namespace qb::cpu {

// y [rows, out] := x [rows, in] weight^T + bias; weight [out, in], as frameworks store it. Rows of
// y lie y_stride apart. bias is [out] or nullptr. Memory between the rows of y is not changed.
struct Linear {
  std::int64_t in = 0;
  std::int64_t out = 0;
  const float* weight = nullptr;
  const float* bias = nullptr;
};
void linear(const Linear& layer, std::int64_t rows, const float* x, float* y, std::int64_t y_stride,
            int threads);

// y := gelu(y + bias), gelu(x) = x Phi(x) with the normal distribution function Phi: this is the
// exact form with erf that BERT uses. The relative error is at most (8 + x^2) float32 roundoffs.
// NaN stays NaN.
void bias_gelu(std::int64_t rows, std::int64_t width, float* y, const float* bias, int threads);

// y := norm(y + bias + residual). It subtracts a row's mean, divides by the square root of variance
// + epsilon (the variance is the mean of the squared deviations, two-pass), multiplies by scale and
// adds shift, element by element.
struct Norm {
  std::int64_t width = 0;
  const float* scale = nullptr;
  const float* shift = nullptr;
  double epsilon = 1e-12;
};
void add_norm(const Norm& norm, std::int64_t rows, float* y, const float* bias,
              const float* residual, int threads);

}  // namespace qb::cpu
