// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/layer/layer_parts.h"

#include <algorithm>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/layer/layer_rows.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/cpu/layer/layer_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// x Phi(x) = max(x, 0) - a Phi(-a) with a = |x|.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V x) {
  const V a = hn::Abs(x);
  V exponential = a;
  const V share = normal_tail(d, a, exponential);
  return hn::NegMulAdd(a, share, hn::Max(x, hn::Zero(d)));
}

void gelu_row(float* HWY_RESTRICT y, const float* HWY_RESTRICT bias, std::int64_t n) {
  for_elements(n, [&](auto d, std::int64_t j) {
    hn::StoreU(gelu(d, hn::Add(hn::LoadU(d, y + j), hn::LoadU(d, bias + j))), d, y + j);
  });
}

void norm_row(float* HWY_RESTRICT y, const float* HWY_RESTRICT bias,
              const float* HWY_RESTRICT residual, const float* HWY_RESTRICT scale,
              const float* HWY_RESTRICT shift, std::int64_t n, double epsilon) {
  const hn::ScalableTag<float> d;
  const float factor = deviations(y, bias, residual, n, epsilon);
  for_elements(
      d, n,
      [&](std::int64_t j) {
        const auto normal = hn::Mul(hn::LoadU(d, y + j), hn::Set(d, factor));
        hn::StoreU(hn::MulAdd(normal, hn::LoadU(d, scale + j), hn::LoadU(d, shift + j)), d, y + j);
      },
      [&](std::int64_t j) { y[j] = y[j] * factor * scale[j] + shift[j]; });
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {

HWY_EXPORT(add_to_row);
HWY_EXPORT(gelu_row);
HWY_EXPORT(norm_row);

// The product of float32 matrices.
void product(const LinearCall& call, int threads) {
  for_product_blocks(
      call.rows, call.out, threads,
      [&](std::int64_t row, std::int64_t n_rows, std::int64_t column, std::int64_t n_columns) {
        float* const to = floats(call.y) + row * call.y_stride + column;
        gemm(n_rows, n_columns, call.in, {floats(call.x) + row * call.in, call.in, false},
             {floats(call.weight) + column * call.in, call.in, true}, to, call.y_stride);
        if (call.bias == nullptr) return;
        const float* const bias = floats(call.bias) + column;
        for (std::int64_t i = 0; i < n_rows; ++i)
          HWY_DYNAMIC_DISPATCH(add_to_row)(to + i * call.y_stride, bias, n_columns);
      });
}

}  // namespace

void linear(const LinearCall& call, int threads, Allocator& workspace) {
  if (call.dtype == DType::f32) return product(call, threads);
  const KernelContext context{workspace, threads};
  const Widened weight(rows_of(call.weight, call.dtype, 0, call.out, call.in), "weight_f32",
                       context);
  const Widened bias(rows_of(call.bias, call.dtype, 0, 1, call.out), "bias_f32", context);
  for (std::int64_t row = 0; row < call.rows; row += kProductRows) {
    const std::int64_t rows = std::min(kProductRows, call.rows - row);
    const Widened x(rows_of(call.x, call.dtype, row, rows, call.in), "x_f32", context);
    const Tensor y(workspace, DType::f32, {1, 1, rows, call.out}, "y_f32");
    product({DType::f32, rows, call.in, call.out, x.floats(), weight.floats(), bias.floats(),
             y.view().data, call.out},
            threads);
    copy_rows(y.view(), rows_of(call.y, call.dtype, row, rows, call.out, call.y_stride), threads);
  }
}

std::int64_t linear_workspace_bytes(const LinearCall& call) {
  if (call.dtype == DType::f32) return 0;
  return size_of(DType::f32) * (call.out * (call.in + (call.bias == nullptr ? 0 : 1)) +
                                std::min(kProductRows, call.rows) * (call.in + call.out));
}

void bias_gelu(const GeluCall& call, int threads) {
  const Widened bias = widened_row(call.bias, call.dtype, 0, call.width);
  for_rows(call.y, call.dtype, call.rows, call.width, threads, [&](std::int64_t, float* y) {
    HWY_DYNAMIC_DISPATCH(gelu_row)(y, bias.floats(), call.width);
  });
}

void add_norm(const NormCall& call, int threads) {
  const Widened bias = widened_row(call.bias, call.dtype, 0, call.width);
  const Widened scale = widened_row(call.scale, call.dtype, 0, call.width);
  const Widened shift = widened_row(call.shift, call.dtype, 0, call.width);
  for_rows(call.y, call.dtype, call.rows, call.width, threads, [&](std::int64_t row, float* y) {
    const Widened residual = widened_row(call.residual, call.dtype, row, call.width);
    HWY_DYNAMIC_DISPATCH(norm_row)
    (y, bias.floats(), residual.floats(), scale.floats(), shift.floats(), call.width, call.epsilon);
  });
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
