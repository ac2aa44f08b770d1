// SPDX-License-Identifier: Apache-2.0
// Compares the float64 gradients with differences of the float64 layer, which know no formula of
// the backward pass.
#include "harness/workload/layer/layer_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/workload/layer/testing/backward_fakes.h"
#include "kernels/testing/backward_support.h"

namespace qb {
namespace {

using testing_support::LayerStep;
using testing_support::RandomLayer;

// The loss whose gradient with respect to y is d_y.
double loss(const RandomLayer& layer, const std::vector<float>& d_y) {
  const std::vector<double> y = reference_layer_rows(
      layer.question(), layer_rows_to_verify(layer.shape.n_tokens, 0, layer.shape.n_tokens, 1), 1);
  return std::inner_product(y.begin(), y.end(), d_y.begin(), 0.0);
}

double difference(const RandomLayer& layer, const std::vector<float>& d_y, float& value,
                  float step) {
  const float before = value;
  value = before + step;
  const double above = loss(layer, d_y);
  value = before - step;
  const double below = loss(layer, d_y);
  value = before;
  return (above - below) / (2.0 * double{step});
}

// Central differences of two steps cancel the error of the second order.
double derivative(const RandomLayer& layer, const std::vector<float>& d_y, float& value) {
  constexpr float kStep = 0x1p-7f;
  const double coarse = difference(layer, d_y, value, kStep);
  const double fine = difference(layer, d_y, value, kStep / 2.0f);
  return (4.0 * fine - coarse) / 3.0;
}

// Makes values such that a step up or down is exact.
void coarsen(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = std::round(values[i] * 4096.0f) / 4096.0f;
}

TEST(LayerGradients, AreTheDifferencesOfTheFloat64Layer) {
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
    LayerStep step({2, 5, 2, 3, 7, 1}, mask, DType::f32, 21);
    RandomLayer& layer = step.layer;
    float* const weights = layer.weights.data(LayerTensor::query_weight);
    const std::int64_t n_weights = layer.weights.view().extent.elements();
    coarsen(weights, n_weights);
    coarsen(layer.x.data(), std::ssize(layer.x));
    const LayerGradients gradients =
        reference_layer_gradients(layer.question(), step.d_y.data(), 2);
    ASSERT_EQ(gradients.d_x.size(), layer.x.size());
    ASSERT_EQ(std::ssize(gradients.d_weights), n_weights);
    const double largest = std::max({1.0, testing_support::largest_magnitude(gradients.d_x),
                                     testing_support::largest_magnitude(gradients.d_weights)});
    for (std::size_t i = 0; i < layer.x.size(); ++i)
      ASSERT_NEAR(gradients.d_x[i], derivative(layer, step.d_y, layer.x[i]), 1e-5 * largest)
          << "state " << i;
    for (std::int64_t i = 0; i < n_weights; ++i)
      ASSERT_NEAR(gradients.d_weights[static_cast<std::size_t>(i)],
                  derivative(layer, step.d_y, weights[i]), 1e-5 * largest)
          << "weight " << i;
  }
}

TEST(LayerGradients, OfANaiveLayerAreThoseOfFloat64ToItsTypesPrecision) {
  const LayerShape shape{2, 23, 4, 5, 70, 2};
  double finer = 0.0;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    SCOPED_TRACE(word(dtype));
    const LayerStep step(shape, MaskKind::causal, dtype, 22);
    const LayerGradients exact = reference_layer_gradients(step.question(), step.d_y.data(), 2);
    const LayerGradients naive = naive_layer_gradients(step.question(), step.d_y.data(), 1);
    const double error =
        std::max(testing_support::max_difference(naive.d_x, exact.d_x) /
                     testing_support::largest_magnitude(exact.d_x),
                 testing_support::max_difference(naive.d_weights, exact.d_weights) /
                     testing_support::largest_magnitude(exact.d_weights));
    EXPECT_LT(error, 50.0 * unit_roundoff(dtype));
    EXPECT_GT(error, finer) << "a coarser type is coarser";
    finer = error;
  }
}

TEST(LayerGradients, OfKeysBiasAreNothing) {
  const LayerStep step({1, 19, 2, 6, 30}, MaskKind::full, DType::f32, 23);
  const LayerGradients gradients = reference_layer_gradients(step.question(), step.d_y.data());
  const LayerWeights& weights = step.layer.weights;
  const auto first = static_cast<std::size_t>(weights.data(LayerTensor::key_bias) -
                                              weights.data(LayerTensor::query_weight));
  // It shifts all scores of a row equally, which a softmax does not see.
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(gradients.d_weights[first + i], 0.0, 1e-13);
}

}  // namespace
}  // namespace qb
