// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure_layout.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <vector>

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> out;
  for (const Axis::Tic& tic : scale.tics) out.push_back(tic.label);
  return out;
}

TEST(Scale, ALinearAxisFromZeroHasRoundTicsAndRoomAbove) {
  const Scale scale = make_scale({.column = "x", .from_zero = true}, std::array{3.0, 19.0});
  EXPECT_EQ(scale.min, 0.0);
  EXPECT_GT(scale.max, 19.0);
  EXPECT_THAT(labels(scale), ElementsAre("0", "5", "10", "15", "20"));
}

TEST(Scale, OneValueHasRoomAroundIt) {
  for (const auto& [value, room] : {std::pair(0.25, 0.025), {1.0, 0.025}, {-8.0, 0.2}}) {
    const Scale scale = make_scale({.column = "x", .tight = true}, std::array{value, value});
    EXPECT_DOUBLE_EQ(scale.min, value - room);
    EXPECT_DOUBLE_EQ(scale.max, value + room);
  }
}

// Between them is no step that a sum of tics would advance by.
TEST(Scale, ValuesThatDifferInTheirLastDigitAreOne) {
  for (const double value : {3.3e-5, 1.0, -4e12}) {
    const Scale scale =
        make_scale({.column = "x"}, std::array{value, std::nextafter(value, 1e300)});
    EXPECT_GT(scale.max - scale.min, 1e-3 * std::abs(value));
    EXPECT_LT(scale.tics.size(), 20u);
  }
}

TEST(Scale, ZeroHasNoSign) {
  const Scale scale = make_scale({.column = "x", .from_zero = true}, std::array{0.001, 0.047});
  EXPECT_EQ(scale.tics.front().label, "0.00");
}

TEST(Scale, LengthsAreGroupedAndMillionsShort) {
  EXPECT_THAT(labels(make_scale({.column = "x"}, std::array{10000.0, 49000.0})),
              ElementsAre("10,000", "20,000", "30,000", "40,000", "50,000"));
  EXPECT_EQ(make_scale({.column = "x", .tight = true}, std::array{0.0, 5e6}).tics.back().label,
            "5 M");
}

TEST(Scale, ThousandsOneApartAreGroupedToo) {
  EXPECT_THAT(labels(make_scale({.column = "x", .tight = true}, std::array{1000.0, 1004.0})),
              ::testing::IsSupersetOf({"1,001", "1,002", "1,003"}));
}

TEST(Scale, ALogAxisOverManyDecadesHasOneTicADecade) {
  const Scale scale = make_scale({.column = "x", .log = true}, std::array{0.9, 1.1e6});
  EXPECT_THAT(labels(scale), ElementsAre("1", "10", "10²", "10³", "10⁴", "10⁵", "10⁶"))
      << "never 100,000 beside 10⁶";
  EXPECT_THAT(scale.minor, ::testing::Contains(20.0));
}

TEST(Scale, NumbersThatAllFitAreWrittenOut) {
  EXPECT_THAT(labels(make_scale({.column = "x", .log = true}, std::array{900.0, 2e5})),
              ElementsAre("1,000", "10,000", "100,000"));
}

TEST(Scale, ALinearAxisOfMillionsHasOnePrefix) {
  EXPECT_THAT(labels(make_scale({.column = "x", .tight = true}, std::array{0.0, 2e6})),
              ElementsAre("0.0 M", "0.5 M", "1.0 M", "1.5 M", "2.0 M"));
}

TEST(Scale, LengthsThatArePowersOfTwoHaveTicsThereAndOthersDecimalOnes) {
  const std::vector<double> powers = {512, 1024, 2048, 4096, 8192};
  EXPECT_THAT(labels(make_scale(tokens_axis(powers), powers)),
              ElementsAre("512", "1,024", "2,048", "4,096", "8,192"));
  EXPECT_THAT(labels(make_scale(tokens_axis(powers), powers, 20)),
              ElementsAre("512", "2,048", "8,192"));
  const std::vector<double> many = {128, 1 << 20};
  const Scale thinned = make_scale(tokens_axis(many), many);
  EXPECT_THAT(labels(thinned), ElementsAre("128", "2,048", "32,768", "524,288"));
  EXPECT_EQ(thinned.minor.size(), 14u) << "every power has a small tic";
  const std::vector<double> others = {1000, 2000, 16000};
  EXPECT_FALSE(tokens_axis(others).powers_of_two);
  EXPECT_THAT(labels(make_scale(tokens_axis(others), others)),
              ElementsAre("1,000", "3,000", "10,000"));
}

TEST(Scale, OneValueAloneMakesNoAxisOfPowers) {
  EXPECT_FALSE(are_powers_of_two({1024, 1024}));
  EXPECT_FALSE(are_powers_of_two({0, 1, 2}));
  EXPECT_TRUE(are_powers_of_two({0.25, kNaN, 64}));
}

TEST(Scale, ALogAxisOverLessThanADecadeStillHasThreeTics) {
  for (const double high : {1.3, 2.0, 5.0, 9.0}) {
    const Scale scale = make_scale({.column = "x", .log = true}, std::array{1.0, high});
    EXPECT_GE(scale.tics.size(), 3u) << "1 to " << high;
  }
}

TEST(Scale, TicsLieWithinTheRange) {
  for (const bool log : {false, true})
    for (const double high : {0.002, 0.7, 3.0, 12.0, 480.0, 7.7e7}) {
      const Scale scale = make_scale({.column = "x", .log = log}, std::array{high / 3.7, high});
      for (const Axis::Tic& tic : scale.tics) {
        EXPECT_GE(tic.value, scale.min * (1 - 1e-9)) << high;
        EXPECT_LE(tic.value, scale.max * (1 + 1e-9)) << high;
      }
      EXPECT_LE(scale.tics.size(), 12u) << high;
    }
}

TEST(Scale, ASinglePointStandsInTheMiddle) {
  const Scale linear = make_scale({.column = "x"}, std::array{42.0});
  EXPECT_LT(linear.min, 42.0);
  EXPECT_GT(linear.max, 42.0);
  const Scale log = make_scale({.column = "x", .log = true}, std::array{42.0});
  EXPECT_LT(log.min, 42.0);
  EXPECT_GT(log.max, 42.0);
  EXPECT_FALSE(log.tics.empty());
}

TEST(Scale, NaNAndOnALogAxisZeroAreIgnored) {
  const Scale scale =
      make_scale({.column = "x", .log = true}, std::array{kNaN, 0.0, -5.0, 10.0, 1000.0});
  EXPECT_GT(scale.min, 1.0);
  EXPECT_LT(scale.max, 10000.0);
}

TEST(Scale, NoValuesGiveADrawableRange) {
  EXPECT_LT(make_scale({.column = "x"}, {}).min, make_scale({.column = "x"}, {}).max);
  EXPECT_GT(make_scale({.column = "x", .log = true}, std::array{kNaN}).min, 0.0);
}

TEST(Scale, SmallNumbersHaveAPowerInPlaceOfZeros) {
  EXPECT_THAT(labels(make_scale({.column = "x", .log = true}, std::array{4.1e-7, 4.9e-7})),
              ElementsAre("4.00×10⁻⁷", "4.25×10⁻⁷", "4.50×10⁻⁷", "4.75×10⁻⁷", "5.00×10⁻⁷"));
  EXPECT_THAT(labels(make_scale({.column = "x", .from_zero = true}, std::array{2e-5})),
              ElementsAre("0", "0.5×10⁻⁵", "1.0×10⁻⁵", "1.5×10⁻⁵", "2.0×10⁻⁵"));
}

TEST(Scale, CountsHaveWholeTics) {
  EXPECT_THAT(
      labels(make_scale({.column = "x", .from_zero = true, .whole = true}, std::array{2.0})),
      ElementsAre("0", "1", "2"));
}

TEST(Scale, GivenTicsAreKept) {
  const Scale scale = make_scale({.column = "x", .tics = {{0.0, "W = 4"}}}, std::array{0.0, 1.0});
  EXPECT_THAT(labels(scale), ElementsAre("W = 4"));
  EXPECT_THAT(scale.minor, IsEmpty());
}

TEST(Scale, TimesTakeTheUnitThatFitsTheLongest) {
  EXPECT_EQ(time_unit(12.0).name, "s");
  EXPECT_EQ(time_unit(0.25).name, "ms");
  EXPECT_EQ(time_unit(0.25).factor, 1e3);
  EXPECT_EQ(time_unit(2e-5).name, "us");
}

TEST(Scale, EightfoldSpansArePowers) {
  EXPECT_TRUE(spans_powers({1.0, 8.0}));
  EXPECT_FALSE(spans_powers({1.0, 7.9, kNaN, -100.0}));
}

}  // namespace
}  // namespace qb
