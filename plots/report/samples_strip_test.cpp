// SPDX-License-Identifier: Apache-2.0
#include "plots/report/case_list.h"

#include <gmock/gmock.h>

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Point kMedian{.y = 0.002, .low = 0.001, .high = 0.003};

TEST(SamplesStrip, EveryRepeatIsAMarkWithItsTimeInTheirOrder) {
  const std::string svg = samples_strip({{0.001}, {0.003}, {0.002}}, kMedian, "three");
  const auto first = svg.find("<title>repeat 0: 1.00 ms</title>");
  const auto second = svg.find("<title>repeat 1: 3.00 ms</title>");
  const auto third = svg.find("<title>repeat 2: 2.00 ms</title>");
  ASSERT_NE(third, std::string::npos) << svg;
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
}

TEST(SamplesStrip, DisturbedRepeatsAreHollowAndSayWhy) {
  const std::string svg = samples_strip({{0.001}, {0.003, "neighbours"}}, kMedian, "two");
  EXPECT_THAT(svg, HasSubstr("<circle class=\"disturbed\""));
  EXPECT_THAT(svg, HasSubstr("repeat 1: 3.00 ms, disturbed by neighbours"));
}

TEST(SamplesStrip, TheIntervalIsABandAndTheMedianALine) {
  const std::string svg = samples_strip({{0.001}, {0.003}}, kMedian, "two");
  EXPECT_THAT(svg, HasSubstr("class=\"band\""));
  EXPECT_THAT(svg, HasSubstr("class=\"median\""));
  EXPECT_THAT(samples_strip({{0.001}}, {.y = 0.001}, "one"), Not(HasSubstr("class=\"band\"")));
}

TEST(SamplesStrip, EqualRepeatsAreDrawnInTheMiddle) {
  EXPECT_THAT(samples_strip({{0.001}, {0.001}}, {.y = 0.001}, "equal"), Not(HasSubstr("nan")));
}

TEST(SamplesStrip, WithoutARepeatThereIsNone) {
  EXPECT_EQ(samples_strip({}, kMedian, "none"), "");
  EXPECT_EQ(samples_strip({{kNaN}}, kMedian, "none"), "");
}

TEST(SamplesStrip, ItsLabelIsEscaped) {
  EXPECT_THAT(samples_strip({{0.001}}, kMedian, "a \"b\""),
              HasSubstr("aria-label=\"a &quot;b&quot;\""));
}

}  // namespace
}  // namespace qb
