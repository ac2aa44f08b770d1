// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/layer/layer_parts.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/layer/layer_rows.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/cpu/layer/layer_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// sums[j] += the sum of column j, over rows that are `stride` elements apart.
void add_column_sums(const float* rows, std::int64_t stride, std::int64_t n_rows,
                     std::int64_t n_columns, float* sums) {
  constexpr std::int64_t kColumns = 256;  // this many sums stay in the first-level cache
  constexpr std::int64_t kRun = 64;       // rows that are summed before they are added to the rest
  float part[kColumns];
  for (std::int64_t column = 0; column < n_columns; column += kColumns) {
    const std::int64_t n = std::min(kColumns, n_columns - column);
    for (std::int64_t first = 0; first < n_rows; first += kRun) {
      std::fill_n(part, n, 0.0f);
      for (std::int64_t row = first; row < std::min(n_rows, first + kRun); ++row)
        add_to_row(part, rows + row * stride + column, n);
      add_to_row(sums + column, part, n);
    }
  }
}

// Phi(x) + x phi(x)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_derivative(D d, V x) {
  constexpr float kInverseRootTwoPi = 0.39894228040143267794f;
  V exponential = x;
  const V share = normal_tail(d, hn::Abs(x), exponential);
  const V phi = hn::Mul(exponential, hn::Set(d, kInverseRootTwoPi));
  const V other_share = hn::Sub(hn::Set(d, 1.0f), share);
  return hn::MulAdd(x, phi, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), share, other_share));
}

void gelu_backward_row(float* HWY_RESTRICT d_y, const float* HWY_RESTRICT x,
                       const float* HWY_RESTRICT bias, std::int64_t n) {
  for_elements(n, [&](auto d, std::int64_t j) {
    const auto sum = hn::Add(hn::LoadU(d, x + j), hn::LoadU(d, bias + j));
    hn::StoreU(hn::Mul(hn::LoadU(d, d_y + j), gelu_derivative(d, sum)), d, d_y + j);
  });
}

// Replaces d_y by the gradient of x + bias + residual, and x by the norm of it.
void norm_backward_row(float* HWY_RESTRICT d_y, float* HWY_RESTRICT x,
                       const float* HWY_RESTRICT bias, const float* HWY_RESTRICT residual,
                       const float* HWY_RESTRICT scale, float* HWY_RESTRICT d_scale,
                       float* HWY_RESTRICT d_shift, std::int64_t n, double epsilon) {
  const hn::ScalableTag<float> d;
  const float factor = deviations(x, bias, residual, n, epsilon);
  auto sums = hn::Zero(d);      // of g = d_y scale
  auto products = hn::Zero(d);  // of g and the norm
  float rest = 0.0f;
  float rest_of_products = 0.0f;
  for_elements(
      d, n,
      [&](std::int64_t j) {
        const auto normal = hn::Mul(hn::LoadU(d, x + j), hn::Set(d, factor));
        const auto gradient = hn::LoadU(d, d_y + j);
        hn::StoreU(hn::MulAdd(gradient, normal, hn::LoadU(d, d_scale + j)), d, d_scale + j);
        hn::StoreU(hn::Add(gradient, hn::LoadU(d, d_shift + j)), d, d_shift + j);
        const auto g = hn::Mul(gradient, hn::LoadU(d, scale + j));
        sums = hn::Add(sums, g);
        products = hn::MulAdd(g, normal, products);
        hn::StoreU(normal, d, x + j);
        hn::StoreU(g, d, d_y + j);
      },
      [&](std::int64_t j) {
        x[j] *= factor;
        d_scale[j] += d_y[j] * x[j];
        d_shift[j] += d_y[j];
        d_y[j] *= scale[j];
        rest += d_y[j];
        rest_of_products += d_y[j] * x[j];
      });
  const auto width = static_cast<float>(n);
  const float mean = (hn::GetLane(hn::SumOfLanes(d, sums)) + rest) / width;
  const float slope = (hn::GetLane(hn::SumOfLanes(d, products)) + rest_of_products) / width;
  for_elements(
      d, n,
      [&](std::int64_t j) {
        const auto centred = hn::Sub(hn::LoadU(d, d_y + j), hn::Set(d, mean));
        const auto left = hn::NegMulAdd(hn::LoadU(d, x + j), hn::Set(d, slope), centred);
        hn::StoreU(hn::Mul(left, hn::Set(d, factor)), d, d_y + j);
      },
      [&](std::int64_t j) { d_y[j] = (d_y[j] - mean - x[j] * slope) * factor; });
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {

HWY_EXPORT(add_column_sums);
HWY_EXPORT(gelu_backward_row);
HWY_EXPORT(norm_backward_row);

// The next two are of float32 matrices.

void add_weight_gradient(const LinearBackwardCall& call, int threads) {
  const std::int64_t outputs = ceil_div(call.out, threads);
  parallel_for(threads, threads, 1, [&](std::int64_t share, std::int64_t, int) {
    const std::int64_t first = std::min(call.out, share * outputs);
    const std::int64_t n = std::min(outputs, call.out - first);
    const float* const d_y = floats(call.d_y) + first;
    gemm(n, call.in, call.rows, {d_y, call.d_y_stride, true}, {floats(call.x), call.in, false},
         call.d_weight + first * call.in, call.in, true);
    HWY_DYNAMIC_DISPATCH(add_column_sums)
    (d_y, call.d_y_stride, call.rows, n, call.d_bias + first);
  });
}

void make_input_gradient(const LinearBackwardCall& call, int threads) {
  for_product_blocks(
      call.rows, call.in, threads,
      [&](std::int64_t row, std::int64_t n_rows, std::int64_t column, std::int64_t n_columns) {
        gemm(n_rows, n_columns, call.out,
             {floats(call.d_y) + row * call.d_y_stride, call.d_y_stride, false},
             {floats(call.weight) + column, call.in, false},
             floats(call.d_x) + row * call.in + column, call.in, call.adds_to_d_x);
      });
}

// The sums of a norm's gradients have at most this many parts, one for each run of rows.
constexpr std::int64_t kMostParts = 64;
std::int64_t parts_of(std::int64_t rows) {
  return std::min(kMostParts, ceil_div(rows, kLayerRows));
}

}  // namespace

void linear_backward(const LinearBackwardCall& call, int threads, Allocator& workspace) {
  if (call.dtype == DType::f32) {
    add_weight_gradient(call, threads);  // first, since d_x may be x
    return make_input_gradient(call, threads);
  }
  const KernelContext context{workspace, threads};
  const Widened weight(rows_of(call.weight, call.dtype, 0, call.out, call.in), "weight_f32",
                       context);
  for (std::int64_t row = 0; row < call.rows; row += kProductRows) {
    LinearBackwardCall piece = call;
    piece.rows = std::min(kProductRows, call.rows - row);
    piece.dtype = DType::f32;
    piece.weight = weight.floats();
    const Widened d_y(rows_of(call.d_y, call.d_y_dtype, row, piece.rows, call.out, call.d_y_stride),
                      "d_y_f32", context);
    piece.d_y = d_y.floats();
    piece.d_y_dtype = DType::f32;
    piece.d_y_stride = d_y.view().token_stride;
    {
      const Widened x(rows_of(call.x, call.dtype, row, piece.rows, call.in), "x_f32", context);
      piece.x = x.floats();
      add_weight_gradient(piece, threads);
    }
    const TensorView rounded = rows_of(call.d_x, call.dtype, row, piece.rows, call.in);
    const Tensor d_x(workspace, DType::f32, rounded.extent, "d_x_f32");
    if (call.adds_to_d_x) copy_rows(rounded, d_x.view(), threads);
    piece.d_x = d_x.view().data;
    make_input_gradient(piece, threads);
    copy_rows(d_x.view(), rounded, threads);
  }
}

std::int64_t linear_backward_workspace_bytes(const LinearBackwardCall& call) {
  if (call.dtype == DType::f32) return 0;
  // x and d_x are not held at once.
  const std::int64_t row = call.in + (call.d_y_dtype == DType::f32 ? 0 : call.out);
  return size_of(DType::f32) * (call.out * call.in + std::min(kProductRows, call.rows) * row);
}

void bias_gelu_backward(const GeluBackwardCall& call, int threads) {
  const Widened bias = widened_row(call.bias, call.dtype, 0, call.width);
  for_rows(call.d_y, call.dtype, call.rows, call.width, threads, [&](std::int64_t row, float* d_y) {
    const Widened x = widened_row(call.x, call.dtype, row, call.width);
    HWY_DYNAMIC_DISPATCH(gelu_backward_row)(d_y, x.floats(), bias.floats(), call.width);
  });
}

void add_norm_backward(const NormBackwardCall& call, int threads, Allocator& workspace) {
  const std::int64_t width = call.width;
  const Widened bias = widened_row(call.bias, call.dtype, 0, width);
  const Widened scale = widened_row(call.scale, call.dtype, 0, width);
  const std::int64_t parts = parts_of(call.rows);
  const Tensor sums(workspace, DType::f32, {1, 1, parts, 2 * width}, "norm_gradients");
  parallel_for(parts, threads, 1, [&](std::int64_t part, std::int64_t, int) {
    float* const d_scale = sums.view().row_as<float>(0, 0, part);
    std::fill_n(d_scale, 2 * width, 0.0f);
    std::vector<float> x(static_cast<std::size_t>(width));
    for (std::int64_t row = part * call.rows / parts; row < (part + 1) * call.rows / parts; ++row) {
      convert(rows_of(call.x, call.dtype, row, 1, width).data, call.dtype, x.data(), DType::f32,
              width);
      const Widened residual = widened_row(call.residual, call.dtype, row, width);
      const Widened d_y = widened_row(call.d_y, call.dtype, row, width);
      HWY_DYNAMIC_DISPATCH(norm_backward_row)
      (d_y.floats(), x.data(), bias.floats(), residual.floats(), scale.floats(), d_scale,
       d_scale + width, width, call.epsilon);
      if (call.dtype != DType::f32)
        copy_rows(d_y.view(), rows_of(call.d_y, call.dtype, row, 1, width));
    }
  });
  const auto* const all = static_cast<const float*>(sums.view().data);
  HWY_DYNAMIC_DISPATCH(add_column_sums)(all, 2 * width, parts, width, call.d_scale);
  HWY_DYNAMIC_DISPATCH(add_column_sums)(all + width, 2 * width, parts, width, call.d_shift);
}

std::int64_t add_norm_backward_workspace_bytes(const NormBackwardCall& call) {
  return size_of(DType::f32) * parts_of(call.rows) * 2 * call.width;
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
