// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/workload/layer/testing/layer_fakes.h"

namespace qb {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::RandomLayer;

class LayerVerify : public ::testing::Test {
 protected:
  [[nodiscard]] Verification verify(const RandomLayer& asked) const {
    return verify_layer(asked.question(), y_.data(), rows_, 1);
  }
  RandomLayer layer_{{2, 40, 2, 16, 64}, MaskKind::full, 4};
  std::vector<float> y_ = layer_.run();
  std::vector<std::int64_t> rows_ = {0, 7, 39};
};

TEST_F(LayerVerify, PassesARightOutput) {
  const Verification verification = verify(layer_);
  EXPECT_TRUE(verification.correct) << verification.message;
  EXPECT_EQ(verification.rows, 3);
  EXPECT_GT(verification.naive_error, 0.0);
  EXPECT_LE(verification.max_error, verification.tolerance);
  EXPECT_LT(verification.tolerance, 1e-4);
  EXPECT_GT(verification.relative_l2_error, 0.0);
  EXPECT_LT(verification.relative_l2_error, 1e-5);
}

TEST_F(LayerVerify, NamesTheElementThatIsWrong) {
  y_[(40 + 7) * 32 + 5] += 1e-3f;
  const Verification verification = verify(layer_);
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message, HasSubstr("batch 1, row 7, element 5"));
}

TEST_F(LayerVerify, AnOutlierIsTheWholeRelativeL2Error) {
  const float right = y_[7 * 32 + 5];
  y_[7 * 32 + 5] = right + 1e3f;
  const double once = verify(layer_).relative_l2_error;
  y_[7 * 32 + 5] = right - 2e3f;
  EXPECT_NEAR(verify(layer_).relative_l2_error / once, 2.0, 1e-3);
}

TEST_F(LayerVerify, LooksAtEveryElementForWhatWasNeverWritten) {
  y_[20 * 32 + 31] = std::numeric_limits<float>::quiet_NaN();  // in a row that is not compared
  const Verification verification = verify(layer_);
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message, HasSubstr("batch 0, row 20, element 31 is nan"));
}

TEST_F(LayerVerify, AnotherMaskScaleOrWeightIsSeen) {
  RandomLayer causal({2, 40, 2, 16, 64}, MaskKind::full, 4);
  causal.options.mask = Mask::causal(40, 40);
  EXPECT_FALSE(verify(causal).correct);
  RandomLayer scaled({2, 40, 2, 16, 64}, MaskKind::full, 4);
  scaled.options.scale *= 1.01;
  EXPECT_FALSE(verify(scaled).correct);
  for (const auto& [tensor, name] : kWords<LayerTensor>.rows) {
    if (tensor == LayerTensor::key_bias) continue;  // it shifts all scores of a row equally
    RandomLayer changed({2, 40, 2, 16, 64}, MaskKind::full, 4);
    changed.weights.data(tensor)[1] += 0.01f;
    EXPECT_FALSE(verify(changed).correct) << name;
  }
}

TEST(LayerRowsToVerify, AreTheEdgesOfBlocksAndRandomOnes) {
  const std::vector<std::int64_t> rows = layer_rows_to_verify(1000, 300, 20, 1);
  EXPECT_EQ(rows.size(), 20u);
  for (const std::int64_t edge : {0, 299, 300, 599, 600, 899, 900, 999})
    EXPECT_THAT(rows, Contains(edge));
  EXPECT_EQ(layer_rows_to_verify(5, 2, 20, 1).size(), 5u);
  EXPECT_TRUE(layer_rows_to_verify(1000, 0, 0, 1).empty());
}

}  // namespace
}  // namespace qb
