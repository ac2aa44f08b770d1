// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "harness/papers/testing/fake_measurements.h"

namespace qb {
namespace {

using testing_support::paper_of;

// A rate of kernel k, 1 to 3, and N tokens, a product of what either key gives; the cell of kernel
// 2 at 2048 tokens is `odd` times it.
Paper rates(double odd) {
  std::string csv = "kernel,tokens,rate\n";
  for (const int kernel : {1, 2, 3})
    for (const int tokens : {1024, 2048, 4096, 8192})
      csv += fmt::format("{},{},{}\n", kernel, tokens,
                         10.0 * kernel * tokens * (kernel == 2 && tokens == 2048 ? odd : 1.0));
  return paper_of("{kernel: key, tokens: key, rate: rate}", "", csv);
}

std::vector<std::optional<double>> expected(Paper paper, const std::string& tokens) {
  paper.tables[0].tokens = tokens;
  return by_neighbours(paper.tables[0], "rate");
}

constexpr std::size_t kOdd = 5;  // the row of kernel 2 at 2048 tokens

TEST(Neighbours, GiveTheCellOfATableOfProducts) {
  const auto all = expected(rates(1.0), "tokens");
  ASSERT_EQ(all.size(), 12u);
  for (std::size_t row = 0; row < all.size(); ++row) {
    const double cell = 10.0 * (1.0 + static_cast<double>(row / 4)) * (1024 << row % 4);
    if (all[row]) {
      EXPECT_NEAR(*all[row], cell, 1e-6 * cell) << row;
    }
  }
  EXPECT_TRUE(all[kOdd]);
}

TEST(Neighbours, DoNotFollowTheCellThatIsWrong) {
  EXPECT_NEAR(*expected(rates(1.3), "tokens")[kOdd], 10.0 * 2 * 2048, 1e-6);
}

TEST(Neighbours, OfALengthAreTheNextOnesOnly) {
  // The first length has one neighbour, and the two other kernels make two values of it: too few.
  EXPECT_FALSE(expected(rates(1.0), "tokens")[0]);
  EXPECT_TRUE(expected(rates(1.0), "")[0]) << "any value of a key that is not a length";
}

TEST(Neighbours, OfAnEmptyCellOrOneThatIsNotPositiveSayNothing) {
  for (const char* text : {"", "0"}) {
    Paper paper = rates(1.0);
    paper.tables[0].cells.set(kOdd, "rate", text);
    EXPECT_FALSE(expected(std::move(paper), "tokens")[kOdd]);
  }
}

}  // namespace
}  // namespace qb
