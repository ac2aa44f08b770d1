#include "harness/plan/work/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"

namespace qb {
namespace {

TEST(Picture, RectanglesOfCaseStudyOneCoverEveryPairOnce) {
  const Plan plan = make_plan("cqs", testing_support::square_problem(10, MaskKind::full),
                              {7, parse_interest_set("0,1,3", 7)});
  const CsvTable table = partition_rectangles(plan);
  EXPECT_EQ(table.size(), 49u);
  double area = 0.0;
  for (std::size_t row = 0; row < table.size(); ++row)
    area += (table.number(row, "q_end") - table.number(row, "q_begin")) *
            (table.number(row, "k_end") - table.number(row, "k_begin"));
  EXPECT_EQ(area, 100.0);
}

TEST(Picture, CausalRectanglesSaySo) {
  const Plan plan = make_plan("dense", testing_support::square_problem(4, MaskKind::causal), {});
  const CsvTable table = partition_rectangles(plan);
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.text(0, "allowed"), "causal");
  EXPECT_EQ(table.text(0, "offset"), "0");
}

// Marks each pair of N x N that lies in a rectangle of `allowed`.
std::vector<bool> covered(const CsvTable& table, std::int64_t n, const std::string& allowed) {
  std::vector<bool> pairs(static_cast<std::size_t>(n * n));
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "allowed") != allowed) continue;
    const auto edge = [&](const char* column) {
      return static_cast<std::int64_t>(table.number(row, column));
    };
    for (std::int64_t q = edge("q_begin"); q < edge("q_end"); ++q)
      for (std::int64_t k = edge("k_begin"); k < edge("k_end"); ++k) {
        const auto at = static_cast<std::size_t>(q * n + k);
        EXPECT_FALSE(pairs[at]) << "twice";
        pairs[at] = true;
      }
  }
  return pairs;
}

Problem bigbird(std::int64_t n) {
  const MaskSpec mask = MaskSpec(PatternNode{"bigbird",
                                             {{"left", {3}, {}},
                                              {"right", {1}, {}},
                                              {"tokens", {2}, {}},
                                              {"random_blocks", {1}, {}},
                                              {"block", {4}, {}}}});
  return make_problem({1, 1, 1, n, n, 4, 4}, mask, DType::f32, 0);
}

TEST(Picture, OfAPatternHasItsPairsAndNoOthers) {
  for (const std::int64_t n : {11, 37, 64}) {
    const Problem problem = bigbird(n);
    for (const char* algorithm : {"dense", "cqs"}) {
      const Plan plan = make_plan(algorithm, problem, {*algorithm == 'd' ? 1 : 7, {}});
      const CsvTable table = partition_rectangles(plan);
      std::vector<bool> drawn = covered(table, n, "cells");
      const std::vector<bool> whole = covered(table, n, "all");
      for (std::int64_t q = 0; q < n; ++q)
        for (std::int64_t k = 0; k < n; ++k) {
          const auto at = static_cast<std::size_t>(q * n + k);
          EXPECT_EQ(drawn[at] || whole[at], problem.mask.allows(q, k))
              << algorithm << q << ' ' << k;
        }
      for (std::size_t row = 0; row < table.size(); ++row)
        EXPECT_NE(table.text(row, "allowed"), "some") << "single pairs are whole";
    }
  }
}

TEST(Picture, OfALongPatternSaysOfEachCellWhetherAllOrSomeOfItIsAllowed) {
  constexpr std::int64_t kTokens = 50;
  constexpr std::int64_t kSide = 4;  // tokens per cell: 13 cells, the last with two tokens
  const Problem problem = bigbird(kTokens);
  const CsvTable table = partition_rectangles(make_plan("dense", problem, {}), 13);
  const std::vector<bool> cells = covered(table, kTokens, "cells");
  const std::vector<bool> some = covered(table, kTokens, "some");
  for (std::int64_t q = 0; q < kTokens; ++q)
    for (std::int64_t k = 0; k < kTokens; ++k) {
      std::int64_t pairs = 0;
      std::int64_t allowed = 0;
      for (std::int64_t i = q / kSide * kSide; i < std::min(kTokens, (q / kSide + 1) * kSide); ++i)
        for (std::int64_t j = k / kSide * kSide; j < std::min(kTokens, (k / kSide + 1) * kSide);
             ++j) {
          ++pairs;
          allowed += problem.mask.allows(i, j) ? 1 : 0;
        }
      const auto at = static_cast<std::size_t>(q * kTokens + k);
      EXPECT_EQ(cells[at], allowed == pairs) << q << ' ' << k;
      EXPECT_EQ(some[at], allowed > 0 && allowed < pairs) << q << ' ' << k;
    }
}

}  // namespace
}  // namespace qb
