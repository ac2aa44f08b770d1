// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/gemm.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/testing/test_support.h"

namespace qb::cpu {
namespace {

TEST(Gemm, TakesTransposesAndStrides) {
  // a [5, 3] has rows of 4, b [7, 3] is taken as its transpose, and c [5, 7] has rows of 9.
  const Tensor a = qb::testing_support::random_tensor(DType::f32, {1, 1, 5, 4}, 1);
  const Tensor b = qb::testing_support::random_tensor(DType::f32, {1, 1, 7, 3}, 2);
  const Tensor c(heap_allocator(), DType::f32, {1, 1, 5, 9}, "c");
  qb::testing_support::fill(c.view(), -1.0);
  gemm(5, 7, 3, {a.view().row_as<float>(0, 0, 0), 4, false},
       {b.view().row_as<float>(0, 0, 0), 3, true}, c.view().row_as<float>(0, 0, 0), 9);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 7; ++j) {
      double expected = 0.0;
      for (std::int64_t x = 0; x < 3; ++x)
        expected += qb::testing_support::at(a.view(), 0, 0, i, x) *
                    qb::testing_support::at(b.view(), 0, 0, j, x);
      EXPECT_NEAR(qb::testing_support::at(c.view(), 0, 0, i, j), expected, 1e-5);
    }
    EXPECT_EQ(qb::testing_support::at(c.view(), 0, 0, i, 7), -1.0);
  }
}

TEST(Gemm, ASumOfNothingIsZero) {
  float c[2] = {5.0f, 5.0f};
  gemm(2, 1, 0, {c, 1, false}, {c, 1, false}, c, 1);
  EXPECT_EQ(c[0], 0.0f);
  EXPECT_EQ(c[1], 0.0f);
}

TEST(Gemm, AnErrorOfTheLibraryIsAnException) {
  float c[4] = {};
  EXPECT_THROW(gemm(2, 2, 2, {c, 1, false}, {c, 2, false}, c, 2), std::runtime_error);
}

TEST(Gemm, NamesItsInstructionSet) { EXPECT_FALSE(gemm_isa().empty()); }

}  // namespace
}  // namespace qb::cpu
