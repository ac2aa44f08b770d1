// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/spec/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qb {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> values(const std::string& parameter, const std::string& yaml) {
  const YamlNode node = read_yaml(yaml, "v.yaml");
  std::vector<std::string> out;
  for (const Value& value : read_values(parameters()[*find_parameter(parameter)], node))
    out.push_back(value.text);
  return out;
}

TEST(Values, ListsKeepTheirOrder) {
  EXPECT_THAT(values("n_tokens", "[3, 1, 2]"), ElementsAre("3", "1", "2"));
  EXPECT_THAT(values("n_tokens", "[1e6, 32Ki, 1_024, 2k]"),
              ElementsAre("1000000", "32768", "1024", "2000"));
  EXPECT_THAT(values("memory_budget", "[80GiB, 80GB, ~]"),
              ElementsAre("85899345920", "80000000000", ""));
  EXPECT_THAT(values("kernel", "[flash, reference]"), ElementsAre("flash", "reference"));
  EXPECT_THAT(values("interest_set", "[[0, 1, 3], \"0, 1, 2\", ~]"),
              ElementsAre("0,1,3", "0,1,2", ""));
}

TEST(Values, StepsIncludeBothEnds) {
  EXPECT_THAT(values("n_tokens", "{from: 45_000, to: 49_000, step: 1000}"),
              ElementsAre("45000", "46000", "47000", "48000", "49000"));
  EXPECT_THAT(values("workers", "{from: 3, to: 8, step: 2}"), ElementsAre("3", "5", "7"));
  EXPECT_THAT(values("workers", "{from: 3, to: 3, step: 2}"), ElementsAre("3"));
  EXPECT_THAT(values("threads", "{from: 0, to: 2, step: 1}"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(values("scale", "{from: 0.1, to: 0.7, step: 0.3}"), ElementsAre("0.1", "0.4", "0.7"));
}

TEST(Values, StepsAreExactAtTheEndOf64Bits) {
  EXPECT_THAT(values("seed", "{from: 9223372036854775805, to: 9223372036854775807, step: 1}"),
              ElementsAre("9223372036854775805", "9223372036854775806", "9223372036854775807"));
  EXPECT_THAT(values("seed", "{from: 18446744073709551614, to: 18446744073709551615, step: 1}"),
              ElementsAre("18446744073709551614", "18446744073709551615"));
}

TEST(Values, FactorsIncludeBothEnds) {
  EXPECT_THAT(values("n_tokens", "{from: 256, to: 1Ki, factor: 2}"),
              ElementsAre("256", "512", "1024"));
  EXPECT_THAT(values("n_tokens", "{from: 10, to: 1e5, factor: 10}"),
              ElementsAre("10", "100", "1000", "10000", "100000"));
  EXPECT_THAT(values("scale", "{from: 0.001, to: 1, factor: 10}"),
              ElementsAre("0.001", "0.01", "0.1", "1.0"));
}

TEST(Values, FactorsRoundIntegersAndNeverPassTheEnd) {
  EXPECT_THAT(values("n_tokens", "{from: 1000, to: 4000, factor: 1.41421356}"),
              ElementsAre("1000", "1414", "2000", "2828", "4000"));
  EXPECT_THAT(
      values("n_tokens", "{from: 1, to: 999_999_999, factor: 10}"),
      ElementsAre("1", "10", "100", "1000", "10000", "100000", "1000000", "10000000", "100000000"));
  EXPECT_THAT(values("n_tokens", "{from: 4, to: 9, factor: 1.5}"), ElementsAre("4", "6", "9"));
}

TEST(Values, RangesStopShortOfOverflow) {
  EXPECT_EQ(values("seed", "{from: 1, to: 9223372036854775807, factor: 2}").size(), 63u);
  EXPECT_EQ(values("seed", "{from: 1, to: 18446744073709551615, factor: 2}").back(),
            "9223372036854775808");
  EXPECT_EQ(values("memory_budget", "{from: 1, to: 9223372036854775807, factor: 2}").size(), 63u);
}

}  // namespace
}  // namespace qb
