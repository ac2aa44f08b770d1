// SPDX-License-Identifier: Apache-2.0
// Notation as in layer_backward.h. A function takes what the forward pass kept and the gradient of
// what came out of a step, adds the gradients of the step's weights to the result, and returns or
// leaves the gradient of what went in.
#include "harness/workload/layer/layer_gradients.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <utility>

#include "harness/workload/layer/reference_parts.h"
#include "kernels/reference_gradients.h"

namespace qb {
namespace {

using reference_parts::Heads;
using reference_parts::Matrix;
using reference_parts::rows_of;

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

template <class T>
T gelu_derivative(T x) {
  const T share = (1 + std::erf(x / std::numbers::sqrt2_v<T>)) / 2;
  const T density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>;
  return share + x * density;
}

template <class T>
class GradientOracle {
 public:
  GradientOracle(const LayerQuestion& question, int threads)
      : question_(question),
        weights_(question.weights),
        tokens_(question.shape.n_tokens),
        hidden_(question.shape.hidden()),
        threads_(threads),
        all_(integers_below(tokens_)) {
    result_.d_weights.resize(size(weights_.view().extent.elements()));
  }

  LayerGradients run(const float* d_y) {
    for (std::int64_t b = 0; b < question_.shape.batch; ++b) {
      const Matrix<T> d_x = of_sequence(b, d_y + b * tokens_ * hidden_);
      const std::span<T> elements = d_x.elements();
      result_.d_x.insert(result_.d_x.end(), elements.begin(), elements.end());
    }
    return std::move(result_);
  }

 private:
  void keep(const Matrix<T>& rows) const { reference_parts::keep(rows, question_.dtype); }
  [[nodiscard]] Heads heads(const Matrix<T>& rows, std::int64_t count) const {
    return reference_parts::heads_of(rows, question_.shape, count, question_.dtype, all_);
  }
  [[nodiscard]] double* sums_of(LayerTensor tensor) {
    return result_.d_weights.data() +
           (weights_.data(tensor) - static_cast<const float*>(weights_.view().data));
  }

  // Returns d_y W.
  [[nodiscard]] Matrix<T> differentiate(LayerTensor weight, const Matrix<T>& x,
                                        const Matrix<T>& d_y) {
    const LayerProduct product = product_of(question_.shape, weight);
    const Matrix<T> columns(product.out, tokens_);  // of d_y
    double* const d_bias = sums_of(product.bias);
    for (std::int64_t o = 0; o < product.out; ++o) {
      for (std::int64_t i = 0; i < tokens_; ++i) columns.row(o)[i] = d_y.row(i)[o];
      const T sum = std::accumulate(columns.row(o), columns.row(o) + tokens_, T{0});
      d_bias[o] += static_cast<double>(sum);
    }
    const Matrix<T> d_weight(product.out, product.in);
    std::ranges::fill(d_weight.elements(), T{0});
    reference_parts::add_products(product.out, x, tokens_, product.in, threads_, rows_of(columns),
                                  rows_of(d_weight));
    double* sums = sums_of(weight);
    for (const T value : d_weight.elements()) *sums++ += static_cast<double>(value);
    const Matrix<T> factors(product.out, product.in);
    std::copy_n(weights_.data(weight), product.out * product.in, factors.row(0));
    Matrix<T> d_x(tokens_, product.in);
    std::ranges::fill(d_x.elements(), T{0});
    reference_parts::add_products(tokens_, factors, product.out, product.in, threads_, rows_of(d_y),
                                  rows_of(d_x));
    keep(d_x);
    return d_x;
  }

  // d: the gradient of the norm, then that of what it is computed from.
  void differentiate(const reference_parts::Norm<T>& norm, const LayerNorm& tensors,
                     const Matrix<T>& d) {
    const float* const factors = weights_.data(tensors.scale);
    double* const d_scale = sums_of(tensors.scale);
    double* const d_shift = sums_of(tensors.shift);
    std::vector<T> scale_sums(size(hidden_), T{0});
    std::vector<T> shift_sums(size(hidden_), T{0});
    for (std::int64_t i = 0; i < tokens_; ++i) {
      const T* const normal = norm.normal.row(i);
      T* const row = d.row(i);
      T mean = 0;
      T slope = 0;
      for (std::int64_t j = 0; j < hidden_; ++j) {
        scale_sums[size(j)] += row[j] * normal[j];
        shift_sums[size(j)] += row[j];
        row[j] *= static_cast<T>(factors[j]);
        mean += row[j];
        slope += row[j] * normal[j];
      }
      mean /= static_cast<T>(hidden_);
      slope /= static_cast<T>(hidden_);
      for (std::int64_t j = 0; j < hidden_; ++j)
        row[j] = (row[j] - mean - normal[j] * slope) / norm.deviations[size(i)];
    }
    for (std::int64_t j = 0; j < hidden_; ++j) {
      d_scale[j] += static_cast<double>(scale_sums[size(j)]);
      d_shift[j] += static_cast<double>(shift_sums[size(j)]);
    }
    keep(d);
  }

  void add(const Matrix<T>& part, const Matrix<T>& d) const {
    std::ranges::transform(d.elements(), part.elements(), d.row(0), std::plus<>());
    keep(d);
  }

  // Adds to d = dS1 what queries, keys and values give.
  void differentiate_attention(const reference_parts::Forward<T>& forward,
                               const Matrix<T>& d_context, const Matrix<T>& d) {
    const LayerShape& shape = question_.shape;
    const std::int64_t kv_heads = shape.key_heads();
    const Heads queries = heads(forward.q, shape.heads);
    const Heads keys = heads(forward.k, kv_heads);
    const Heads values = heads(forward.v, kv_heads);
    const Heads out = heads(forward.context, shape.heads);
    const Heads d_out = heads(d_context, shape.heads);
    std::vector<double> lse = forward.attended.lse;
    const GradientProblem problem{
        .q = queries.view,
        .k = keys.view,
        .v = values.view,
        .d_out = d_out.view,
        .mask = question_.mask,
        .scale = question_.scale,
        .out = out.view,
        .lse = contiguous_view(lse.data(), DType::f64, {1, shape.heads, tokens_, 1})};
    const ReferenceGradients gradients = std::is_same_v<T, double>
                                             ? reference_gradients(problem, threads_)
                                             : naive_gradients(problem, threads_);
    const auto add_part = [&](LayerTensor weight, const std::vector<double>& part,
                              std::int64_t count) {
      const Matrix<T> d_y(tokens_, count * shape.head_dim);
      reference_parts::put_side_by_side(part, count, tokens_, shape.head_dim, d_y);
      keep(d_y);
      add(differentiate(weight, forward.x, d_y), d);
    };
    add_part(LayerTensor::query_weight, gradients.d_q, shape.heads);
    add_part(LayerTensor::key_weight, gradients.d_k, kv_heads);
    add_part(LayerTensor::value_weight, gradients.d_v, kv_heads);
  }

  Matrix<T> of_sequence(std::int64_t sequence, const float* d_y) {
    const reference_parts::Forward<T> forward(question_, sequence, all_, threads_);
    for (const double lse : forward.attended.lse)
      if (std::isfinite(lse)) result_.largest_lse = std::max(result_.largest_lse, std::abs(lse));
    Matrix<T> d(tokens_, hidden_);
    std::copy_n(d_y, tokens_ * hidden_, d.row(0));
    differentiate(forward.y, kOutputNorm, d);
    const Matrix<T> d_inner =
        differentiate(LayerTensor::feed_forward_out_weight, forward.activation, d);
    std::ranges::transform(d_inner.elements(), forward.inner.elements(), d_inner.row(0),
                           [](T d_activation, T x) { return d_activation * gelu_derivative(x); });
    keep(d_inner);
    add(differentiate(LayerTensor::feed_forward_in_weight, forward.a.y, d_inner), d);
    differentiate(forward.a, kAttentionNorm, d);
    const Matrix<T> d_context =
        differentiate(LayerTensor::attention_output_weight, forward.context, d);
    differentiate_attention(forward, d_context, d);
    return d;
  }

  const LayerQuestion& question_;
  const LayerWeights& weights_;
  const std::int64_t tokens_;
  const std::int64_t hidden_;
  const int threads_;
  const std::vector<std::int64_t> all_;
  LayerGradients result_;
};

}  // namespace

LayerGradients reference_layer_gradients(const LayerQuestion& question, const float* d_y,
                                         int threads) {
  return GradientOracle<double>(question, threads).run(d_y);
}

LayerGradients naive_layer_gradients(const LayerQuestion& question, const float* d_y, int threads) {
  return GradientOracle<float>(question, threads).run(d_y);
}

}  // namespace qb
