// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

CsvTable table(const std::vector<Values>& rows) {
  std::vector<std::string> header = no_cases().header();
  for (const char* column : {"worker_speeds", "group_sizes", "distillation"})
    header.emplace_back(column);
  CsvTable cases(header);
  for (const Values& values : rows) add_case(cases, values);
  return cases;
}

Values skewed(int workers, const char* ranks, const char* sizes, double seconds) {
  Values values = scheme_case("cqs", workers, 1000, seconds,
                              {{"ranks", ranks},
                               {"mask", "full"},
                               {"worker_speeds", "0.5"},
                               {"group_sizes", sizes},
                               {"distillation", "balanced"}});
  values["case_id"] += sizes;
  return values;
}

Values distilled(int workers, const char* mask, const char* distillation, double seconds,
                 const char* pairs) {
  Values values = scheme_case("cqs", workers, 1000, seconds,
                              {{"mask", mask},
                               {"distillation", distillation},
                               {"group_sizes", "equal"},
                               {"critical_path_pairs", pairs}});
  values["case_id"] += distillation;
  return values;
}

TEST(WorkerSkew, TheGainIsTheTimeBySpeedOverTheTimeWithEqualGroups) {
  const Figure figure = worker_skew_figure(
      table({skewed(4, "threads", "equal", 0.200), skewed(4, "threads", "by_speed", 0.150),
             skewed(7, "threads", "equal", 0.100), skewed(7, "threads", "by_speed", 0.090),
             skewed(7, "model", "equal", 0.100), skewed(7, "model", "by_speed", 0.080)}));
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(series_named(figure.panels[0], "equal groups, threads").points.size(), 2u);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "groups by speed, threads").points[1].y, 90.0);
  const auto& threads = series_named(figure.panels[1], "ratio, threads").points;
  EXPECT_DOUBLE_EQ(threads[0].y, 0.75);
  EXPECT_DOUBLE_EQ(threads[1].y, 0.9);
  EXPECT_DOUBLE_EQ(threads[1].low, 0.9 * 0.9 / 1.1);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "ratio, model").points.at(0).y, 0.8);
  EXPECT_EQ(figure.panels[1].x.tics.at(1).label, "7");
  EXPECT_NEAR(threads[1].x, figure.panels[1].x.tics.at(1).value, 0.5);
  EXPECT_EQ(figure.finding,
            "The ratio, time by speed / time equal, lies between 0.750 (threads, W = 4) and 0.900 "
            "(threads, W = 7).");
  EXPECT_EQ(series_named(figure.panels[0], "equal groups, threads").style.mark,
            series_named(figure.panels[1], "ratio, threads").style.mark);
  EXPECT_NE(series_named(figure.panels[1], "ratio, threads").style.mark,
            series_named(figure.panels[1], "ratio, model").style.mark);
  EXPECT_EQ(
      figure.title,
      "groups by speed: faster than equal groups in 2 of 3 pairs, slower in 0, else undecided");
}

TEST(WorkerSkew, MoreWorkersThanCoresAreNotRanked) {
  PlottedRun run(
      table({skewed(4, "threads", "equal", 0.200), skewed(4, "threads", "by_speed", 0.150)}));
  run.provenance.cores = 2;
  EXPECT_EQ(worker_skew_figure(run).title, "Token groups for workers of unequal speed");
  EXPECT_EQ(worker_skew_figure(run).finding, "");
}

TEST(WorkerSkew, ACaseWithoutItsPartnerIsNotDrawn) {
  EXPECT_THAT(worker_skew_figure(
                  table({skewed(4, "threads", "equal", 0.2), skewed(7, "threads", "by_speed", 0.2),
                         skewed(8, "model", "by_speed", 0.2)}))
                  .empty_reason,
              HasSubstr("no case with slower workers"));
  Values failed = skewed(4, "threads", "by_speed", 0.2);
  failed["status"] = "incorrect";
  EXPECT_FALSE(
      worker_skew_figure(table({skewed(4, "threads", "equal", 0.2), failed})).empty_reason.empty());
  Values even = skewed(4, "threads", "by_speed", 0.2);
  even["worker_speeds"] = "";
  EXPECT_FALSE(worker_skew_figure(table({even})).empty_reason.empty());
  EXPECT_FALSE(worker_skew_figure(no_cases()).empty_reason.empty());
}

TEST(DistillationGain, HasAPanelAMaskAndThePairsBesideTheGain) {
  const Figure figure = distillation_gain_figure(table(
      {distilled(4, "full", "published", 0.4, "500"), distilled(4, "full", "balanced", 0.3, "400"),
       distilled(4, "causal", "published", 0.2, "200"),
       distilled(4, "causal", "balanced", 0.2, "180")}));
  ASSERT_EQ(figure.panels.size(), 4u);
  EXPECT_EQ(figure.panels[0].title, "Time, full mask");
  EXPECT_EQ(figure.panels[1].title, "Time, causal mask");
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "published").points.at(0).y, 400.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "balanced").points.at(0).y, 200.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[2], "ratio").points.at(0).y, 0.75);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[2], "ratio of pairs").points.at(0).y, 0.8);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[3], "ratio of pairs").points.at(0).y, 0.9);
}

TEST(DistillationGain, WithoutBothThereIsASentence) {
  EXPECT_THAT(
      distillation_gain_figure(table({distilled(4, "full", "published", 0.4, "500")})).empty_reason,
      HasSubstr("both distillations"));
  EXPECT_FALSE(distillation_gain_figure(no_cases()).empty_reason.empty());
}

}  // namespace
}  // namespace qb
