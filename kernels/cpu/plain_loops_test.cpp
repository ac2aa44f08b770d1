// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/plain_loops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace qb::cpu {
namespace {

// Returns the sum of one element, term after term, with or without a rounding of each product.
template <class T>
T plain_sum(const PlainProducts<T>& of, std::int64_t i, std::int64_t j, T sum, bool fused,
            bool zeros) {
  for (std::int64_t k = 0; k < of.depth; ++k) {
    const T a = of.a[i * of.a_stride + k];
    const T b = of.b[k * of.b_stride + j];
    if (!zeros && a == T{0}) continue;
    const volatile T product = a * b;
    sum = fused ? std::fma(a, b, sum) : sum + product;
  }
  return sum;
}

template <class T>
class PlainLoops : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(PlainLoops, Types);

// Whatever block of registers an element is in, its terms are added in order: the bits are those of
// a plain loop. A processor that can fuse a product and a sum does so in all elements.
TYPED_TEST(PlainLoops, EachSumIsInOrderAndLeavesOutZerosOnlyOfWeights) {
  using T = TypeParam;
  constexpr std::uint32_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::normal_distribution<T> normal;
  for (const std::int64_t rows : {1, 3, 4, 9})
    for (const std::int64_t columns : {1, 7, 8, 64, 75, 131})
      for (const bool of_weights : {false, true}) {
        constexpr std::int64_t kDepth = 37;
        std::vector<T> a(static_cast<std::size_t>(rows * (kDepth + 2)));
        std::vector<T> b(static_cast<std::size_t>(kDepth * (columns + 3)));
        std::vector<T> c(static_cast<std::size_t>(rows * (columns + 1)));
        for (std::vector<T>* const values : {&a, &b, &c})
          for (T& value : *values) value = normal(random);
        for (std::size_t i = 0; i < a.size(); i += 5) a[i] = T{0};
        // A weight of 0 keeps it out of the sums.
        if (of_weights && rows == 1) b[0] = std::numeric_limits<T>::quiet_NaN();
        const std::vector<T> before = c;
        const PlainProducts<T> of{rows,     kDepth,      columns,  a.data(),   kDepth + 2,
                                  b.data(), columns + 3, c.data(), columns + 1};
        of_weights ? add_weighted_rows(of) : add_products(of);
        std::vector<T> fused = before;
        std::vector<T> rounded = before;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            const auto at = static_cast<std::size_t>(i * (columns + 1) + j);
            fused[at] = plain_sum(of, i, j, before[at], true, !of_weights);
            rounded[at] = plain_sum(of, i, j, before[at], false, !of_weights);
          }
        EXPECT_TRUE(c == fused || c == rounded) << rows << " rows, " << columns << " columns";
      }
}

}  // namespace
}  // namespace qb::cpu
