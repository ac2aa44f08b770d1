// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/testing/backward_fakes.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using testing_support::LayerStep;

class LayerVerifyGradients : public ::testing::Test {
 protected:
  void expect_refused(std::string_view place) const {
    const Verification verification = step_.verify(result_);
    EXPECT_FALSE(verification.correct);
    EXPECT_THAT(verification.message, HasSubstr(std::string(place)));
  }
  [[nodiscard]] static LayerStep make_step() {
    return {{2, 20, 4, 8, 40, 2}, MaskKind::causal, DType::f32, 4};
  }
  LayerStep step_ = make_step();
  LayerStep::Result result_ = step_.run();
};

TEST_F(LayerVerifyGradients, PassesRightGradients) {
  const Verification verification = step_.verify(result_);
  EXPECT_TRUE(verification.correct) << verification.message;
  EXPECT_EQ(verification.rows, 40);
  EXPECT_GT(verification.naive_error, 0.0);
  EXPECT_LE(verification.max_error, verification.tolerance);
  EXPECT_LT(verification.tolerance, 1e-3);
  EXPECT_GT(verification.relative_l2_error, 0.0);
  EXPECT_LT(verification.relative_l2_error, 1e-5);
}

TEST_F(LayerVerifyGradients, SaysTheErrorsOfStatesAndOfWeightsByThemselves) {
  result_.d_x[5] += 0.25f;
  const Verification wrong_state = step_.verify(result_);
  ASSERT_EQ(wrong_state.layer_gradients.size(), 2u);
  const GradientErrors& states = wrong_state.layer_gradients[0];
  const GradientErrors& weights = wrong_state.layer_gradients[1];
  EXPECT_NEAR(states.max_error, 0.25, 1e-4);
  EXPECT_EQ(states.max_error, wrong_state.max_error) << "it is the one beyond its tolerance";
  EXPECT_GT(weights.max_error, 0.0);
  EXPECT_LE(weights.max_error, weights.tolerance);
  EXPECT_LT(weights.relative_l2_error, 1e-5);
  EXPECT_GT(states.relative_l2_error, 1e-5);
}

TEST_F(LayerVerifyGradients, NamesTheWeightThatIsWrong) {
  result_.d_weights.data(LayerTensor::feed_forward_in_weight)[3 * 32 + 5] += 0.01f;
  expect_refused("the gradient of intermediate.dense.weight at row 3, column 5 is");
}

TEST_F(LayerVerifyGradients, NamesTheBiasThatIsWrongAmongThoseJudgedTogether) {
  result_.d_weights.data(LayerTensor::value_bias)[7] -= 0.01f;
  expect_refused("the gradient of attention.self.value.bias at 7 is");
}

TEST_F(LayerVerifyGradients, NamesTheStateThatIsWrong) {
  result_.d_x[(20 + 7) * 32 + 5] += 1e-3f;
  expect_refused("the gradient of the hidden states at batch 1, row 7, element 5 is");
}

TEST_F(LayerVerifyGradients, LooksForWhatWasNeverWritten) {
  result_.d_x[5] = std::numeric_limits<float>::quiet_NaN();
  expect_refused("batch 0, row 0, element 5 is nan: never written");
  result_.d_x[5] = 0.0f;
  result_.d_weights.data(LayerTensor::output_norm_shift)[31] =
      std::numeric_limits<float>::infinity();
  expect_refused("output.LayerNorm.bias at 31 is inf");
}

TEST_F(LayerVerifyGradients, AnotherMaskScaleOrGradientIsSeen) {
  LayerStep full = make_step();
  full.layer.options.mask = Mask::full();
  EXPECT_FALSE(full.verify(result_).correct);
  LayerStep scaled = make_step();
  scaled.layer.options.scale *= 1.01;
  EXPECT_FALSE(scaled.verify(result_).correct);
  LayerStep other = make_step();
  other.d_y[3] += 0.01f;
  EXPECT_FALSE(other.verify(result_).correct);
}

}  // namespace
}  // namespace qb
