// SPDX-License-Identifier: Apache-2.0
#include "base/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/status.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Verdict, APrintedNumberIsADecimal) {
  for (const char* text : {"", "x", "1.4x", "1.2.3", "~3", "1e", "64Ki"})
    EXPECT_THROW((void)parse_printed(text), UsageError) << text;
}

TEST(Verdict, TheLastDigitOfAnExponentialIsThatOfItsMantissa) {
  EXPECT_DOUBLE_EQ(parse_printed("2.69e-04").unit, 1e-6);
  EXPECT_DOUBLE_EQ(parse_printed("8.1e17").unit, 1e16);
  EXPECT_DOUBLE_EQ(parse_printed("-0.15").unit, 0.01);
  EXPECT_EQ(parse_printed("-0.15").value, -0.15);
}

TEST(Verdict, CrossoversAndExponentsAreComparedByAFactor) {
  const std::vector<ShapePoint> points = {{1, 0.5, 0.25}, {2, 2.0, 1.0}, {4, 8.0, 4.0}};
  EXPECT_EQ(
      judge_exponent(points, 1.01).text(),
      "shape agrees: exponent 2.00 published and 2.00 ours; 3 of 3 resolved pairs in order, of "
      "3 (a constant: open; reversed: differs)");
  EXPECT_EQ(judge_crossover(points, 0.9, 2.0).answer, Answer::shape_agrees);
  EXPECT_EQ(judge_crossover(points, 0.9, 1.1).answer, Answer::contradicts);
  EXPECT_EQ(judge_crossover(points, 6.0, 9.0).text(),
            "contradicts: published crosses 6 1 times and ours 0");
  const std::vector<ShapePoint> linear = {{1, 1.0, 1.0}, {2, 4.0, 2.0}, {4, 16.0, 4.0}};
  EXPECT_EQ(judge_exponent(linear, 1.5).answer, Answer::contradicts);
  EXPECT_EQ(judge_exponent({}, 1.5).answer, Answer::not_measured);
  EXPECT_EQ(judge_crossover(std::span(points).first(1), 1.0, 2.0).answer, Answer::not_measured);
}

Answer answer(std::initializer_list<ShapePoint> points, double factor = 2.0) {
  return judge_shape(std::vector<ShapePoint>(points), 1.0, factor).answer;
}

TEST(Verdict, AShapeDoesNotDependOnTheMachinesSpeed) {
  EXPECT_EQ(answer({{1, 1.4, 3.0}, {2, 1.6, 9.0}, {4, 1.7, 20.0}}), Answer::shape_agrees);
  EXPECT_EQ(answer({{4, 1.7, 20.0}, {1, 1.4, 3.0}}), Answer::shape_agrees);  // in any order
}

TEST(Verdict, AGainThatIsALossHereContradicts) {
  const Verdict verdict = judge_shape(std::vector<ShapePoint>{{4096, 1.57, 0.99}}, 1.0, 2.0);
  EXPECT_EQ(verdict.text(), "contradicts: at 4096 published is above 1 and ours below");
  EXPECT_EQ(answer({{4096, 0.99, 1.57}}), Answer::contradicts);
  EXPECT_EQ(answer({{4096, 1.02, 0.99}}), Answer::not_comparable);  // neither is clearly off 1
}

TEST(Verdict, TheSidesOfTheLevelAreComparedWhereOneIsClearlyOffIt) {
  EXPECT_EQ(answer({{1, 1.05, 0.8}}), Answer::contradicts);
  EXPECT_EQ(answer({{1, 0.8, 1.05}}), Answer::contradicts);
  EXPECT_EQ(answer({{1, 1.05, 0.95}}), Answer::not_comparable);
  EXPECT_EQ(answer({{1, 2.0, 0.5, 0.4, 0.6}}), Answer::contradicts);
  EXPECT_EQ(answer({{1, 0.5, 2.0, 1.6, 2.4}}), Answer::contradicts);
  EXPECT_EQ(answer({{1, 0.5, 2.0, 1.0, 2.4}}), Answer::not_comparable);  // the level is within
  EXPECT_EQ(answer({{1, 2.0, 0.5, 0.4, 1.0}}), Answer::not_comparable);
  // The level itself counts as below it.
  EXPECT_EQ(answer({{1, 2.0, 1.0}}), Answer::contradicts);
  EXPECT_EQ(answer({{1, 0.5, 1.0}}), Answer::not_comparable);
  EXPECT_EQ(answer({{1, 1.0, 2.0}}), Answer::contradicts);
  EXPECT_EQ(answer({{1, 1.0, 0.5}}), Answer::not_comparable);
  EXPECT_EQ(judge_shape(std::vector<ShapePoint>{{64, 9.0, 12.0}}, 10.0, 2.0).text(),
            "contradicts: at 64 published is below 10 and ours above");
}

TEST(Verdict, AnOrderThatIsClearlyReversedContradicts) {
  const Verdict verdict =
      judge_shape(std::vector<ShapePoint>{{1, 2.0, 4.0}, {2, 2.5, 3.0}}, 1.0, 2.0);
  EXPECT_EQ(verdict.text(), "contradicts: from 1 to 2 published rises and ours falls");
  EXPECT_EQ(answer({{1, 2.5, 3.0}, {2, 2.0, 4.0}}), Answer::contradicts);
  EXPECT_EQ(answer({{1, 2.0, 3.1}, {2, 2.5, 3.0}}), Answer::not_comparable);   // ours: no order
  EXPECT_EQ(answer({{1, 2.0, 9.0}, {2, 2.05, 3.0}}), Answer::not_comparable);  // theirs: none
}

TEST(Verdict, WhatLiesWithinOurIntervalsNeitherContradictsNorAgrees) {
  const std::vector<ShapePoint> open = {{1, 2.0, 4.0, 2.5, 5.0}, {2, 2.5, 3.0, 2.0, 3.5}};
  EXPECT_EQ(judge_shape(open, 1.0, 2.0).text(),
            "not comparable because our intervals leave it open: from 1 to 2 published rises and "
            "ours falls");
  EXPECT_EQ(answer({{1, 2.0, 3.0, 2.0, 5.0}, {2, 2.5, 4.0, 2.0, 5.0}}), Answer::not_comparable);
  EXPECT_EQ(answer({{1, 2.0, 4.0, 3.6, 5.0}, {2, 2.5, 3.0, 2.0, 3.5}}), Answer::contradicts);
  EXPECT_EQ(answer({{4096, 1.57, 0.99, 0.9, 1.1}}), Answer::not_comparable);
  EXPECT_EQ(answer({{4096, 1.57, 0.99, 0.9, 0.995}}), Answer::contradicts);
}

TEST(Verdict, CrossingsMustBeNearEachOther) {
  // Published crosses at 10, ours at 20: both on a straight line over log x.
  const std::initializer_list<ShapePoint> points = {{5, 0.5, 0.25}, {20, 1.5, 1.0 + 1e-9}};
  EXPECT_EQ(answer(points, 2.001), Answer::shape_agrees);
  EXPECT_EQ(answer(points, 1.9), Answer::contradicts);
  EXPECT_THAT(judge_shape(std::vector<ShapePoint>(points), 1.0, 1.9).text(),
              HasSubstr("published crosses 1 at 10 and ours at 20"));
  // In any order of the points, whichever of the two is first, and falling.
  EXPECT_EQ(
      judge_shape(std::vector<ShapePoint>{{20, 1.5, 1.5}, {5, 0.5, 0.5}, {80, 1.6, 1.7}}, 1.0, 1.5)
          .text(),
      "shape agrees: published crosses 1 at 10 and ours at 10; 2 of 2 resolved pairs in order, of "
      "3 "
      "(a constant: open; reversed: differs)");
  EXPECT_EQ(answer({{5, 0.25, 0.5}, {20, 1.0 + 1e-9, 1.5}}, 1.9), Answer::contradicts);
  EXPECT_EQ(
      judge_shape(std::vector<ShapePoint>{{5, 3.5, 3.125}, {20, 2.5, 2.625}}, 3.0, 1.5).text(),
      "shape agrees: published crosses 3 at 10 and ours at 7.071; 1 of 1 resolved pairs in order, "
      "of "
      "1 (a constant: open; reversed: differs)");
  EXPECT_EQ(answer({{5, 0.5, 0.25}, {20, 1.5, 0.8}}), Answer::contradicts);  // ours does not cross
}

TEST(Verdict, AShapeThatAConstantHasTooIsLeftOpen) {
  EXPECT_EQ(judge_shape(std::vector<ShapePoint>{{1, 1.5, 2.0}, {2, 1.9, 2.0}}, 1.0, 2.0).text(),
            "not comparable because a constant would agree too: 1 of 1 pairs are published more "
            "than 10 % apart, and ours has none of them beyond its intervals");
  // The order is ours by the medians only.
  EXPECT_EQ(answer({{1, 1.5, 2.0, 1.9, 2.5}, {2, 1.9, 2.4, 2.2, 2.6}}), Answer::not_comparable);
  EXPECT_EQ(answer({{1, 1.5, 2.0, 1.9, 2.1}, {2, 1.9, 2.4, 2.2, 2.6}}), Answer::shape_agrees);
  // A pair that the paper itself does not resolve shows nothing.
  EXPECT_EQ(answer({{1, 1.50, 2.0}, {2, 1.55, 9.0}}), Answer::not_comparable);
}

TEST(Verdict, AShapeSaysWhatItsReverseWouldHaveBeenCalled) {
  const auto text = [](const std::vector<ShapePoint>& points) {
    return judge_shape(points, 0.0, 1.0).text();
  };
  EXPECT_THAT(text({{1, 2.0, 2.0}, {2, 3.0, 3.0}}), HasSubstr("reversed: differs"));
  // A peak in the middle looks the same from both sides.
  EXPECT_THAT(text({{1, 2.0, 2.0}, {2, 3.0, 3.0}, {3, 2.0, 2.0}}),
              HasSubstr("2 of 2 resolved pairs in order, of 3 (a constant: open; reversed: agrees "
                        "too)"));
}

TEST(Verdict, WhatOnlyOneSideHasIsNotJudged) {
  EXPECT_EQ(answer({{1, 2.0, 4.0}, {2, HUGE_VAL, 0.1}, {3, kNaN, 0.1}, {4, 2.5, kNaN}}),
            Answer::not_comparable);
  EXPECT_EQ(judge_shape(std::vector<ShapePoint>{{1, 2.0, kNaN}}, 1.0, 2.0).text(),
            "not measured: needs a point that both have");
}

TEST(Verdict, EveryAnswerReadsAsASentence) {
  EXPECT_EQ((Verdict{Answer::not_comparable, "N is a tenth"}).text(),
            "not comparable because N is a tenth");
  EXPECT_EQ((Verdict{Answer::disturbed, "neighbours"}).text(), "disturbed by neighbours");
  EXPECT_EQ(Verdict{Answer::disturbed}.text(), "disturbed");
}

}  // namespace
}  // namespace qb
