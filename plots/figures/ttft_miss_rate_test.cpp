// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/statistics.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values pass(const std::string& algorithm, std::int64_t new_tokens, double seconds,
            const Values& more = {}) {
  Values all = {{"kv_len", "1000"}};
  for (const auto& [column, value] : more) all[column] = value;
  return scheme_case(algorithm, 4, new_tokens, seconds, all);
}

PlottedRun crossing_at_ten_percent() {
  return scheme_table({pass("pass_kv", 10, 0.02), pass("pass_q", 10, 0.01),
                       pass("pass_kv", 1000, 0.1), pass("pass_q", 1000, 0.2)});
}

TEST(TtftMissRate, TheRatioHasBarsAndThePublishedOneStandsBesideIt) {
  const PlottedRun alone(crossing_at_ten_percent());
  EXPECT_EQ(ttft_miss_rate_figure(alone).panels.at(0).series.size(), 2u);
  const Figure figure = ttft_miss_rate_figure(with_published(alone));
  ASSERT_EQ(figure.panels.size(), 1u);
  const auto& series = figure.panels[0].series;
  ASSERT_EQ(series.size(), 3u);
  EXPECT_DOUBLE_EQ(series[0].points.at(0).x, 1.0) << "the share of new tokens";
  EXPECT_DOUBLE_EQ(series[0].points.at(0).y, 0.5);
  EXPECT_DOUBLE_EQ(series[0].points.at(0).low, 0.5 * 0.9 / 1.1);
  EXPECT_DOUBLE_EQ(series[0].points.at(1).y, 2.0);
  EXPECT_TRUE(series[1].published);
  ASSERT_EQ(series[1].points.size(), 14u);
  EXPECT_DOUBLE_EQ(series[1].points[0].x, 1.0);
  EXPECT_DOUBLE_EQ(series[1].points[0].y, 898.71 / 1023.39);
  EXPECT_EQ(series[2].draw, Draw::limit);
  EXPECT_EQ(series[2].points.at(0).y, 1.0);
}

TEST(TtftMissRate, TheTitleSaysBetweenWhichDecidedRatesTheTwoAreEquallyFast) {
  const Figure figure = ttft_miss_rate_figure(with_published(crossing_at_ten_percent()));
  EXPECT_EQ(figure.title,
            "pass_q over pass_kv: equally fast between 1 % and 100 %; published, equally fast at "
            "5.2 %");
}

TEST(TtftMissRate, MoreWorkersThanCoresAreNotRanked) {
  PlottedRun run = crossing_at_ten_percent();
  on_two_cores(run);
  const Figure figure = ttft_miss_rate_figure(with_published(run));
  EXPECT_EQ(figure.title,
            "pass_q over pass_kv: nothing to rank, W = 4 on 2 cores; published, equally fast at "
            "5.2 %");
  for (const Point& point : figure.panels.at(0).series.at(0).points)
    EXPECT_TRUE(point.disturbed) << "hollow";
}

TEST(TtftMissRate, EachPanelIsInTheTitleAndDisturbedOrSinglePairsDecideNothing) {
  const auto pair = [](const char* link, const Values& more) {
    Values own = {{"link_bandwidth_byte_per_s", link}};
    own.insert(more.begin(), more.end());
    return std::vector<Values>{pass("pass_kv", 10, 0.02, own), pass("pass_q", 10, 0.01, own)};
  };
  std::vector<Values> rows = pair("1e9", {});
  for (const Values& values : pair("2e9", {{"n_samples", "1"}})) rows.push_back(values);
  for (const Values& values : pair("3e9", {{"disturbed_by", "stolen"}})) rows.push_back(values);
  EXPECT_THAT(ttft_miss_rate_figure(scheme_table(rows)).title,
              HasSubstr("pass_q over pass_kv: pass_q is the faster at 1 of 1 miss rate (1 GB/s); "
                        "not told apart at any of 1 miss rate (2 GB/s)"));
}

TEST(TtftMissRate, ModelledTimesAreToldApartByTheModelsError) {
  const auto modelled = [](double queries, double error) {
    PlottedRun run(scheme_table({pass("pass_kv", 10, 0.02, {{"ranks", "model"}}),
                                 pass("pass_q", 10, queries, {{"ranks", "model"}})}));
    run.model_grade = [=] { return ModelGrade{.forward = {error}}; };
    return ttft_miss_rate_figure(run).title;
  };
  EXPECT_THAT(modelled(0.01, 1.5), HasSubstr("pass_q is the faster at 1 of 1"));
  EXPECT_THAT(modelled(0.01, 2.5), HasSubstr("not told apart"));
}

TEST(TtftMissRate, RatiosWhoseIntervalsIncludeOneDecideNothing) {
  std::vector<Values> rows = {pass("pass_kv", 10, 0.02), pass("pass_q", 10, 0.021),
                              pass("pass_kv", 1000, 0.1), pass("pass_q", 1000, 0.099)};
  EXPECT_THAT(ttft_miss_rate_figure(scheme_table(rows)).title,
              HasSubstr("not told apart at any of 2 miss rates"));
  rows.push_back(pass("pass_kv", 100, 0.02));
  rows.push_back(pass("pass_q", 100, 0.05));
  EXPECT_THAT(ttft_miss_rate_figure(scheme_table(rows)).title,
              HasSubstr("pass_kv is the faster at 1 of 3 miss rates"));
}

TEST(TtftMissRate, WorkersRanksAndLinksAreRowsOfPanels) {
  CsvTable cases = crossing_at_ten_percent().cases;
  for (const char* algorithm : {"pass_kv", "pass_q"}) {
    add_case(cases, pass(algorithm, 10, 0.02, {{"link_bandwidth_byte_per_s", "1e9"}}));
    add_case(cases, pass(algorithm, 10, 0.02, {{"ranks", "mpi"}}));
  }
  add_case(cases, pass("pass_kv", 10, 0.02, {{"workers", "8"}}));  // beside no pass_q
  const Figure figure = ttft_miss_rate_figure(cases);
  ASSERT_EQ(figure.panels.size(), 3u);
  EXPECT_THAT(figure.panels[0].title, HasSubstr("mpi, no link limit"));
  EXPECT_THAT(figure.panels[1].title, HasSubstr("threads, 1 GB/s"));
  EXPECT_THAT(figure.panels[2].title, HasSubstr("threads, no link limit"));
}

std::string keys_of(const Figure& figure) {
  std::string names;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) names += figure.panels[p].title + "; ";
  return names;
}

TEST(TtftMissRate, AContextWithSeveralMissRatesHasPanelsOfItsOwn) {
  const CsvTable cases =
      scheme_table({pass("pass_kv", 800, 0.1), pass("pass_kv", 100, 0.1), pass("pass_q", 100, 0.1),
                    pass("pass_kv", 100, 0.1, {{"kv_len", "2000"}}),
                    pass("pass_q", 100, 0.1, {{"kv_len", "2000"}})});
  const Figure figure = ttft_miss_rate_figure(cases);
  EXPECT_EQ(keys_of(figure), "1,000 keys; 2,000 keys; ");
}

TEST(TtftMissRate, WithAsManyCachedTokensInEachTheContextsShareAPanel) {
  const auto of_keys = [](const char* algorithm, std::int64_t new_tokens, const char* keys) {
    return pass(algorithm, new_tokens, 0.1, {{"kv_len", keys}});
  };
  const CsvTable cases =
      scheme_table({of_keys("pass_kv", 100, "1100"), of_keys("pass_q", 100, "1100"),
                    of_keys("pass_kv", 1000, "2000"), of_keys("pass_q", 1000, "2000")});
  EXPECT_EQ(keys_of(ttft_miss_rate_figure(cases)), "; ");
}

TEST(TtftMissRate, APlaceWhereNothingRanHasNoPanel) {
  Values failed = pass("pass_kv", 100, 0.1);
  failed["status"] = "timeout";
  EXPECT_FALSE(ttft_miss_rate_figure(scheme_table({failed})).empty_reason.empty());
}

TEST(TtftMissRate, OtherAlgorithmsGiveASentence) {
  EXPECT_EQ(ttft_miss_rate_figure(case_study_2(10)).empty_reason,
            "no case of pass_q ran beside one of pass_kv");
}

// The committed figure: below the rate of the title published pass_q is the faster, above it
// pass_kv, and ours, on two cores, have no claim.
TEST(TtftMissRate, CommittedTitleHasTheRateAtWhichPublishedTimesAreEqual) {
  const CommittedFigure figure("pass_kv_or_q", "ttft_miss_rate");
  std::vector<double> rates;
  std::vector<double> ratios;
  for (const Mark& mark : figure.marks("1", "pass_q / pass_kv"))
    if (mark.kind == "published") {
      rates.push_back(mark.x);
      ratios.push_back(std::log(mark.y));
    }
  const std::vector<double> equal = crossings(rates, ratios, 0.0);
  ASSERT_EQ(equal.size(), 1u);
  EXPECT_LT(ratios.front(), 0.0);
  EXPECT_EQ(figure.title(), fmt::format("pass_q over pass_kv: nothing to rank, W = 4 on 2 cores; "
                                        "published, equally fast at {:.2g} %",
                                        equal[0]));
}

}  // namespace
}  // namespace qb
