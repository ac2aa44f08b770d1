// SPDX-License-Identifier: Apache-2.0
// The float64 reference of the layer, its naive twin in float32 and the gradients of both are made
// of these parts. T is double, or float, whose rows are rounded to the type in which they are kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "harness/workload/layer/layer_weights.h"
#include "harness/workload/layer/transformer_layer.h"
#include "kernels/allocator.h"
#include "kernels/cpu/plain_loops.h"
#include "kernels/parallel.h"

namespace qb::reference_parts {

inline constexpr std::int64_t kRowsAtOnce = 16;    // they share one pass over a weight
inline constexpr std::int64_t kInputsAtOnce = 64;  // rows of the transposed weight in the cache

// Rows of `width` elements, not initialised, so that a long sequence costs only what is written.
template <class T>
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t width)
      : width_(width),
        data_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(rows * width))) {}
  [[nodiscard]] T* row(std::int64_t i) const { return data_.get() + i * width_; }

 private:
  std::int64_t width_;
  std::unique_ptr<T[]> data_;
};

// to(i) += from(i) factors for rows i of [0, n), factors [in, out]. Both functions give a row's
// first element.
template <class T, class From, class To>
void add_products(std::int64_t n, const Matrix<T>& factors, std::int64_t in, std::int64_t out,
                  int threads, From from, To to) {
  parallel_for(n, threads, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end, int) {
    Matrix<T> x(end - begin, in);
    for (std::int64_t i = begin; i < end; ++i) std::copy_n(from(i), in, x.row(i - begin));
    for (std::int64_t k = 0; k < in; k += kInputsAtOnce)
      for (std::int64_t i = begin; i < end; ++i)
        cpu::add_products(x.row(i - begin) + k, factors.row(k), out,
                          std::min(kInputsAtOnce, in - k), out, to(i));
  });
}

// x W^T + b in T.
template <class T>
class Product {
 public:
  Product(const LayerWeights& weights, LayerTensor weight, LayerTensor bias, std::int64_t in,
          std::int64_t out)
      : in_(in), out_(out), transposed_(in, out), bias_(weights.data(bias)) {
    const float* const w = weights.data(weight);
    for (std::int64_t i = 0; i < in; ++i)
      for (std::int64_t j = 0; j < out; ++j) transposed_.row(i)[j] = static_cast<T>(w[j * in + i]);
  }

  // to(row) := product of from(row) for row in [0, n).
  template <class From, class To>
  void apply(std::int64_t n, int threads, From from, To to) const {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < out_; ++j) to(i)[j] = static_cast<T>(bias_[j]);
    add_products(n, transposed_, in_, out_, threads, from, to);
  }

 private:
  std::int64_t in_;
  std::int64_t out_;
  Matrix<T> transposed_;
  const float* bias_;
};

template <class T>
T gelu(T x) {
  return x / 2 * (1 + std::erf(x / std::numbers::sqrt2_v<T>));
}

// Replaces a row by its deviations from the mean over the standard deviation, which it returns.
template <class T>
T normalise(T* y, std::int64_t n) {
  const T mean = std::accumulate(y, y + n, T{0}) / static_cast<T>(n);
  T variance = 0;
  for (std::int64_t j = 0; j < n; ++j) variance += (y[j] - mean) * (y[j] - mean);
  variance /= static_cast<T>(n);
  const T deviation = std::sqrt(variance + static_cast<T>(kLayerNormEpsilon));
  for (std::int64_t j = 0; j < n; ++j) y[j] = (y[j] - mean) / deviation;
  return deviation;
}

// Rounds a row as keeping it in memory does.
template <class T>
void keep(T* row, std::int64_t n, DType dtype) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == DType::f32) return;
    std::vector<std::uint16_t> kept(static_cast<std::size_t>(n));
    convert(row, DType::f32, kept.data(), dtype, n);
    convert(kept.data(), dtype, row, DType::f32, n);
  }
}

// Rows of heads side by side, in the type in which they are kept, so that a naive kernel keeps its
// intermediates in it too. Only the given tokens exist.
struct Heads {
  Tensor kept;
  TensorView view;
};
template <class T>
[[nodiscard]] Heads heads_of(const Matrix<T>& rows, const LayerShape& shape, std::int64_t count,
                             DType dtype, std::span<const std::int64_t> tokens) {
  constexpr bool kExact = std::is_same_v<T, double>;
  const std::int64_t width = count * shape.head_dim;
  Heads heads;
  heads.view = {rows.row(0),
                kExact ? DType::f64 : DType::f32,
                {1, count, shape.n_tokens, shape.head_dim},
                shape.n_tokens * width,
                shape.head_dim,
                width};
  if (kExact || dtype == DType::f32) return heads;
  heads.kept = Tensor(heap_allocator(), dtype, {1, 1, shape.n_tokens, width}, "kept");
  for (const std::int64_t t : tokens)
    convert(rows.row(t), DType::f32, heads.kept.view().row(0, 0, t), dtype, width);
  heads.view.data = heads.kept.view().data;
  heads.view.dtype = dtype;
  return heads;
}

// Copies what attention computed, [heads, rows, d], into rows of heads side by side.
template <class T>
void put_side_by_side(const std::vector<double>& heads_first, std::int64_t heads, std::int64_t rows,
                      std::int64_t head_dim, const Matrix<T>& to) {
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t e = 0; e < head_dim; ++e)
        to.row(i)[h * head_dim + e] =
            static_cast<T>(heads_first[static_cast<std::size_t>((h * rows + i) * head_dim + e)]);
}

[[nodiscard]] inline std::vector<std::int64_t> all_tokens(std::int64_t n_tokens) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(n_tokens));
  std::iota(tokens.begin(), tokens.end(), std::int64_t{0});
  return tokens;
}

}  // namespace qb::reference_parts
