#include "harness/plan/picture.h"

#include <gtest/gtest.h>

#include "harness/plan/brute_force.h"
#include "harness/plan/strategy.h"

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

}  // namespace
}  // namespace qb
