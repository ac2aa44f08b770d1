#include "plots/figures/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;

TEST(MemorySummary, TakesTheGreatestLengthThatAllWorkerCountsHave) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(4, 1000, 0.75));
  add_case(cases, ok_case(4, 2000, 0.75));
  add_case(cases, ok_case(8, 1000, 0.5));
  const auto rows = summary_rows(cases);
  ASSERT_EQ(rows.size(), 2u);
  for (const Row& row : rows) EXPECT_EQ(row.text("n_tokens"), "1000");
  EXPECT_EQ(memory_summary_figure(cases).findings.at(0),
            "The longest subsequence holds between 50 % of N (W = 8) and 75 % of N (W = 4).");
}

TEST(MemorySummary, ShowsExtremesMeanAndDeviationInPercentOfN) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(4, 1000, 0.75));
  const Figure figure = memory_summary_figure(cases);
  ASSERT_EQ(figure.panels.size(), 1u);
  const Point bar = figure.panels[0].series.at(0).points.at(0);
  EXPECT_DOUBLE_EQ(bar.low, 60.0);
  EXPECT_DOUBLE_EQ(bar.high, 75.0);
  const Point mean = figure.panels[0].series.at(1).points.at(0);
  EXPECT_DOUBLE_EQ(mean.y, 69.75);
  EXPECT_DOUBLE_EQ(mean.high - mean.y, 4.5);
}

Figure with_lengths(const std::vector<int>& tokens) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(7, 1000, 0.43));
  add_case(cases, ok_case(7, 500, 0.43));
  CsvTable subsequences({"workers", "worker", "tokens"});
  for (std::size_t worker = 0; worker < tokens.size(); ++worker)
    subsequences.append({"7", fmt::format("{}", worker), fmt::format("{}", tokens[worker])});
  PlottedRun run(cases);
  run.subsequences = subsequences;
  return memory_summary_figure(run);
}

TEST(MemorySummary, HistogramsCountEveryWorkerOnceAndNameTheirLength) {
  const Figure figure = with_lengths({426, 427, 427, 428, 430, 430, 430});
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].title, "N = 1,000");
  EXPECT_EQ(figure.panels[1].title, "W = 7, N = 1,000");
  const auto& bars = figure.panels[1].series.at(0).points;
  ASSERT_EQ(bars.size(), 4u);
  EXPECT_EQ(bars[0].x, 426.0);
  EXPECT_EQ(bars[1].high, 2.0);
  EXPECT_EQ(bars[3].x, 430.0);
  EXPECT_EQ(bars[3].high, 3.0);
}

TEST(MemorySummary, AFewLengthsNeedNoHistogramBesideTheirRange) {
  const Figure figure = with_lengths({428, 428, 428, 429, 430, 430, 430});
  EXPECT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(figure.notes.back(),
              ::testing::HasSubstr("Not drawn: 1 histogram (at most 3 lengths"));
}

TEST(MemorySummary, NoLengthsGiveASentence) {
  EXPECT_FALSE(memory_summary_figure(no_cases()).empty_reason.empty());
}

}  // namespace
}  // namespace qb
