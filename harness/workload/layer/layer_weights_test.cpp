// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace qb {
namespace {

TEST(LayerWeights, FollowEachOtherInMemory) {
  const LayerShape shape{1, 0, 3, 2, 10};
  const LayerWeights weights(shape, heap_allocator());
  const float* next = weights.data(LayerTensor::query_weight);
  for (const auto& [tensor, name] : kWords<LayerTensor>.rows) {
    EXPECT_EQ(weights.data(tensor), next) << name;
    const auto sizes = tensor_shape(shape, tensor);
    next += sizes[0] * (sizes.size() == 2 ? sizes[1] : 1);
  }
  EXPECT_EQ(weights.view().extent.elements(), next - weights.data(LayerTensor::query_weight));
}

TEST(RandomWeights, DependOnTheSeedAloneAndKeepStatesInSize) {
  const LayerShape shape{1, 0, 4, 32, 512};
  const LayerWeights one = random_weights(shape, 1, heap_allocator(), 1);
  const LayerWeights same = random_weights(shape, 1, heap_allocator(), 3);
  const LayerWeights other = random_weights(shape, 2, heap_allocator(), 1);
  const auto bytes = static_cast<std::size_t>(one.view().bytes());
  EXPECT_EQ(
      std::memcmp(one.data(LayerTensor::query_weight), same.data(LayerTensor::query_weight), bytes),
      0);
  EXPECT_NE(std::memcmp(one.data(LayerTensor::query_weight), other.data(LayerTensor::query_weight),
                        bytes),
            0);
  double squares = 0.0;
  for (int i = 0; i < 128 * 512; ++i)
    squares += std::pow(double{one.data(LayerTensor::feed_forward_out_weight)[i]}, 2);
  EXPECT_NEAR(squares / (128 * 512), 1.0 / 512, 0.03 / 512);
  EXPECT_NE(one.data(LayerTensor::key_weight)[0], one.data(LayerTensor::query_weight)[0]);
  EXPECT_NEAR(one.data(LayerTensor::output_norm_scale)[3], 1.0f, 0.2f);
}

TEST(RandomWeights, EveryBitOfASeedCounts) {
  const LayerShape shape{1, 20, 4, 32, 512};
  const Tensor states = random_states(shape, 1, heap_allocator(), 1);
  const auto bytes = static_cast<std::size_t>(states.view().bytes());
  for (const int bit : {1, 55, 56, 63}) {
    const Tensor other = random_states(shape, 1 + (std::uint64_t{1} << bit), heap_allocator(), 1);
    EXPECT_NE(std::memcmp(states.view().data, other.view().data, bytes), 0) << bit;
  }
}

TEST(RandomWeights, GradientsOfTheOutputAreNoOtherValuesOfTheSeed) {
  const LayerShape shape{1, 20, 4, 32, 512};
  const Tensor gradients = random_output_gradients(shape, 1, heap_allocator(), 1);
  const Tensor same = random_output_gradients(shape, 1, heap_allocator(), 3);
  const Tensor states = random_states(shape, 1, heap_allocator(), 1);
  const Tensor of_next_seed = random_states(shape, 2, heap_allocator(), 1);
  const auto bytes = static_cast<std::size_t>(gradients.view().bytes());
  EXPECT_EQ(std::memcmp(gradients.view().data, same.view().data, bytes), 0);
  EXPECT_NE(std::memcmp(gradients.view().data, states.view().data, bytes), 0);
  EXPECT_NE(std::memcmp(gradients.view().data, of_next_seed.view().data, bytes), 0);
}

}  // namespace
}  // namespace qb
