#include "kernels/cpu/layer_parts.h"

#include <algorithm>
#include <cmath>

#include "base/integers.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/score_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/layer_parts.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// Calls vector_step(j) for whole vectors of [0, n) and scalar_step(j) for the rest.
template <class D, class VectorStep, class ScalarStep>
HWY_INLINE void for_elements(D d, std::int64_t n, VectorStep vector_step, ScalarStep scalar_step) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) vector_step(j);
  for (; j < n; ++j) scalar_step(j);
}

void add_row(float* HWY_RESTRICT y, const float* HWY_RESTRICT bias, std::int64_t n) {
  const hn::ScalableTag<float> d;
  for_elements(
      d, n,
      [&](std::int64_t j) {
        hn::StoreU(hn::Add(hn::LoadU(d, y + j), hn::LoadU(d, bias + j)), d, y + j);
      },
      [&](std::int64_t j) { y[j] += bias[j]; });
}

// x Phi(x) = max(x, 0) - a Phi(-a) with a = |x|, and Phi(-a) = exp(-a^2 / 2) t Q(t) with
// t = 1 / (1 + 0.3 a). Q interpolates erfcx(a / sqrt 2) / (2 t) at the Chebyshev nodes of
// a in [0, 14], beyond which the exponential is 0; relative error 4.3e-9.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V x) {
  constexpr float kQ[] = {-0.020914359728848045f, 0.11404027207372557f,  -0.2320384829357822f,
                          0.19694067701667847f,   -0.08374254901620627f, 0.09848074018345122f,
                          0.07758906437735161f,   0.11040517984663449f,  0.11955176322872275f,
                          0.11968769314517995f};
  constexpr float kHalfLog2E = 0.72134752044448170368f;
  const V a = hn::Abs(x);
  const V one = hn::Set(d, 1.0f);
  const V t = hn::Div(one, hn::MulAdd(a, hn::Set(d, 0.3f), one));
  V q = hn::Set(d, kQ[0]);
  for (std::size_t i = 1; i < std::size(kQ); ++i) q = hn::MulAdd(q, t, hn::Set(d, kQ[i]));
  const V tail = exp2_fast(d, hn::Mul(hn::Mul(a, hn::Set(d, -kHalfLog2E)), a));
  const V share = hn::Mul(hn::Mul(tail, t), q);
  return hn::NegMulAdd(a, share, hn::Max(x, hn::Zero(d)));
}

void gelu_row(float* HWY_RESTRICT y, const float* HWY_RESTRICT bias, std::int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  for_elements(
      d, n,
      [&](std::int64_t j) {
        hn::StoreU(gelu(d, hn::Add(hn::LoadU(d, y + j), hn::LoadU(d, bias + j))), d, y + j);
      },
      [&](std::int64_t j) { hn::Store(gelu(one, hn::Set(one, y[j] + bias[j])), one, y + j); });
}

void norm_row(float* HWY_RESTRICT y, const float* HWY_RESTRICT bias,
              const float* HWY_RESTRICT residual, const float* HWY_RESTRICT scale,
              const float* HWY_RESTRICT shift, std::int64_t n, double epsilon) {
  const hn::ScalableTag<float> d;
  auto sums = hn::Zero(d);
  float rest = 0.0f;
  for_elements(
      d, n,
      [&](std::int64_t j) {
        const auto value = hn::Add(hn::Add(hn::LoadU(d, y + j), hn::LoadU(d, bias + j)),
                                   hn::LoadU(d, residual + j));
        hn::StoreU(value, d, y + j);
        sums = hn::Add(sums, value);
      },
      [&](std::int64_t j) { rest += y[j] += bias[j] + residual[j]; });
  const float mean = (hn::GetLane(hn::SumOfLanes(d, sums)) + rest) / static_cast<float>(n);
  auto squares = hn::Zero(d);
  rest = 0.0f;
  for_elements(
      d, n,
      [&](std::int64_t j) {
        const auto deviation = hn::Sub(hn::LoadU(d, y + j), hn::Set(d, mean));
        hn::StoreU(deviation, d, y + j);
        squares = hn::MulAdd(deviation, deviation, squares);
      },
      [&](std::int64_t j) {
        y[j] -= mean;
        rest += y[j] * y[j];
      });
  const double variance =
      static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squares)) + rest) / static_cast<double>(n);
  const auto factor = static_cast<float>(1.0 / std::sqrt(variance + epsilon));
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

HWY_EXPORT(add_row);
HWY_EXPORT(gelu_row);
HWY_EXPORT(norm_row);

constexpr std::int64_t kRowsAtOnce = 16;  // rows of a pass; a few hundred KiB
// A product has this many rows: enough that packing the weight, which every call of the library
// repeats, is cheap compared with multiplying by it; few enough that the threads end together.
constexpr std::int64_t kProductRows = 512;

const float* floats(const void* data) { return static_cast<const float*>(data); }
float* floats(void* data) { return static_cast<float*>(data); }

// The product of float32 matrices.
void product(const LinearCall& call, int threads) {
  // Cuts both rows and columns into blocks, so that every thread packs only a part of the weight.
  const std::int64_t columns = ceil_div(call.out, threads);
  const std::int64_t blocks = ceil_div(call.rows, kProductRows);
  parallel_for(blocks * threads, threads, 1, [&](std::int64_t item, std::int64_t, int) {
    const std::int64_t row = item / threads * kProductRows;
    const std::int64_t n_rows = std::min(kProductRows, call.rows - row);
    const std::int64_t column = std::min(call.out, item % threads * columns);
    const std::int64_t n_columns = std::min(columns, call.out - column);
    float* const to = floats(call.y) + row * call.y_stride + column;
    gemm(n_rows, n_columns, call.in, {floats(call.x) + row * call.in, call.in, false},
         {floats(call.weight) + column * call.in, call.in, true}, to, call.y_stride);
    if (call.bias == nullptr) return;
    for (std::int64_t i = 0; i < n_rows; ++i)
      HWY_DYNAMIC_DISPATCH(add_row)(to + i * call.y_stride, floats(call.bias) + column, n_columns);
  });
}

TensorView rows_of(const void* matrix, DType dtype, std::int64_t first, std::int64_t count,
                   std::int64_t width) {
  return contiguous_view(const_cast<void*>(matrix), dtype, {1, 1, first + count, width})
      .tokens(first, count);
}

Widened widened_row(const void* matrix, DType dtype, std::int64_t row, std::int64_t width) {
  return {rows_of(matrix, dtype, row, 1, width), "row_f32", {heap_allocator()}};
}

// Calls function(row, y) for each row of y in float32, which is rounded to the type of the call.
template <class Call, class Function>
void for_rows(const Call& call, int threads, Function function) {
  parallel_for(call.rows, threads, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      const Widened y = widened_row(call.y, call.dtype, row, call.width);
      function(row, y.floats());
      if (call.dtype != DType::f32)
        copy_rows(y.view(), rows_of(call.y, call.dtype, row, 1, call.width));
    }
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
    TensorView rounded = rows_of(call.y, call.dtype, row, rows, call.y_stride);
    rounded.extent.head_dim = call.out;
    copy_rows(y.view(), rounded, threads);
  }
}

std::int64_t linear_workspace_bytes(const LinearCall& call) {
  if (call.dtype == DType::f32) return 0;
  return size_of(DType::f32) * (call.out * (call.in + (call.bias == nullptr ? 0 : 1)) +
                                std::min(kProductRows, call.rows) * (call.in + call.out));
}

void bias_gelu(const GeluCall& call, int threads) {
  const Widened bias = widened_row(call.bias, call.dtype, 0, call.width);
  for_rows(call, threads, [&](std::int64_t, float* y) {
    HWY_DYNAMIC_DISPATCH(gelu_row)(y, bias.floats(), call.width);
  });
}

void add_norm(const NormCall& call, int threads) {
  const Widened bias = widened_row(call.bias, call.dtype, 0, call.width);
  const Widened scale = widened_row(call.scale, call.dtype, 0, call.width);
  const Widened shift = widened_row(call.shift, call.dtype, 0, call.width);
  for_rows(call, threads, [&](std::int64_t row, float* y) {
    const Widened residual = widened_row(call.residual, call.dtype, row, call.width);
    HWY_DYNAMIC_DISPATCH(norm_row)
    (y, bias.floats(), residual.floats(), scale.floats(), shift.floats(), call.width, call.epsilon);
  });
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
