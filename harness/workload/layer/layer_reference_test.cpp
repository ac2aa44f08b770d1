// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/workload/layer/testing/layer_fakes.h"

namespace qb {
namespace {

using Vector = std::vector<double>;
using testing_support::RandomLayer;

// Multiplies one token's states by a weight [out, in] and adds the bias.
Vector product(const LayerWeights& weights, LayerTensor weight, LayerTensor bias, const Vector& x,
               std::size_t out) {
  Vector y(out);
  for (std::size_t j = 0; j < out; ++j) {
    y[j] = weights.data(bias)[j];
    for (std::size_t k = 0; k < x.size(); ++k)
      y[j] += double{weights.data(weight)[j * x.size() + k]} * x[k];
  }
  return y;
}

Vector norm(const LayerWeights& weights, LayerTensor scale, LayerTensor shift, Vector x) {
  double mean = 0.0;
  for (const double value : x) mean += value / double(x.size());
  double variance = 0.0;
  for (const double value : x) variance += (value - mean) * (value - mean) / double(x.size());
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = (x[j] - mean) / std::sqrt(variance + 1e-12) * double{weights.data(scale)[j]} +
           double{weights.data(shift)[j]};
  return x;
}

Vector sum(Vector a, const Vector& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] += b[j];
  return a;
}

// Computes the formulas of transformer_layer.h token by token and head by head.
std::vector<Vector> by_the_formulas(const RandomLayer& layer, std::size_t b) {
  const auto n = static_cast<std::size_t>(layer.shape.n_tokens);
  const auto hidden = static_cast<std::size_t>(layer.shape.hidden());
  const auto d = static_cast<std::size_t>(layer.shape.head_dim);
  const LayerWeights& w = layer.weights;
  std::vector<Vector> x, q, k, v, y;
  for (std::size_t t = 0; t < n; ++t) {
    const float* const row = layer.x.data() + (b * n + t) * hidden;
    x.emplace_back(row, row + hidden);
    q.push_back(product(w, LayerTensor::query_weight, LayerTensor::query_bias, x[t], hidden));
    k.push_back(product(w, LayerTensor::key_weight, LayerTensor::key_bias, x[t], hidden));
    v.push_back(product(w, LayerTensor::value_weight, LayerTensor::value_bias, x[t], hidden));
  }
  for (std::size_t i = 0; i < n; ++i) {
    Vector context(hidden, 0.0);
    for (std::size_t first = 0; first < hidden; first += d) {
      double total = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        if (!layer.options.mask.allows(std::int64_t(i), std::int64_t(j))) continue;
        double score = 0.0;
        for (std::size_t e = first; e < first + d; ++e) score += q[i][e] * k[j][e];
        const double p = std::exp(score * layer.options.scale);
        total += p;
        for (std::size_t e = first; e < first + d; ++e) context[e] += p * v[j][e];
      }
      for (std::size_t e = first; e < first + d; ++e) context[e] /= total;
    }
    const Vector a = norm(w, LayerTensor::attention_norm_scale, LayerTensor::attention_norm_shift,
                          sum(product(w, LayerTensor::attention_output_weight,
                                      LayerTensor::attention_output_bias, context, hidden),
                              x[i]));
    Vector inner =
        product(w, LayerTensor::feed_forward_in_weight, LayerTensor::feed_forward_in_bias, a,
                static_cast<std::size_t>(layer.shape.feed_forward_dim));
    for (double& value : inner) value = 0.5 * value * std::erfc(-value / std::sqrt(2.0));
    y.push_back(norm(w, LayerTensor::output_norm_scale, LayerTensor::output_norm_shift,
                     sum(product(w, LayerTensor::feed_forward_out_weight,
                                 LayerTensor::feed_forward_out_bias, inner, hidden),
                         a)));
  }
  return y;
}

TEST(LayerReference, IsWhatTheFormulasSay) {
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
    const RandomLayer layer({2, 23, 3, 5, 70}, mask, 11);
    const std::vector<std::int64_t> rows = {0, 3, 4, 21, 22};
    const Vector reference = reference_layer_rows(layer.question(), rows, 2);
    const Vector naive = naive_layer_rows(layer.question(), rows, 2);
    ASSERT_EQ(reference.size(), 2 * rows.size() * 15);
    std::size_t i = 0;
    double naive_error = 0.0;
    for (std::size_t b = 0; b < 2; ++b) {
      const std::vector<Vector> y = by_the_formulas(layer, b);
      for (const std::int64_t row : rows)
        for (const double value : y[static_cast<std::size_t>(row)]) {
          ASSERT_NEAR(reference[i], value, 1e-13) << "row " << row;
          ASSERT_NEAR(naive[i], value, 1e-5) << "row " << row;
          naive_error = std::max(naive_error, std::abs(naive[i] - value));
          ++i;
        }
    }
    EXPECT_GT(naive_error, 1e-8) << "the naive layer computes in float32";
  }
}

// A layer of two key-value heads is one of four whose heads 0 and 1, and 2 and 3, are equal.
TEST(LayerReference, OfGroupedHeadsRepeatsThem) {
  const LayerShape whole{1, 19, 4, 6, 30};
  LayerShape grouped = whole;
  grouped.kv_heads = 2;
  RandomLayer few(grouped, MaskKind::causal, 12);
  RandomLayer many(whole, MaskKind::causal, 13);
  many.x = few.x;
  for (const auto& entry : kWords<LayerTensor>.rows) {
    const LayerTensor tensor = entry.first;
    const std::vector<std::int64_t> sizes = tensor_shape(whole, tensor);
    const bool repeats = tensor_shape(grouped, tensor) != sizes;
    const std::int64_t row = sizes.size() == 2 ? sizes[1] : 1;
    for (std::int64_t i = 0; i < sizes[0] * row; ++i) {
      const std::int64_t head = i / row / whole.head_dim;
      const std::int64_t within = i - head * whole.head_dim * row;
      many.weights.data(tensor)[i] =
          few.weights.data(tensor)[repeats ? head / 2 * whole.head_dim * row + within : i];
    }
  }
  const std::vector<std::int64_t> rows = {0, 7, 18};
  const Vector grouped_heads = reference_layer_rows(few.question(), rows, 1);
  const Vector repeated_heads = reference_layer_rows(many.question(), rows, 1);
  ASSERT_EQ(grouped_heads.size(), repeated_heads.size());
  for (std::size_t i = 0; i < grouped_heads.size(); ++i)
    ASSERT_NEAR(grouped_heads[i], repeated_heads[i], 1e-12) << i;
  const std::vector<float> y = few.run();
  EXPECT_TRUE(verify_layer(few.question(), y.data(), rows, 1).correct);
}

}  // namespace
}  // namespace qb
