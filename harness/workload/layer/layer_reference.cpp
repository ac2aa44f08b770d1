// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_reference.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "harness/workload/layer/reference_parts.h"
#include "kernels/reference.h"

namespace qb {
namespace {

using reference_parts::Heads;
using reference_parts::Matrix;
using reference_parts::Product;

// y := norm(y + residual)
template <class T>
void add_norm(T* y, const T* residual, const float* scale, const float* shift, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) y[j] += residual[j];
  (void)reference_parts::normalise(y, n);
  for (std::int64_t j = 0; j < n; ++j)
    y[j] = y[j] * static_cast<T>(scale[j]) + static_cast<T>(shift[j]);
}

template <class T>
class Oracle {
 public:
  Oracle(const LayerQuestion& question, std::span<const std::int64_t> rows, int threads)
      : question_(question),
        hidden_(question.shape.hidden()),
        query_width_(question.shape.query_width()),
        key_width_(question.shape.key_width()),
        wide_(question.shape.feed_forward_dim),
        rows_(rows),
        threads_(threads) {}

  std::vector<double> run() {
    std::vector<double> y;
    for (std::int64_t b = 0; b < question_.shape.batch; ++b) {
      const float* const x = question_.x + b * question_.shape.n_tokens * hidden_;
      const Matrix<T> out = of_sequence(x);
      for (std::int64_t i = 0; i < n_rows(); ++i)
        y.insert(y.end(), out.row(i), out.row(i) + hidden_);
    }
    return y;
  }

 private:
  [[nodiscard]] std::int64_t n_rows() const { return static_cast<std::int64_t>(rows_.size()); }
  [[nodiscard]] std::int64_t token(std::int64_t i) const {
    return rows_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] Product<T> product(LayerTensor weight, LayerTensor bias, std::int64_t in,
                                   std::int64_t out) const {
    return {question_.weights, weight, bias, in, out};
  }
  void keep(const Matrix<T>& rows, std::int64_t width) const {
    for (std::int64_t i = 0; i < n_rows(); ++i)
      reference_parts::keep(rows.row(i), width, question_.dtype);
  }

  // Computes the context of the rows.
  Matrix<T> attend(const float* x) const {
    const LayerShape& shape = question_.shape;
    const auto of_token = [&](std::int64_t t) { return x + t * hidden_; };
    const Matrix<T> q(shape.n_tokens, query_width_);  // only the given rows are written and read
    const Matrix<T> k(shape.n_tokens, key_width_);
    const Matrix<T> v(shape.n_tokens, key_width_);
    product(LayerTensor::query_weight, LayerTensor::query_bias, hidden_, query_width_)
        .apply(
            n_rows(), threads_, [&](std::int64_t i) { return of_token(token(i)); },
            [&](std::int64_t i) { return q.row(token(i)); });
    const auto of_all = [&](LayerTensor weight, LayerTensor bias, const Matrix<T>& to) {
      product(weight, bias, hidden_, key_width_)
          .apply(shape.n_tokens, threads_, of_token, [&](std::int64_t t) { return to.row(t); });
    };
    of_all(LayerTensor::key_weight, LayerTensor::key_bias, k);
    of_all(LayerTensor::value_weight, LayerTensor::value_bias, v);
    const std::vector<std::int64_t> all = reference_parts::all_tokens(shape.n_tokens);
    const auto heads = [&](const Matrix<T>& rows, std::int64_t count,
                           std::span<const std::int64_t> tokens) {
      return reference_parts::heads_of(rows, shape, count, question_.dtype, tokens);
    };
    const Heads queries = heads(q, shape.heads, rows_);
    const Heads keys = heads(k, shape.key_heads(), all);
    const Heads values = heads(v, shape.key_heads(), all);
    const auto attention = std::is_same_v<T, double> ? reference_rows
                           : question_.eager         ? eager_rows
                                                     : naive_rows;
    const ReferenceRows attended = attention(queries.view, keys.view, values.view, question_.mask,
                                             question_.scale, rows_, threads_);
    Matrix<T> context(n_rows(), query_width_);
    reference_parts::put_side_by_side(attended.out, shape.heads, n_rows(), shape.head_dim, context);
    keep(context, query_width_);
    return context;
  }

  // The product of every row and its bias, as it is kept.
  [[nodiscard]] Matrix<T> times(const Matrix<T>& x, LayerTensor weight, LayerTensor bias,
                                std::int64_t in, std::int64_t out) const {
    Matrix<T> y(n_rows(), out);
    product(weight, bias, in, out)
        .apply(
            n_rows(), threads_, [&](std::int64_t i) { return x.row(i); },
            [&](std::int64_t i) { return y.row(i); });
    keep(y, out);
    return y;
  }

  Matrix<T> of_sequence(const float* x) const {
    const LayerWeights& weights = question_.weights;
    const Matrix<T> a = times(attend(x), LayerTensor::attention_output_weight,
                              LayerTensor::attention_output_bias, query_width_, hidden_);
    const Matrix<T> residual(n_rows(), hidden_);
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      std::copy_n(x + token(i) * hidden_, hidden_, residual.row(i));
      add_norm(a.row(i), residual.row(i), weights.data(LayerTensor::attention_norm_scale),
               weights.data(LayerTensor::attention_norm_shift), hidden_);
    }
    keep(a, hidden_);
    const Matrix<T> inner = times(a, LayerTensor::feed_forward_in_weight,
                                  LayerTensor::feed_forward_in_bias, hidden_, wide_);
    for (std::int64_t i = 0; i < n_rows(); ++i)
      std::transform(inner.row(i), inner.row(i) + wide_, inner.row(i), reference_parts::gelu<T>);
    keep(inner, wide_);
    Matrix<T> y = times(inner, LayerTensor::feed_forward_out_weight,
                        LayerTensor::feed_forward_out_bias, wide_, hidden_);
    for (std::int64_t i = 0; i < n_rows(); ++i)
      add_norm(y.row(i), a.row(i), weights.data(LayerTensor::output_norm_scale),
               weights.data(LayerTensor::output_norm_shift), hidden_);
    keep(y, hidden_);
    return y;
  }

  const LayerQuestion& question_;
  const std::int64_t hidden_;
  const std::int64_t query_width_;
  const std::int64_t key_width_;
  const std::int64_t wide_;
  const std::span<const std::int64_t> rows_;
  const int threads_;
};

}  // namespace

std::vector<double> reference_layer_rows(const LayerQuestion& question,
                                         std::span<const std::int64_t> rows, int threads) {
  return Oracle<double>(question, rows, threads).run();
}

std::vector<double> naive_layer_rows(const LayerQuestion& question,
                                     std::span<const std::int64_t> rows, int threads) {
  return Oracle<float>(question, rows, threads).run();
}

}  // namespace qb
