// SPDX-License-Identifier: Apache-2.0
// The float64 reference of the layer, its naive twin in float32 and the gradients of both are made
// of these parts. T is double, or float, whose rows are rounded to the type in which they are kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "base/integers.h"
#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/transformer_layer.h"
#include "kernels/allocator.h"
#include "kernels/cpu/plain_loops.h"
#include "kernels/parallel.h"
#include "kernels/reference.h"

namespace qb::reference_parts {

inline constexpr std::int64_t kRowsAtOnce = 16;    // they share one pass over a weight
inline constexpr std::int64_t kInputsAtOnce = 64;  // rows of the transposed weight in the cache

// Rows of `width` elements, not initialised, so that a long sequence costs only what is written.
template <class T>
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t width)
      : rows_(rows),
        width_(width),
        data_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(rows * width))) {}
  [[nodiscard]] T* row(std::int64_t i) const { return data_.get() + i * width_; }
  [[nodiscard]] std::span<T> elements() const { return {data_.get(), row(rows_)}; }

 private:
  std::int64_t rows_;
  std::int64_t width_;
  std::unique_ptr<T[]> data_;
};
template <class T>
[[nodiscard]] auto rows_of(const Matrix<T>& matrix) {
  return [&matrix](std::int64_t i) { return matrix.row(i); };
}

// to(i) += from(i) factors for rows i of [0, n), factors [in, out]. Both functions give a row's
// first element.
template <class T, class From, class To>
void add_products(std::int64_t n, const Matrix<T>& factors, std::int64_t in, std::int64_t out,
                  int threads, From from, To to) {
  parallel_for(n, threads, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end, int) {
    Matrix<T> x(end - begin, in);
    Matrix<T> y(end - begin, out);
    for (std::int64_t i = begin; i < end; ++i) {
      std::copy_n(from(i), in, x.row(i - begin));
      std::copy_n(to(i), out, y.row(i - begin));
    }
    for (std::int64_t k = 0; k < in; k += kInputsAtOnce)
      cpu::add_products(cpu::PlainProducts<T>{end - begin, std::min(kInputsAtOnce, in - k), out,
                                              x.row(0) + k, in, factors.row(k), out, y.row(0),
                                              out});
    for (std::int64_t i = begin; i < end; ++i) std::copy_n(y.row(i - begin), out, to(i));
  });
}

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

// Rounds a matrix as keeping it in memory does.
template <class T>
void keep(const Matrix<T>& rows, DType dtype) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == DType::f32) return;
    const std::span<float> values = rows.elements();
    std::vector<std::uint16_t> kept(values.size());
    convert(values.data(), DType::f32, kept.data(), dtype, std::ssize(values));
    convert(kept.data(), dtype, values.data(), DType::f32, std::ssize(values));
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

template <class T>
struct Norm {
  Matrix<T> normal;           // before scale and shift
  std::vector<T> deviations;  // one for each row
  Matrix<T> y;
};

// The forward pass of one sequence, whose results are kept between two steps as a layer keeps them:
// keys and values of every token, the rest for the given tokens.
template <class T>
class Forward {
  const LayerQuestion& question_;
  const float* const states_;
  const std::span<const std::int64_t> tokens_;
  const int threads_;

 public:
  Forward(const LayerQuestion& question, std::int64_t sequence,
          std::span<const std::int64_t> tokens, int threads)
      : question_(question),
        states_(question.x + sequence * question.shape.n_tokens * question.shape.hidden()),
        tokens_(tokens),
        threads_(threads),
        x(states()),
        q(multiply(LayerTensor::query_weight, question.shape.n_tokens, n_rows(), rows_of(x),
                   [this](std::int64_t i) { return token(i); })),
        k(of_every_token(LayerTensor::key_weight)),
        v(of_every_token(LayerTensor::value_weight)),
        attended(attend()),
        context(side_by_side()),
        a(normalised(product(context, LayerTensor::attention_output_weight), x, kAttentionNorm)),
        inner(product(a.y, LayerTensor::feed_forward_in_weight)),
        activation(activated()),
        y(normalised(product(activation, LayerTensor::feed_forward_out_weight), a.y, kOutputNorm)) {
  }

  const Matrix<T> x;  // the states of the tokens
  const Matrix<T> q;  // a row for every token; only the given ones are written
  const Matrix<T> k;  // of every token, as is v
  const Matrix<T> v;
  const ReferenceRows attended;  // by heads
  const Matrix<T> context;
  const Norm<T> a;
  const Matrix<T> inner;  // before the GELU
  const Matrix<T> activation;
  const Norm<T> y;

 private:
  [[nodiscard]] std::int64_t n_rows() const { return std::ssize(tokens_); }
  [[nodiscard]] std::int64_t token(std::int64_t i) const {
    return tokens_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const float* state(std::int64_t t) const {
    return states_ + t * question_.shape.hidden();
  }

  [[nodiscard]] Matrix<T> states() const {
    Matrix<T> rows(n_rows(), question_.shape.hidden());
    for (std::int64_t i = 0; i < n_rows(); ++i)
      std::copy_n(state(token(i)), question_.shape.hidden(), rows.row(i));
    return rows;
  }
  // Returns a matrix of `rows` rows, of which row place(i) is from(i) W^T + b for i of [0, n).
  template <class From, class Place>
  [[nodiscard]] Matrix<T> multiply(LayerTensor weight, std::int64_t rows, std::int64_t n, From from,
                                   Place place) const {
    const LayerProduct product = product_of(question_.shape, weight);
    const Matrix<T> transposed(product.in, product.out);
    const float* const w = question_.weights.data(weight);
    for (std::int64_t i = 0; i < product.in; ++i)
      for (std::int64_t j = 0; j < product.out; ++j)
        transposed.row(i)[j] = static_cast<T>(w[j * product.in + i]);
    Matrix<T> products(rows, product.out);
    const auto to = [&](std::int64_t i) { return products.row(place(i)); };
    for (std::int64_t i = 0; i < n; ++i)
      std::copy_n(question_.weights.data(product.bias), product.out, to(i));
    add_products(n, transposed, product.in, product.out, threads_, from, to);
    return products;
  }
  [[nodiscard]] Matrix<T> of_every_token(LayerTensor weight) const {
    return multiply(
        weight, question_.shape.n_tokens, question_.shape.n_tokens,
        [this](std::int64_t t) { return state(t); }, std::identity());
  }
  [[nodiscard]] ReferenceRows attend() const {
    const LayerShape& shape = question_.shape;
    const std::vector<std::int64_t> all = integers_below(shape.n_tokens);
    const auto heads = [&](const Matrix<T>& rows, std::int64_t count,
                           std::span<const std::int64_t> tokens) {
      return heads_of(rows, shape, count, question_.dtype, tokens);
    };
    const Heads of_q = heads(q, shape.heads, tokens_);
    const Heads of_k = heads(k, shape.key_heads(), all);
    const Heads of_v = heads(v, shape.key_heads(), all);
    if constexpr (std::is_same_v<T, double>)
      return reference_rows(of_q.view, of_k.view, of_v.view, question_.mask, question_.scale,
                            tokens_, threads_);
    else
      return naive_rows(of_q.view, of_k.view, of_v.view, question_.mask, question_.scale, tokens_,
                        threads_, question_.eager);
  }
  [[nodiscard]] Matrix<T> side_by_side() const {
    const LayerShape& shape = question_.shape;
    Matrix<T> rows(n_rows(), shape.query_width());
    put_side_by_side(attended.out, shape.heads, n_rows(), shape.head_dim, rows);
    keep(rows, question_.dtype);
    return rows;
  }
  [[nodiscard]] Matrix<T> product(const Matrix<T>& from, LayerTensor weight) const {
    Matrix<T> rows = multiply(weight, n_rows(), n_rows(), rows_of(from), std::identity());
    keep(rows, question_.dtype);
    return rows;
  }
  [[nodiscard]] Matrix<T> activated() const {
    Matrix<T> rows(n_rows(), question_.shape.feed_forward_dim);
    std::ranges::transform(inner.elements(), rows.row(0), gelu<T>);
    keep(rows, question_.dtype);
    return rows;
  }
  // norm(sum + residual)
  [[nodiscard]] Norm<T> normalised(Matrix<T> sum, const Matrix<T>& residual,
                                   const LayerNorm& norm) const {
    const std::int64_t width = question_.shape.hidden();
    const float* const scale = question_.weights.data(norm.scale);
    const float* const shift = question_.weights.data(norm.shift);
    Norm<T> result{std::move(sum), {}, Matrix<T>(n_rows(), width)};
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      T* const normal = result.normal.row(i);
      for (std::int64_t j = 0; j < width; ++j) normal[j] += residual.row(i)[j];
      result.deviations.push_back(normalise(normal, width));
      for (std::int64_t j = 0; j < width; ++j)
        result.y.row(i)[j] = normal[j] * static_cast<T>(scale[j]) + static_cast<T>(shift[j]);
    }
    keep(result.y, question_.dtype);
    return result;
  }
};

}  // namespace qb::reference_parts
