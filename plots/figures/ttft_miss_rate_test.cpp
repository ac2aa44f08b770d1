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

CsvTable crossing_at_ten_percent() {
  return scheme_table({pass("pass_kv", 10, 0.02), pass("pass_q", 10, 0.01),
                       pass("pass_kv", 1000, 0.1), pass("pass_q", 1000, 0.2)});
}

TEST(TtftMissRate, TheRatioHasBarsAndThePublishedOneStandsBesideIt) {
  const Figure figure = ttft_miss_rate_figure(crossing_at_ten_percent());
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
  EXPECT_EQ(ttft_miss_rate_figure(crossing_at_ten_percent()).title,
            "pass_q over pass_kv: equally fast between 1 % and 100 %; published: equally fast "
            "between 5 % and 10 %");
}

TEST(TtftMissRate, MoreWorkersThanCoresAreHollowAndNotRanked) {
  PlottedRun run(crossing_at_ten_percent());
  run.provenance.cores = 2;
  const Figure figure = ttft_miss_rate_figure(run);
  EXPECT_THAT(figure.title, HasSubstr("pass_q over pass_kv: no time counts; published"));
  EXPECT_TRUE(figure.panels.at(0).series.at(0).points.at(0).disturbed);
}

TEST(TtftMissRate, RatiosWhoseIntervalsIncludeOneDecideNothing) {
  std::vector<Values> rows = {pass("pass_kv", 10, 0.02), pass("pass_q", 10, 0.021),
                              pass("pass_kv", 1000, 0.1), pass("pass_q", 1000, 0.099)};
  EXPECT_THAT(ttft_miss_rate_figure(scheme_table(rows)).title,
              HasSubstr(": undecided at 2 miss rates;"));
  rows.push_back(pass("pass_kv", 100, 0.02));
  rows.push_back(pass("pass_q", 100, 0.05));
  EXPECT_THAT(ttft_miss_rate_figure(scheme_table(rows)).title,
              HasSubstr(": pass_kv faster at 1 of 3 miss rates;"));
}

TEST(TtftMissRate, WorkersRanksAndLinksAreRowsOfPanels) {
  CsvTable cases = crossing_at_ten_percent();
  add_case(cases, pass("pass_kv", 10, 0.02, {{"link_bandwidth_byte_per_s", "1e9"}}));
  add_case(cases, pass("pass_kv", 10, 0.02, {{"ranks", "mpi"}}));
  const Figure figure = ttft_miss_rate_figure(cases);
  ASSERT_EQ(figure.panels.size(), 3u);
  EXPECT_THAT(figure.panels[0].title, HasSubstr("W = 4, mpi, no link limit"));
  EXPECT_THAT(figure.panels[1].title, HasSubstr("W = 4, threads, 1 GB/s"));
  EXPECT_THAT(figure.panels[2].title, HasSubstr("W = 4, threads, no link limit"));
}

std::string keys_of(const Figure& figure) {
  std::string names;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) names += figure.panels[p].title + "; ";
  return names;
}

TEST(TtftMissRate, AContextWithSeveralMissRatesHasPanelsOfItsOwn) {
  const CsvTable cases =
      scheme_table({pass("pass_kv", 800, 0.1), pass("pass_kv", 100, 0.1), pass("pass_q", 100, 0.1),
                    pass("pass_kv", 100, 0.1, {{"kv_len", "2000"}})});
  const Figure figure = ttft_miss_rate_figure(cases);
  EXPECT_EQ(keys_of(figure),
            "W = 4, threads, no link limit, 1,000 keys; W = 4, threads, no link limit, 2,000 "
            "keys; ");
}

TEST(TtftMissRate, WithAsManyCachedTokensInEachTheContextsShareAPanel) {
  const auto of_keys = [](const char* algorithm, std::int64_t new_tokens, const char* keys) {
    return pass(algorithm, new_tokens, 0.1, {{"kv_len", keys}});
  };
  const CsvTable cases =
      scheme_table({of_keys("pass_kv", 100, "1100"), of_keys("pass_q", 100, "1100"),
                    of_keys("pass_kv", 1000, "2000"), of_keys("pass_q", 1000, "2000")});
  EXPECT_EQ(keys_of(ttft_miss_rate_figure(cases)), "W = 4, threads, no link limit; ");
}

TEST(TtftMissRate, APlaceWhereNothingRanHasNoPanel) {
  Values failed = pass("pass_kv", 100, 0.1);
  failed["status"] = "timeout";
  EXPECT_FALSE(ttft_miss_rate_figure(scheme_table({failed})).empty_reason.empty());
}

TEST(TtftMissRate, OtherAlgorithmsGiveASentence) {
  EXPECT_EQ(ttft_miss_rate_figure(case_study_2(10)).empty_reason,
            "no case of pass_kv or pass_q ran");
}

// The committed figure: between the rates of the title published ratios pass through 1, and ours,
// on two cores, are hollow and have no claim.
TEST(TtftMissRate, CommittedTitleHasTheRatesBetweenWhichPublishedTimesAreEqual) {
  const CommittedFigure figure("pass_kv_or_q", "ttft_miss_rate");
  double below = 0.0;
  double above = 0.0;
  for (const Mark& mark : figure.marks("1", "pass_q / pass_kv")) {
    if (mark.is_data()) {
      EXPECT_EQ(mark.fields.at("disturbed"), "1");
    } else if (mark.y < 1.0) {
      EXPECT_EQ(above, 0.0) << "it passes through 1 once";
      below = mark.x;
    } else if (above == 0.0) {
      above = mark.x;
    }
  }
  EXPECT_EQ(figure.title().substr(figure.title().find("): ")),
            fmt::format("): no time counts; published: equally fast between {:.3g} % and {:.3g} %",
                        below, above));
}

}  // namespace
}  // namespace qb
