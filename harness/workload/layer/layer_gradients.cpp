// SPDX-License-Identifier: Apache-2.0
// Notation as in layer_backward.h. A function takes what the forward pass kept and the gradient of
// what came out of a step, adds the gradients of the step's weights to the result, and returns or
// leaves the gradient of what went in.
#include "harness/workload/layer/layer_gradients.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <utility>

#include "harness/workload/layer/reference_parts.h"
#include "kernels/reference.h"
#include "kernels/reference_gradients.h"

namespace qb {
namespace {

using reference_parts::Heads;
using reference_parts::Matrix;

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
        query_width_(question.shape.query_width()),
        key_width_(question.shape.key_width()),
        wide_(question.shape.feed_forward_dim),
        threads_(threads),
        all_(reference_parts::all_tokens(tokens_)) {
    result_.d_weights.resize(size(weights_.view().extent.elements()));
  }

  LayerGradients run(const float* d_y) {
    for (std::int64_t b = 0; b < question_.shape.batch; ++b) {
      const std::int64_t first = b * tokens_ * hidden_;
      const Matrix<T> d_x = of_sequence(question_.x + first, d_y + first);
      result_.d_x.insert(result_.d_x.end(), d_x.row(0), d_x.row(0) + tokens_ * hidden_);
    }
    return std::move(result_);
  }

 private:
  struct Step {
    LayerTensor weight;
    LayerTensor bias;
    std::int64_t in;
    std::int64_t out;
  };
  struct Norm {
    Matrix<T> normal;           // before scale and shift
    std::vector<T> deviations;  // one for each row
    Matrix<T> y;
  };
  struct Attended {
    Matrix<T> context;
    std::vector<double> lse;  // [heads, N]
  };

  [[nodiscard]] Matrix<T> matrix(std::int64_t width) const { return {tokens_, width}; }
  [[nodiscard]] Matrix<T> states(const float* rows) const {
    Matrix<T> result = matrix(hidden_);
    std::copy_n(rows, tokens_ * hidden_, result.row(0));
    return result;
  }
  void keep(const Matrix<T>& rows, std::int64_t width) const {
    reference_parts::keep(rows.row(0), tokens_ * width, question_.dtype);
  }
  [[nodiscard]] Heads heads(const Matrix<T>& rows, std::int64_t count) const {
    return reference_parts::heads_of(rows, question_.shape, count, question_.dtype, all_);
  }
  [[nodiscard]] double* sums_of(LayerTensor tensor) {
    return result_.d_weights.data() +
           (weights_.data(tensor) - static_cast<const float*>(weights_.view().data));
  }

  // The forward pass.

  [[nodiscard]] Matrix<T> multiply(const Step& step, const Matrix<T>& x) const {
    Matrix<T> y = matrix(step.out);
    reference_parts::Product<T>(weights_, step.weight, step.bias, step.in, step.out)
        .apply(
            tokens_, threads_, [&](std::int64_t i) { return x.row(i); },
            [&](std::int64_t i) { return y.row(i); });
    keep(y, step.out);
    return y;
  }

  // norm(sum + residual)
  [[nodiscard]] Norm normalise(Matrix<T> sum, const Matrix<T>& residual, LayerTensor scale,
                               LayerTensor shift) const {
    Norm norm{std::move(sum), std::vector<T>(size(tokens_)), matrix(hidden_)};
    for (std::int64_t i = 0; i < tokens_; ++i) {
      T* const normal = norm.normal.row(i);
      for (std::int64_t j = 0; j < hidden_; ++j) normal[j] += residual.row(i)[j];
      norm.deviations[size(i)] = reference_parts::normalise(normal, hidden_);
      for (std::int64_t j = 0; j < hidden_; ++j)
        norm.y.row(i)[j] = normal[j] * static_cast<T>(weights_.data(scale)[j]) +
                           static_cast<T>(weights_.data(shift)[j]);
    }
    keep(norm.y, hidden_);
    return norm;
  }

  [[nodiscard]] Attended attend(const Matrix<T>& q, const Matrix<T>& k, const Matrix<T>& v) {
    const LayerShape& shape = question_.shape;
    const auto attention = std::is_same_v<T, double> ? reference_rows
                           : question_.eager         ? eager_rows
                                                     : naive_rows;
    ReferenceRows rows = attention(heads(q, shape.heads).view, heads(k, shape.key_heads()).view,
                                   heads(v, shape.key_heads()).view, question_.mask,
                                   question_.scale, all_, threads_);
    for (const double lse : rows.lse)
      if (std::isfinite(lse)) result_.largest_lse = std::max(result_.largest_lse, std::abs(lse));
    Attended attended{matrix(query_width_), std::move(rows.lse)};
    reference_parts::put_side_by_side(rows.out, shape.heads, tokens_, shape.head_dim,
                                      attended.context);
    keep(attended.context, query_width_);
    return attended;
  }

  // The backward pass.

  // Returns d_y W.
  [[nodiscard]] Matrix<T> differentiate(const Step& step, const Matrix<T>& x,
                                        const Matrix<T>& d_y) {
    Matrix<T> columns(step.out, tokens_);  // of d_y
    Matrix<T> weight(step.out, step.in);
    Matrix<T> d_weight(step.out, step.in);
    double* const d_bias = sums_of(step.bias);
    for (std::int64_t o = 0; o < step.out; ++o) {
      for (std::int64_t i = 0; i < tokens_; ++i) columns.row(o)[i] = d_y.row(i)[o];
      const T sum = std::accumulate(columns.row(o), columns.row(o) + tokens_, T{0});
      d_bias[o] += static_cast<double>(sum);
    }
    const std::int64_t elements = step.out * step.in;
    std::copy_n(weights_.data(step.weight), elements, weight.row(0));
    std::fill_n(d_weight.row(0), elements, T{0});
    reference_parts::add_products(
        step.out, x, tokens_, step.in, threads_, [&](std::int64_t o) { return columns.row(o); },
        [&](std::int64_t o) { return d_weight.row(o); });
    double* const sums = sums_of(step.weight);
    for (std::int64_t e = 0; e < elements; ++e) sums[e] += static_cast<double>(d_weight.row(0)[e]);
    Matrix<T> d_x = matrix(step.in);
    std::fill_n(d_x.row(0), tokens_ * step.in, T{0});
    reference_parts::add_products(
        tokens_, weight, step.out, step.in, threads_, [&](std::int64_t i) { return d_y.row(i); },
        [&](std::int64_t i) { return d_x.row(i); });
    keep(d_x, step.in);
    return d_x;
  }

  // d: the gradient of the norm, then that of what it is computed from.
  void differentiate(const Norm& norm, LayerTensor scale, LayerTensor shift, const Matrix<T>& d) {
    const float* const factors = weights_.data(scale);
    double* const d_scale = sums_of(scale);
    double* const d_shift = sums_of(shift);
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
    keep(d, hidden_);
  }

  void add(const Matrix<T>& part, const Matrix<T>& d) const {
    for (std::int64_t e = 0; e < tokens_ * hidden_; ++e) d.row(0)[e] += part.row(0)[e];
    keep(d, hidden_);
  }

  // Adds to d = dS1 what queries, keys and values give.
  void differentiate_attention(const Matrix<T>& x, const Matrix<T>& q, const Matrix<T>& k,
                               const Matrix<T>& v, const Attended& attended,
                               const Matrix<T>& d_context, const Matrix<T>& d) {
    const LayerShape& shape = question_.shape;
    const std::int64_t kv_heads = shape.key_heads();
    const Heads queries = heads(q, shape.heads);
    const Heads keys = heads(k, kv_heads);
    const Heads values = heads(v, kv_heads);
    const Heads out = heads(attended.context, shape.heads);
    const Heads d_out = heads(d_context, shape.heads);
    std::vector<double> lse = attended.lse;
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
    const auto add_part = [&](const Step& step, const std::vector<double>& part,
                              std::int64_t count) {
      const Matrix<T> d_y = matrix(step.out);
      reference_parts::put_side_by_side(part, count, tokens_, shape.head_dim, d_y);
      keep(d_y, step.out);
      add(differentiate(step, x, d_y), d);
    };
    add_part(to_queries(), gradients.d_q, shape.heads);
    add_part(to_keys(), gradients.d_k, kv_heads);
    add_part(to_values(), gradients.d_v, kv_heads);
  }

  [[nodiscard]] Step to_queries() const {
    return {LayerTensor::query_weight, LayerTensor::query_bias, hidden_, query_width_};
  }
  [[nodiscard]] Step to_keys() const {
    return {LayerTensor::key_weight, LayerTensor::key_bias, hidden_, key_width_};
  }
  [[nodiscard]] Step to_values() const {
    return {LayerTensor::value_weight, LayerTensor::value_bias, hidden_, key_width_};
  }

  // Returns dX.
  Matrix<T> of_sequence(const float* states_in, const float* d_states_out) {
    const Step to_sum{LayerTensor::attention_output_weight, LayerTensor::attention_output_bias,
                      query_width_, hidden_};
    const Step to_inner{LayerTensor::feed_forward_in_weight, LayerTensor::feed_forward_in_bias,
                        hidden_, wide_};
    const Step to_output{LayerTensor::feed_forward_out_weight, LayerTensor::feed_forward_out_bias,
                         wide_, hidden_};
    const Matrix<T> x = states(states_in);
    const Matrix<T> q = multiply(to_queries(), x);
    const Matrix<T> k = multiply(to_keys(), x);
    const Matrix<T> v = multiply(to_values(), x);
    const Attended attended = attend(q, k, v);
    const Norm a = normalise(multiply(to_sum, attended.context), x,
                             LayerTensor::attention_norm_scale, LayerTensor::attention_norm_shift);
    const Matrix<T> inner = multiply(to_inner, a.y);
    const Matrix<T> activation = matrix(wide_);
    std::transform(inner.row(0), inner.row(0) + tokens_ * wide_, activation.row(0),
                   reference_parts::gelu<T>);
    keep(activation, wide_);
    const Norm y = normalise(multiply(to_output, activation), a.y, LayerTensor::output_norm_scale,
                             LayerTensor::output_norm_shift);

    Matrix<T> d = states(d_states_out);
    differentiate(y, LayerTensor::output_norm_scale, LayerTensor::output_norm_shift, d);
    const Matrix<T> d_inner = differentiate(to_output, activation, d);
    for (std::int64_t e = 0; e < tokens_ * wide_; ++e)
      d_inner.row(0)[e] *= gelu_derivative(inner.row(0)[e]);
    keep(d_inner, wide_);
    add(differentiate(to_inner, a.y, d_inner), d);
    differentiate(a, LayerTensor::attention_norm_scale, LayerTensor::attention_norm_shift, d);
    const Matrix<T> d_context = differentiate(to_sum, attended.context, d);
    differentiate_attention(x, q, k, v, attended, d_context, d);
    return d;
  }

  const LayerQuestion& question_;
  const LayerWeights& weights_;
  const std::int64_t tokens_;
  const std::int64_t hidden_;
  const std::int64_t query_width_;
  const std::int64_t key_width_;
  const std::int64_t wide_;
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
