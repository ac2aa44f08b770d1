// What a transformer layer computes beside attention, on row-major float32 matrices whose rows lie
// one after another: products with a weight, layer norms, GELU. Each call shares its rows out over
// `threads`. Element-wise steps are fused into the pass that they stand beside (the bias of a
// product into the norm or GELU that follows it), since a pass over memory costs more than the
// arithmetic in it.
#pragma once

#include <cstdint>

namespace qb::cpu {

// y [rows, out] := x [rows, in] weight^T + bias; weight [out, in], as frameworks store it. Rows of
// y lie y_stride apart. bias [out] or nullptr. What is between the rows of y stays as it is.
struct Linear {
  std::int64_t in = 0;
  std::int64_t out = 0;
  const float* weight = nullptr;
  const float* bias = nullptr;
};
void linear(const Linear& layer, std::int64_t rows, const float* x, float* y, std::int64_t y_stride,
            int threads);

// y := gelu(y + bias), gelu(x) = x Phi(x) with the normal distribution function Phi: the exact
// form, by erf, that BERT uses. Relative error at most (8 + x^2) float32 roundoffs. NaN stays NaN.
void bias_gelu(std::int64_t rows, std::int64_t width, float* y, const float* bias, int threads);

// y := norm(y + bias + residual): a row less its mean, over the root of its variance (the mean of
// the squared deviations, two-pass) + epsilon, times scale, plus shift, element by element.
struct Norm {
  std::int64_t width = 0;
  const float* scale = nullptr;
  const float* shift = nullptr;
  double epsilon = 1e-12;
};
void add_norm(const Norm& norm, std::int64_t rows, float* y, const float* bias,
              const float* residual, int threads);

}  // namespace qb::cpu
