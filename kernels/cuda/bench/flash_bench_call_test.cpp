// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/bench/flash_bench.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "kernels/allocator.h"
#include "kernels/reference.h"

namespace qb::cuda {
namespace {

constexpr std::int64_t kLength = 150;

Tensor random_heads(unsigned seed) {
  Tensor tensor(heap_allocator(), DType::bf16, {1, 2, kLength, 32}, "random");
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  auto* element = static_cast<std::byte*>(tensor.view().data);
  for (std::int64_t i = 0; i < tensor.view().extent.elements();
       ++i, element += size_of(DType::bf16))
    store_element(element, DType::bf16, normal(engine));
  return tensor;
}

class BenchRowCheck : public ::testing::Test {
 protected:
  [[nodiscard]] RowCheck check(const Mask& mask) const {
    return RowCheck({q_.view(), k_.view(), v_.view(), {}, mask, kScale});
  }
  [[nodiscard]] std::vector<float> naive(const Mask& mask) const {
    const auto rows = check(mask).rows();
    const auto out = naive_rows(q_.view(), k_.view(), v_.view(), mask, kScale, rows).out;
    return {out.begin(), out.end()};
  }

  [[nodiscard]] GradientProblem gradients(const Mask& mask) const {
    return {q_.view(), k_.view(), v_.view(), d_out_.view(), mask, kScale};
  }

  static constexpr double kScale = 0.2;
  Tensor q_ = random_heads(1);
  Tensor k_ = random_heads(2);
  Tensor v_ = random_heads(3);
  Tensor d_out_ = random_heads(4);
  Mask causal_ = Mask::causal(kLength, kLength);
};

TEST_F(BenchRowCheck, LooksAtTheFirstTheMiddleAndTheLastQuery) {
  EXPECT_EQ(check(causal_).rows(), (std::vector<std::int64_t>{0, kLength / 2, kLength - 1}));
}

TEST_F(BenchRowCheck, APlainComputationIsRightUnderItsOwnMaskOnly) {
  EXPECT_EQ(check(causal_).flaw(naive(causal_)), "");
  EXPECT_EQ(check(Mask()).flaw(naive(Mask())), "");
  EXPECT_NE(check(Mask()).flaw(naive(causal_)), "");
}

TEST_F(BenchRowCheck, OneElementThatIsOffOrNotANumberIsAFlaw) {
  std::vector<float> out = naive(causal_);
  out.back() += 0.05F;
  EXPECT_NE(check(causal_).flaw(out).find("query 149 is off by"), std::string::npos);
  out.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(check(causal_).flaw(out), "");
  out.pop_back();
  EXPECT_EQ(check(causal_).flaw(out), "the output has another size");
}

TEST_F(BenchRowCheck, WithAGradientOfTheOutputItLooksAtTheGradientOfQueries) {
  const RowCheck check(gradients(causal_));
  const auto naive = naive_gradients(gradients(causal_), check.rows(), {}).d_q;
  std::vector<float> d_q(naive.begin(), naive.end());
  EXPECT_EQ(check.flaw(d_q), "");
  EXPECT_NE(RowCheck(gradients(Mask())).flaw(d_q), "");
  d_q.front() += 1e-7F;  // it is 0, and the terms that cancel there are rounded
  EXPECT_EQ(check.flaw(d_q), "");
  d_q.front() += 0.05F;
  EXPECT_NE(check.flaw(d_q).find("query 0 is off by"), std::string::npos);
}

}  // namespace
}  // namespace qb::cuda
