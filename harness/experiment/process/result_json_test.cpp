// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/supervisor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace qb {
namespace {

CaseResult example() {
  CaseResult result;
  result.status = Status::ok;
  result.message = "a \"quoted\" line\nand a comma, too";
  result.samples = {{.repeat = 0, .warmup = true, .wall_s = 0.1},
                    {.repeat = 0, .wall_s = 1.0 / 3.0}};
  result.samples[1].longest_subsequence_s = std::numeric_limits<double>::quiet_NaN();
  result.values = {{"isa", "avx2"}, {"max_error", "1e-07"}};
  result.steps = {{{"worker", "0"}, {"step", "0"}, {"unmasked_pairs", "5"}},
                  {{"worker", "1"}, {"step", "0"}}};
  result.timeline = {{{"time_s", "0.5"}, {"action", "alloc"}}};
  return result;
}

TEST(ResultJson, ComesBackAsItWas) {
  const CaseResult sent = example();
  const CaseResult got = result_from_json(result_to_json(sent));
  EXPECT_EQ(got.status, Status::ok);
  EXPECT_EQ(got.message, sent.message);
  ASSERT_EQ(got.samples.size(), 2u);
  EXPECT_TRUE(got.samples[0].warmup);
  EXPECT_EQ(got.samples[1].wall_s, 1.0 / 3.0);
  EXPECT_TRUE(std::isnan(got.samples[1].longest_subsequence_s));
  EXPECT_EQ(got.values, sent.values);
  EXPECT_EQ(got.steps, sent.steps);
  EXPECT_EQ(got.timeline, sent.timeline);
}

TEST(ResultJson, EveryTornAnswerIsRefused) {
  const std::string whole = result_to_json(example());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW((void)result_from_json(whole.substr(0, length)), std::runtime_error) << length;
  EXPECT_THROW((void)result_from_json("{}"), std::runtime_error);
  EXPECT_THROW((void)result_from_json(R"({"status":"fine"})"), std::runtime_error);
}

TEST(ResultJson, BytesThatAreNoTextDoNotLoseTheAnswer) {
  CaseResult result;
  result.message = "file \xff\xfe";
  EXPECT_NE(result_from_json(result_to_json(result)).message.find("file"), std::string::npos);
}

}  // namespace
}  // namespace qb
