// SPDX-License-Identifier: Apache-2.0
// Tests exp2_fast in every instruction set, over all of its range.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/instruction_set.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/cpu/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// n must be a multiple of every vector.
void exp2_all(const float* x, std::size_t n, float* out) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d))
    hn::StoreU(exp2_fast(d, hn::LoadU(d, x + i)), d, out + i);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {

HWY_EXPORT(exp2_all);

class Exp2 : public ::testing::TestWithParam<InstructionSet> {
 protected:
  Exp2() { use_instruction_set(GetParam()); }
  ~Exp2() override { use_instruction_set(available_instruction_sets().front()); }

  static std::vector<float> exp2_of(std::vector<float> x) {
    const std::size_t n = x.size();
    x.resize((n + 15) / 16 * 16, 0.0f);
    std::vector<float> out(x.size());
    HWY_DYNAMIC_DISPATCH(exp2_all)(x.data(), x.size(), out.data());
    out.resize(n);
    return out;
  }
};

// Checks the largest relative error over a sample of all arguments with a normal result.
TEST_P(Exp2, IsAccurateToThreeHalvesOfARoundingAndWithoutBias) {
  std::vector<float> x;
  for (float value = -125.99f; value < 127.0f; value += 0.00071f) x.push_back(value);
  const std::vector<float> found = exp2_of(x);
  double worst = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp2(static_cast<double>(x[i]));
    const double error = static_cast<double>(found[i]) / exact - 1.0;
    worst = std::max(worst, std::abs(error));
    sum += error;
  }
  // Without fused multiply-adds each step of the polynomial rounds twice.
  const bool fused = GetParam() != InstructionSet::sse4 && GetParam() != InstructionSet::scalar;
  EXPECT_LE(worst, fused ? 1.6e-7 : 2.4e-7);
  EXPECT_LE(std::abs(sum) / static_cast<double>(x.size()), 1e-8);
}

TEST_P(Exp2, WholePowersOfTwoAreExact) {
  for (const float n : {-126.0f, -24.0f, -1.0f, 0.0f, 1.0f, 100.0f})
    EXPECT_EQ(exp2_of({n}).front(), std::exp2(n)) << n;
}

TEST_P(Exp2, TheFarEndIsZeroAndNanStays) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(exp2_of({-kInfinity}).front(), 0.0f);
  EXPECT_EQ(exp2_of({-1e30f}).front(), 0.0f);
  EXPECT_EQ(exp2_of({-200.0f}).front(), 0.0f);
  const float subnormal = exp2_of({-127.5f}).front();  // 0 where the exponent is written
  EXPECT_GE(subnormal, 0.0f);
  EXPECT_LE(subnormal, std::exp2(-127.0f));
  EXPECT_TRUE(std::isnan(exp2_of({std::nanf("")}).front()));
}

INSTANTIATE_TEST_SUITE_P(All, Exp2, ::testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(word(set.param)); });

}  // namespace
}  // namespace qb::cpu
#endif  // HWY_ONCE
