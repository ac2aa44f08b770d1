// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <utility>

#include "harness/verify/worst_error.h"
#include "harness/workload/layer/reference_parts.h"
#include "kernels/reference_gradients.h"

namespace qb {
namespace {

constexpr double kOutputRoundoffs = 16.0;
constexpr double kStoredOutputRoundoffs = 2.0;  // added where the output is kept in 16 bits

std::string output_at(std::int64_t batch, std::int64_t row, std::int64_t element) {
  return fmt::format("the layer's output at batch {}, row {}, element {}", batch, row, element);
}

template <class T>
std::vector<double> layer_rows(const LayerQuestion& question, std::span<const std::int64_t> rows,
                               int threads) {
  std::vector<double> y;
  for (std::int64_t b = 0; b < question.shape.batch; ++b) {
    const reference_parts::Forward<T> forward(question, b, rows, threads);
    const std::span<T> of_sequence = forward.y.y.elements();
    y.insert(y.end(), of_sequence.begin(), of_sequence.end());
  }
  return y;
}

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

std::vector<double> reference_layer_rows(const LayerQuestion& question,
                                         std::span<const std::int64_t> rows, int threads) {
  return layer_rows<double>(question, rows, threads);
}

std::vector<double> naive_layer_rows(const LayerQuestion& question,
                                     std::span<const std::int64_t> rows, int threads) {
  return layer_rows<float>(question, rows, threads);
}

std::vector<std::int64_t> layer_rows_to_verify(std::int64_t n_tokens, std::int64_t block_tokens,
                                               std::int64_t max_rows, std::uint64_t seed) {
  const std::int64_t block = block_tokens == 0 ? n_tokens : block_tokens;
  std::set<std::int64_t> edges;
  for (std::int64_t begin = 0; begin < n_tokens; begin += block)
    edges.insert({begin, std::min(begin + block, n_tokens) - 1});
  return rows_to_verify(n_tokens, edges, max_rows, seed);
}

Verification verify_layer(const LayerQuestion& question, const float* y,
                          const std::vector<std::int64_t>& rows, int threads) {
  const LayerShape& shape = question.shape;
  const std::int64_t width = shape.hidden();
  const std::int64_t n = shape.n_tokens;
  Verification verification = verify_finite(
      {y, static_cast<std::size_t>(shape.states().elements())}, rows.size(),
      [&](std::int64_t i) { return output_at(i / width / n, i / width % n, i % width); });
  if (verification.correct || !verification.message.empty()) return verification;
  const std::vector<double> reference = reference_layer_rows(question, rows, threads);
  const std::vector<double> naive = naive_layer_rows(question, rows, threads);
  RelativeL2 l2;
  WorstError worst;
  std::size_t i = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (const std::int64_t row : rows)
      for (std::int64_t x = 0; x < width; ++x, ++i) {
        const auto value = static_cast<double>(y[(b * n + row) * width + x]);
        l2.add(value, reference[i]);
        worst.add({b, 0, row}, x, value, naive[i], reference[i]);
      }
  double roundoffs = kOutputRoundoffs * unit_roundoff(DType::f32);
  if (question.dtype != DType::f32)
    roundoffs += kStoredOutputRoundoffs * unit_roundoff(question.dtype);
  verification.relative_l2_error = l2.error();
  conclude(verification, worst, kNaiveFactor * worst.naive_error + roundoffs * worst.magnitude,
           output_at(worst.place.batch, worst.place.row, worst.element));
  return verification;
}

LayerGradients reference_layer_gradients(const LayerQuestion& question, const float* d_y,
                                         int threads) {
  return GradientOracle<double>(question, threads).run(d_y);
}

LayerGradients naive_layer_gradients(const LayerQuestion& question, const float* d_y, int threads) {
  return GradientOracle<float>(question, threads).run(d_y);
}

}  // namespace qb
