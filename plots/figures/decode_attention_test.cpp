// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <map>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

// Makes 10 decode steps that end at 1000 keys.
Values steps(const std::string& algorithm, int workers, double seconds, const Values& more = {}) {
  Values all = {{"kv_len", "1000"}};
  for (const auto& [column, value] : more) all[column] = value;
  return scheme_case(algorithm, workers, 10, seconds, all);
}

TEST(DecodeAttention, TheTimeOfAStepIsABarOfItsParts) {
  const Figure figure = decode_attention_figure(scheme_table(
      {steps("dense", 1, 0.08, {{"compute_median_s", "0.07"}}),
       steps("tree_decode", 2, 0.05,
             {{"compute_median_s", "0.03"}, {"exposed_communication_median_s", "0.01"}})}));
  ASSERT_EQ(figure.panels.size(), 2u);
  const Panel& panel = figure.panels[0];
  ASSERT_EQ(panel.y.tics.size(), 2u);
  EXPECT_EQ(panel.y.tics[0].label, "tree_decode, W = 2");
  EXPECT_EQ(panel.y.tics[1].label, "dense, W = 1");
  const auto& compute = series_named(panel, "compute and merge").points;
  EXPECT_DOUBLE_EQ(compute.at(0).x, 3.75) << "3 of 4 parts of 5 ms";
  EXPECT_DOUBLE_EQ(compute.at(1).x, 8.0) << "the medians of its parts do not add up to it";
  const Point waiting = series_named(panel, "exposed communication").points.at(0);
  EXPECT_DOUBLE_EQ(waiting.x_low, 3.75);
  EXPECT_DOUBLE_EQ(waiting.x_high, 5.0) << "the parts add up to the wall clock";
  EXPECT_DOUBLE_EQ(series_named(panel, "interval").points.at(0).x, 4.5);
  EXPECT_EQ(series_named(panel, "wall clock").points.at(0).text, "5.0");
}

TEST(DecodeAttention, TheBaseIsTheOwnCaseOfOneWorkerAndElseDense) {
  const Figure figure =
      decode_attention_figure(scheme_table({steps("dense", 1, 0.08), steps("tree_decode", 4, 0.02),
                                            steps("decode", 1, 0.1), steps("decode", 4, 0.05)}));
  EXPECT_EQ(figure.title,
            "Of the time of W = 1, a step of W = 4 takes 0.25 in tree_decode, 0.5 in decode");
  const Panel& panel = figure.panels.at(1);
  EXPECT_DOUBLE_EQ(series_named(panel, "tree_decode").points.at(0).y, 0.25);
  const auto& decode = series_named(panel, "decode").points;
  EXPECT_DOUBLE_EQ(decode.at(0).y, 1.0);
  EXPECT_DOUBLE_EQ(decode.at(1).y, 0.5);
}

TEST(DecodeAttention, MoreWorkersThanCoresAreNotInTheTitle) {
  PlottedRun run(scheme_table(
      {steps("dense", 1, 0.08), steps("tree_decode", 2, 0.06), steps("tree_decode", 4, 0.02)}));
  run.provenance.cores = 2;
  EXPECT_EQ(decode_attention_figure(run).title,
            "Of the time of W = 1, a step of W = 2 takes 0.75 in tree_decode");
}

TEST(DecodeAttention, PublishedShapesOfTheSameBatchAreRelativeToOneRank) {
  const PlottedRun run = scheme_table(
      {steps("decode", 1, 0.1, {{"batch", "3"}}), steps("decode", 1, 0.1, {{"batch", "4"}})});
  EXPECT_THROW((void)series_named(decode_attention_figure(run).panels.at(3), "published: pass-Q"),
               std::out_of_range)
      << "nobody asked for it";
  const Figure figure = decode_attention_figure(with_published(run));
  ASSERT_EQ(figure.panels.size(), 4u) << "two quantities of two batches";
  EXPECT_THROW(static_cast<void>(series_named(figure.panels.at(2), "published: pass-Q")),
               std::out_of_range)
      << "nothing is published of a batch of three";
  const Series& whole = series_named(figure.panels.at(3), "published: pass-Q");
  EXPECT_TRUE(whole.published);
  EXPECT_DOUBLE_EQ(whole.points.at(1).y, 136.6 / 60.1);
}

TEST(DecodeAttention, KeysAndBatchArePanelsOfWhichTwoAreDrawnAlsoWithoutABase) {
  const Figure figure = decode_attention_figure(
      scheme_table({steps("decode", 2, 0.1), steps("decode", 2, 0.2, {{"batch", "4"}}),
                    steps("decode", 2, 0.2, {{"kv_len", "2000"}})}));
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.empty_reason, "");
  EXPECT_EQ(figure.panels[0].title, "1,000 keys, B = 1, threads, no link limit");
  EXPECT_EQ(figure.panels[1].title, "1,000 keys, B = 4, threads, no link limit");
  EXPECT_THAT(figure.notes, ::testing::Contains(HasSubstr("Not drawn: 1 of 3 panels")));
}

TEST(DecodeAttention, DenseAloneIsNoDecoding) {
  EXPECT_THAT(decode_attention_figure(scheme_table({steps("dense", 1, 0.08)})).empty_reason,
              HasSubstr("tree_decode"));
  EXPECT_THAT(decode_attention_figure(case_study_2(10)).empty_reason, HasSubstr("tree_decode"));
}

// The committed figure: the parts of a bar are its wall clock, and the title has the ratios at
// W = 2, all that the machine has cores for, whose intervals exclude 1.
TEST(DecodeAttention, CommittedTitleHasTheRatiosWhoseIntervalsExcludeOne) {
  const CommittedFigure figure("decode", "decode_attention");
  std::map<std::pair<std::string, double>, double> parts;  // by panel and place of the bar
  for (const Mark& mark : figure.marks())
    if (mark.width() > 0.0) {
      EXPECT_NEAR(mark.x, mark.width(), 1e-9) << mark.series;
      parts[{mark.panel, mark.y}] += mark.x;
    }
  std::map<double, std::string> decided;
  int undecided = 0;
  int all = 0;
  for (const Mark& mark : figure.marks()) {
    if (mark.series == "wall clock") {
      EXPECT_NEAR(parts.at({mark.panel, mark.y}), mark.x, 1e-9);
    }
    if (!mark.is_data() || mark.panel < "3" || mark.x != 2.0) continue;
    ++all;
    if (mark.low <= 1.0 && mark.high >= 1.0)
      ++undecided;
    else
      decided[mark.y] =
          fmt::format("{:.3g} in {} (B = {})", mark.y, mark.series, mark.panel == "3" ? 1 : 4);
  }
  std::vector<std::string> said;
  for (const auto& [ratio, text] : decided) said.push_back(text);
  EXPECT_EQ(figure.title(),
            fmt::format("Of the time of W = 1, a step of W = 2 takes {}; {} of {} intervals "
                        "include 1",
                        listed(said), undecided, all));
}

}  // namespace
}  // namespace qb
