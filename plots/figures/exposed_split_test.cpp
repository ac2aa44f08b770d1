// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

// Two workers, of which the second ends last: it starts at 1 ms, and between its two steps there is
// a millisecond of which steps.csv says nothing.
class ExposedSplit : public ::testing::Test {
 protected:
  void add(const std::string& algorithm, std::int64_t new_tokens, const char* exposed,
           const char* idle, const char* seed = "1") {
    Values values = scheme_case(algorithm, 4, new_tokens, 0.0123, {{"kv_len", "1000"}});
    values["case_id"] += seed;
    values["seed"] = seed;
    add_case(cases_, values);
    const std::string id = values["case_id"];
    add_step(steps_, id, 0, 0, {{"start_s", "0"}, {"compute_s", "0.009"}});
    add_step(steps_, id, 1, 0, {{"start_s", "0.001"}, {"compute_s", "0.003"}});
    add_step(steps_, id, 1, 1,
             {{"start_s", "0.005"},
              {"compute_s", "0.002"},
              {"exposed_communication_s", exposed},
              {"idle_s", idle}});
  }

  Figure figure() const { return exposed_split_figure(with_steps(cases_, steps_)); }

  CsvTable cases_ = no_cases();
  CsvTable steps_ = no_steps();
};

TEST_F(ExposedSplit, TheWorkerThatEndsLastIsSplitUpToItsEnd) {
  add("pass_kv", 100, "0.002", "0.001");
  add("pass_q", 100, "0", "0.013");
  const Figure drawn = figure();
  ASSERT_EQ(drawn.panels.size(), 2u);
  const Panel& panel = drawn.panels[0];
  const auto& compute = series_named(panel, "compute").points;
  ASSERT_EQ(compute.size(), 2u);
  EXPECT_DOUBLE_EQ(compute[0].low, 0.0);
  EXPECT_DOUBLE_EQ(compute[0].high, 50.0) << "5 of 10 ms, not the 9 of the other worker";
  EXPECT_DOUBLE_EQ(compute[1].high, 25.0);
  const auto& exposed = series_named(panel, "exposed communication").points;
  ASSERT_EQ(exposed.size(), 1u) << "pass_q exposes none";
  EXPECT_DOUBLE_EQ(exposed[0].low, 50.0);
  EXPECT_DOUBLE_EQ(exposed[0].high, 70.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "idle").points.at(0).high, 80.0);
  const auto& between = series_named(panel, "waiting between steps").points;
  EXPECT_DOUBLE_EQ(between.at(0).low, 80.0);
  EXPECT_NEAR(between.at(0).high, 100.0, 1e-9);
}

TEST_F(ExposedSplit, KeysStandLeftOfTheMissRateAndQueriesRight) {
  add("pass_q", 100, "0", "0.002");
  add("pass_kv", 25, "0.002", "0.002");
  add("pass_kv", 100, "0.002", "0.002");
  const Figure drawn = figure();
  const Panel& panel = drawn.panels.at(0);
  ASSERT_EQ(panel.x.tics.size(), 2u);
  EXPECT_EQ(panel.x.tics[0].label, "2.5");
  EXPECT_EQ(panel.x.tics[1].label, "10");
  EXPECT_LT(series_named(panel, "pass_kv at 10 %").points.at(0).x_high, 1.0);
  EXPECT_GT(series_named(panel, "pass_q at 10 %").points.at(0).x_low, 1.0);
  EXPECT_LT(series_named(panel, "pass_kv at 2.5 %").points.at(0).x_high, 0.0);
  EXPECT_EQ(series_named(panel, "pass_kv at 2.5 %").text, "KV\n12.3");
}

TEST_F(ExposedSplit, OfRepeatedCasesTheLastIsDrawn) {
  add("pass_kv", 100, "0.002", "0.001");
  add("pass_kv", 100, "0.002", "0.011", "2");
  const Figure drawn = figure();
  const auto& points = series_named(drawn.panels.at(0), "compute").points;
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].high, 25.0);
}

TEST_F(ExposedSplit, OfThePublishedBreakdownOnlyWhatIsNotHiddenIsAPart) {
  add("pass_kv", 100, "0.002", "0.001");
  const Figure drawn = figure();
  const Panel& panel = drawn.panels.back();
  EXPECT_THAT(panel.title, HasSubstr("published"));
  const Series& sent = series_named(panel, "sendrecv beyond attn of pass_kv, 2.5 %");
  EXPECT_TRUE(sent.published);
  EXPECT_EQ(sent.text, "sendrecv beyond attn\n3 × 213 µs");
  EXPECT_DOUBLE_EQ(sent.points.at(0).low, 100.0 * 1656 / (1656 + 639));
  EXPECT_DOUBLE_EQ(sent.points.at(0).high, 100.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "all2all of pass_q, 10 %").points.at(0).low,
                   100.0 * 6432 / (6432 + 1023));
  for (const Series& series : panel.series)
    EXPECT_NE(series.name, "sendrecv beyond attn of pass_q, 10 %") << "attention hides all of it";
}

TEST_F(ExposedSplit, WithoutStartTimesThereIsASentence) {
  EXPECT_THAT(exposed_split_figure(case_study_2(10)).empty_reason, HasSubstr("no case of"));
  add_case(cases_, scheme_case("pass_kv", 4, 100, 0.01, {{"kv_len", "1000"}}));
  EXPECT_THAT(figure().empty_reason, HasSubstr("start times in steps.csv"));
}

}  // namespace
}  // namespace qb
