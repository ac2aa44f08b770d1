#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

Values split(const std::string& algorithm, std::int64_t new_tokens, const char* compute,
             const char* exposed, const char* idle) {
  return scheme_case(algorithm, 4, new_tokens, 0.0123,
                     {{"kv_len", "1000"},
                      {"compute_median_s", compute},
                      {"exposed_communication_median_s", exposed},
                      {"idle_median_s", idle}});
}

TEST(ExposedSplit, PartsAreStackedAsSharesOfTheirSum) {
  const Figure figure =
      exposed_split_figure(scheme_table({split("pass_kv", 100, "0.005", "0.003", "0.002"),
                                         split("pass_q", 100, "0.006", "0", "0.002")}));
  ASSERT_EQ(figure.panels.size(), 2u);
  const Panel& panel = figure.panels[0];
  const auto& compute = series_named(panel, "compute").points;
  ASSERT_EQ(compute.size(), 2u);
  EXPECT_DOUBLE_EQ(compute[0].low, 0.0);
  EXPECT_DOUBLE_EQ(compute[0].high, 50.0);
  EXPECT_DOUBLE_EQ(compute[1].high, 75.0);
  const auto& exposed = series_named(panel, "exposed communication").points;
  ASSERT_EQ(exposed.size(), 1u) << "pass_q exposes none";
  EXPECT_DOUBLE_EQ(exposed[0].low, 50.0);
  EXPECT_DOUBLE_EQ(exposed[0].high, 80.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "idle").points.at(0).high, 100.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "idle").points.at(1).low, 75.0);
}

TEST(ExposedSplit, KeysStandLeftOfTheMissRateAndQueriesRight) {
  const Figure figure = exposed_split_figure(scheme_table(
      {split("pass_q", 100, "0.006", "0", "0.002"), split("pass_kv", 25, "0.005", "0.003", "0.002"),
       split("pass_kv", 100, "0.005", "0.003", "0.002")}));
  const Panel& panel = figure.panels.at(0);
  ASSERT_EQ(panel.x.tics.size(), 2u);
  EXPECT_EQ(panel.x.tics[0].label, "2.5");
  EXPECT_EQ(panel.x.tics[1].label, "10");
  EXPECT_LT(series_named(panel, "pass_kv at 10 %").points.at(0).x_high, 1.0);
  EXPECT_GT(series_named(panel, "pass_q at 10 %").points.at(0).x_low, 1.0);
  EXPECT_LT(series_named(panel, "pass_kv at 2.5 %").points.at(0).x_high, 0.0);
  EXPECT_EQ(series_named(panel, "pass_kv at 2.5 %").text, "KV\n12.3");
}

TEST(ExposedSplit, OfRepeatedCasesTheLastIsDrawn) {
  CsvTable cases = scheme_table({split("pass_kv", 100, "0.005", "0.003", "0.002")});
  Values again = split("pass_kv", 100, "0.006", "0.002", "0.002");
  again["case_id"] = "with another seed";
  again["seed"] = "2";
  add_case(cases, again);
  const Figure figure = exposed_split_figure(cases);
  const auto& points = series_named(figure.panels.at(0), "compute").points;
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].high, 60.0);
}

TEST(ExposedSplit, ThePublishedBreakdownIsTheLastPanel) {
  const Figure figure =
      exposed_split_figure(scheme_table({split("pass_kv", 100, "0.005", "0.003", "0.002")}));
  const Panel& panel = figure.panels.back();
  EXPECT_THAT(panel.title, HasSubstr("published"));
  const Series& sent = series_named(panel, "sendrecv of pass_kv, 2.5 %");
  EXPECT_TRUE(sent.published);
  EXPECT_EQ(sent.text, "sendrecv 627 µs");
  EXPECT_DOUBLE_EQ(sent.points.at(0).low, 100.0 * 414 / (414 + 627));
  EXPECT_DOUBLE_EQ(sent.points.at(0).high, 100.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "all2all of pass_q, 10 %").points.at(0).low,
                   100.0 * (1608 + 544) / (1608 + 544 + 1023));
}

TEST(ExposedSplit, WithoutPartsThereIsASentence) {
  EXPECT_THAT(exposed_split_figure(case_study_2(10)).empty_reason, HasSubstr("no case of"));
  EXPECT_THAT(exposed_split_figure(scheme_table({split("pass_kv", 100, "", "", "")})).empty_reason,
              HasSubstr("compute, exposed communication and idle"));
}

}  // namespace
}  // namespace qb
