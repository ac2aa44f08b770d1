// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/files.h"
#include "base/testing/scratch_folder.h"
#include "harness/execute/testing/npy_fakes.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing_support::refusal;

class LayerFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [tensor, name] : kWords<LayerTensor>.rows)
      write(tensor, tensor_shape(shape_, tensor), static_cast<double>(tensor));
  }

  void write(LayerTensor tensor, const std::vector<std::int64_t>& shape, double first,
             DType dtype = DType::f32) const {
    NpyArray array = testing_support::named("", dtype, shape);
    store_element(array.data.data(), dtype, first);
    write_file_atomically(file(tensor), npy_bytes(dtype, shape, array.data.data()));
  }
  [[nodiscard]] std::string file(LayerTensor tensor) const {
    return folder_ + "/" + std::string(word(tensor)) + ".npy";
  }
  [[nodiscard]] std::string refused() const {
    return refusal([&] { (void)read_weights(folder_, shape_, heap_allocator()); });
  }

  const LayerShape shape_{1, 0, 3, 2, 10};
  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(LayerFiles, AreReadEachIntoItsPlace) {
  write(LayerTensor::output_norm_shift, {6}, 15.0, DType::f16);
  write(LayerTensor::query_bias, {6}, 3.0, DType::f64);
  const LayerWeights weights = read_weights(folder_, shape_, heap_allocator());
  std::int64_t elements = 0;
  for (const auto& entry : kWords<LayerTensor>.rows) {
    const auto sizes = tensor_shape(shape_, entry.first);
    elements += sizes[0] * (sizes.size() == 2 ? sizes[1] : 1);
  }
  EXPECT_EQ(weights.view().bytes(), elements * size_of(DType::f32));
  for (const auto& [tensor, name] : kWords<LayerTensor>.rows) {
    EXPECT_EQ(weights.data(tensor)[0], static_cast<float>(tensor)) << name;
    EXPECT_EQ(weights.data(tensor)[1], 1.0f) << name;
    EXPECT_EQ(weights.data(tensor)[5], 5.0f) << name;
  }
  EXPECT_EQ(weights.data(LayerTensor::feed_forward_in_weight)[59], 59.0f);
  // One product computes neighbours because they follow each other in memory.
  EXPECT_EQ(weights.data(LayerTensor::value_weight), weights.data(LayerTensor::key_weight) + 36);
  EXPECT_EQ(weights.data(LayerTensor::value_bias), weights.data(LayerTensor::key_bias) + 6);
}

TEST_F(LayerFiles, TellTheShape) {
  const LayerShape shape = shape_of_weights(folder_, 3);
  EXPECT_EQ(shape.hidden(), 6);
  EXPECT_EQ(shape.head_dim, 2);
  EXPECT_EQ(shape.feed_forward_dim, 10);
}

TEST_F(LayerFiles, ThatHeadsDoNotDivideAreRefused) {
  for (const std::int64_t heads : {4, 7, 0, -1})
    EXPECT_EQ(refusal([&] { (void)shape_of_weights(folder_, heads); }),
              std::to_string(heads) + " heads do not divide the hidden width 6 of " + folder_ +
                  "/attention.self.query.weight.npy; give as many as its model has");
}

TEST_F(LayerFiles, ThatAreMissingAreNamed) {
  std::filesystem::remove(file(LayerTensor::feed_forward_out_bias));
  std::filesystem::remove(file(LayerTensor::key_weight));
  EXPECT_EQ(refused(), folder_ +
                           " lacks 2 of the 16 files of a layer: attention.self.key.weight, "
                           "output.dense.bias (each NAME.npy)");
  EXPECT_THAT(refusal([] { (void)shape_of_weights("/nowhere", 2); }),
              AllOf(HasSubstr("/nowhere: no such folder"),
                    EndsWith("such as attention.self.query.weight.npy")));
}

TEST_F(LayerFiles, OfAnotherShapeAreNamedWithBothShapes) {
  write(LayerTensor::feed_forward_out_weight, {10, 6}, 0.0);  // [in, out]
  EXPECT_EQ(refused(),
            folder_ +
                "/output.dense.weight.npy has shape [10, 6], and [6, 10] is wanted: "
                "hidden width 6 = 3 heads x 2, feed-forward width 10, weights [out, in]");
  write(LayerTensor::query_weight, {36}, 0.0);
  EXPECT_EQ(
      refusal([&] { (void)shape_of_weights(folder_, 3); }),
      folder_ + "/attention.self.query.weight.npy has shape [36]; it must be a matrix [out, in]");
}

TEST_F(LayerFiles, WithWhatIsNoNumberAreNamedWithTheIndex) {
  write(LayerTensor::output_norm_scale, {6}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(refused(),
            folder_ + "/output.LayerNorm.weight.npy holds nan at [0]; finite numbers are needed");
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
