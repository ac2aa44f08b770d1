#include "harness/workload/layer/layer_reference.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <vector>

#include "harness/workload/layer/transformer_layer.h"
#include "kernels/allocator.h"
#include "kernels/cpu/plain_loops.h"
#include "kernels/parallel.h"
#include "kernels/reference.h"

namespace qb {
namespace {

constexpr std::int64_t kRowsAtOnce = 16;    // they share one pass over a weight
constexpr std::int64_t kInputsAtOnce = 64;  // rows of the transposed weight in the cache

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

  // to(row) := product of from(row) for row in [0, n); both give a row's first element.
  template <class From, class To>
  void apply(std::int64_t n, int threads, From from, To to) const {
    parallel_for(n, threads, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end, int) {
      Matrix<T> x(end - begin, in_);
      for (std::int64_t i = begin; i < end; ++i) {
        std::copy_n(from(i), in_, x.row(i - begin));
        for (std::int64_t j = 0; j < out_; ++j) to(i)[j] = static_cast<T>(bias_[j]);
      }
      for (std::int64_t k = 0; k < in_; k += kInputsAtOnce)
        for (std::int64_t i = begin; i < end; ++i)
          cpu::add_products(x.row(i - begin) + k, transposed_.row(k), out_,
                            std::min(kInputsAtOnce, in_ - k), out_, to(i));
    });
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

// y := norm(y + residual)
template <class T>
void add_norm(T* y, const T* residual, const float* scale, const float* shift, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) y[j] += residual[j];
  const T mean = std::accumulate(y, y + n, T{0}) / static_cast<T>(n);
  T variance = 0;
  for (std::int64_t j = 0; j < n; ++j) variance += (y[j] - mean) * (y[j] - mean);
  variance /= static_cast<T>(n);
  const T deviation = std::sqrt(variance + static_cast<T>(kLayerNormEpsilon));
  for (std::int64_t j = 0; j < n; ++j)
    y[j] = (y[j] - mean) / deviation * static_cast<T>(scale[j]) + static_cast<T>(shift[j]);
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

  // Rounds a row as keeping it in memory does.
  void keep(T* row, std::int64_t n) const {
    if constexpr (std::is_same_v<T, float>) {
      if (question_.dtype == DType::f32) return;
      std::vector<std::uint16_t> kept(static_cast<std::size_t>(n));
      convert(row, DType::f32, kept.data(), question_.dtype, n);
      convert(kept.data(), question_.dtype, row, DType::f32, n);
    }
  }
  void keep(const Matrix<T>& rows, std::int64_t width) const {
    for (std::int64_t i = 0; i < n_rows(); ++i) keep(rows.row(i), width);
  }

  // Rows of heads side by side, in the type in which they are kept, so that a naive kernel keeps
  // its intermediates in it too. only_given: only the given rows exist.
  struct Heads {
    Tensor kept;
    TensorView view;
  };
  [[nodiscard]] Heads heads_of(const Matrix<T>& rows, std::int64_t count, bool only_given) const {
    constexpr bool kExact = std::is_same_v<T, double>;
    const LayerShape& shape = question_.shape;
    const std::int64_t width = count * shape.head_dim;
    Heads heads;
    heads.view = {rows.row(0),
                  kExact ? DType::f64 : DType::f32,
                  {1, count, shape.n_tokens, shape.head_dim},
                  shape.n_tokens * width,
                  shape.head_dim,
                  width};
    if (kExact || question_.dtype == DType::f32) return heads;
    heads.kept = Tensor(heap_allocator(), question_.dtype, {1, 1, shape.n_tokens, width}, "kept");
    const std::int64_t n = only_given ? n_rows() : shape.n_tokens;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t t = only_given ? token(i) : i;
      convert(rows.row(t), DType::f32, heads.kept.view().row(0, 0, t), question_.dtype, width);
    }
    heads.view.data = heads.kept.view().data;
    heads.view.dtype = question_.dtype;
    return heads;
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
    const Heads queries = heads_of(q, shape.heads, true);
    const Heads keys = heads_of(k, shape.key_heads(), false);
    const Heads values = heads_of(v, shape.key_heads(), false);
    const auto attention = std::is_same_v<T, double> ? reference_rows
                           : question_.eager         ? eager_rows
                                                     : naive_rows;
    const ReferenceRows attended = attention(queries.view, keys.view, values.view, question_.mask,
                                             question_.scale, rows_, threads_);
    Matrix<T> context(n_rows(), query_width_);
    for (std::int64_t h = 0; h < shape.heads; ++h)
      for (std::int64_t i = 0; i < n_rows(); ++i)
        for (std::int64_t e = 0; e < shape.head_dim; ++e)
          context.row(i)[h * shape.head_dim + e] = static_cast<T>(
              attended.out[static_cast<std::size_t>((h * n_rows() + i) * shape.head_dim + e)]);
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
      std::transform(inner.row(i), inner.row(i) + wide_, inner.row(i), gelu<T>);
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
