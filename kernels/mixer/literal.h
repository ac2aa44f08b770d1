// SPDX-License-Identifier: Apache-2.0
// What the references of the operators compute with, one number at a time. T is double, or float
// where the error of a straightforward implementation is wanted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/cpu/plain_loops.h"
#include "kernels/mixer/mixer.h"

namespace qb::literal {

using cpu::rounded;

// Rows of numbers.
template <class T>
struct Rows {
  std::int64_t width = 0;
  std::vector<T> numbers;
  Rows(std::int64_t count, std::int64_t columns)
      : width(columns), numbers(static_cast<std::size_t>(count * columns)) {}
  Rows(const TensorView& view, std::int64_t b, std::int64_t head)
      : Rows(view.extent.length, view.extent.head_dim) {
    for (std::int64_t i = 0; i < count(); ++i)
      convert(view.row(b, head, i), view.dtype, row(i), cpu::kTypeOf<T>, width);
  }
  [[nodiscard]] std::int64_t count() const { return std::ssize(numbers) / width; }
  [[nodiscard]] T* row(std::int64_t i) { return numbers.data() + i * width; }
  [[nodiscard]] const T* row(std::int64_t i) const { return numbers.data() + i * width; }
};

template <class T>
T dot(const T* a, const T* b, std::int64_t count) {
  return std::inner_product(a, a + count, b, T{0});
}

// to += weight * from
template <class T>
void add_row(T weight, const T* from, std::int64_t count, T* to) {
  for (std::int64_t x = 0; x < count; ++x) to[x] += weight * from[x];
}

template <class T>
void round_rows(Rows<T>& rows, DType type) {
  for (T& each : rows.numbers) each = rounded(each, type);
}

// elu + 1, the features of linear.
template <class T>
Rows<T> elu_features(Rows<T> rows, DType type) {
  for (T& x : rows.numbers) x = rounded(x > T{0} ? x + T{1} : std::exp(x), type);
  return rows;
}

template <class T>
Rows<T> product(const Rows<T>& a, const Rows<T>& b) {
  Rows<T> c(a.count(), b.width);
  for (std::int64_t i = 0; i < a.count(); ++i)
    for (std::int64_t k = 0; k < a.width; ++k) add_row(a.row(i)[k], b.row(k), b.width, c.row(i));
  return c;
}

// A sum of values whose weights are e^x, relative to the largest of them.
template <class T>
struct WeighedSum {
  T largest = -std::numeric_limits<T>::infinity();
  T total = 0;
  std::vector<T> sum;
  DType type;  // weights are rounded to it

  WeighedSum(std::int64_t width, DType rounding)
      : sum(static_cast<std::size_t>(width)), type(rounding) {}
  void add(T exponent, const T* values) {
    if (exponent == -std::numeric_limits<T>::infinity()) return;
    if (exponent > largest) {
      const T factor = std::exp(largest - exponent);
      total *= factor;
      for (T& each : sum) each *= factor;
      largest = exponent;
    }
    const T weight = rounded(std::exp(exponent - largest), type);
    total += weight;
    add_row(weight, values, std::ssize(sum), sum.data());
  }
  void store(T* out) const {
    for (std::size_t x = 0; x < sum.size(); ++x) out[x] = total == T{0} ? T{0} : sum[x] / total;
  }
};

// exp(exponents - largest), which are the features but for a factor.
template <class T>
struct Features {
  std::vector<T> exponents;
  std::vector<T> scaled;
  T largest = -std::numeric_limits<T>::infinity();
  Features(const Rows<T>& omega, const T* x, T scale, DType type) {
    const T root = std::sqrt(scale);
    const T half = dot(x, x, omega.width) * scale / T{2};
    for (std::int64_t r = 0; r < omega.count(); ++r)
      exponents.push_back(root * dot(omega.row(r), x, omega.width) - half);
    for (const T each : exponents) largest = std::max(largest, each);
    for (const T each : exponents) scaled.push_back(rounded(std::exp(each - largest), type));
  }
  // Returns log(phi(q).phi(k)) up to the constant log(rank).
  [[nodiscard]] static T log_dot(const Features& q, const Features& k) {
    constexpr T kLeast = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
    const auto rank = std::ssize(q.scaled);
    const T near = dot(q.scaled.data(), k.scaled.data(), rank);
    if (near > kLeast) return q.largest + k.largest + std::log(near);
    WeighedSum<T> sum(0, DType::f64);  // their largest features are others
    for (std::size_t r = 0; r < q.scaled.size(); ++r)
      sum.add(q.exponents[r] + k.exponents[r], nullptr);
    return sum.largest + std::log(sum.total);
  }
};

// The state of gated_delta, token after token. Updates are rounded to `type`.
template <class T>
struct DeltaState {
  Rows<T> k;
  Rows<T> v;
  Rows<T> decay;
  Rows<T> beta;
  DType type;
  Rows<T> s{k.width, v.width};
  std::vector<T> error{};   // of the last token: v less what the decayed state has of its key
  std::vector<T> update{};  // beta times that
  [[nodiscard]] T factor(std::int64_t i, std::int64_t r) const {
    return std::exp(decay.row(i)[decay.width == 1 ? 0 : r]);
  }
  void add(std::int64_t i) {
    error.assign(v.row(i), v.row(i) + v.width);
    for (std::int64_t r = 0; r < k.width; ++r) {
      const T kept = factor(i, r);
      for (std::int64_t x = 0; x < v.width; ++x) s.row(r)[x] *= kept;
      add_row(-k.row(i)[r], s.row(r), v.width, error.data());
    }
    update.clear();
    for (const T each : error) update.push_back(rounded(beta.row(i)[0] * each, type));
    for (std::int64_t r = 0; r < k.width; ++r)
      add_row(k.row(i)[r], update.data(), v.width, s.row(r));
  }
};

// Not rounded to the inputs' type, since no product of a matrix reads it.
template <class T>
T sigmoid(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

// A short convolution of one head.
template <class T>
struct Convolution {
  std::span<const std::int64_t> begins;
  Rows<T> v;
  Rows<T> w;
  Convolution(const MixerArguments& a, std::int64_t b, std::int64_t h)
      : begins(a.begins), v(a.v, b, h), w(a.projection, 0, h) {}
  // How many taps see a token of i's document.
  [[nodiscard]] std::int64_t taps(std::int64_t i) const {
    std::int64_t first = 0;
    for (const std::int64_t begin : begins)
      if (begin <= i) first = begin;
    return std::min(w.count(), i - first + 1);
  }
  // to += the sum of the taps
  void add_products(std::int64_t i, T* to) const {
    for (std::int64_t t = 0; t < taps(i); ++t)
      for (std::int64_t x = 0; x < v.width; ++x) to[x] += w.row(t)[x] * v.row(i - t)[x];
  }
};

}  // namespace qb::literal
