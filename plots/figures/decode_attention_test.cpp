// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Makes 10 decode steps that end at 1000 keys.
Values steps(const std::string& algorithm, int workers, double seconds, const Values& more = {}) {
  Values all = {{"kv_len", "1000"}};
  for (const auto& [column, value] : more) all[column] = value;
  return scheme_case(algorithm, workers, 10, seconds, all);
}

std::vector<std::string> bars_of(const Panel& panel) {
  std::vector<std::string> names;
  for (const Axis::Tic& tic : panel.y.tics) names.push_back(tic.label);
  return names;
}

std::vector<std::string> ends_of(const Panel& panel) {
  std::vector<std::string> texts;
  for (const Point& end : series_named(panel, "wall clock").points) texts.push_back(end.text);
  return texts;
}

TEST(DecodeAttention, TheTimeOfAStepIsABarOfItsPartsBelowItsBase) {
  const Figure figure = decode_attention_figure(scheme_table(
      {steps("dense", 1, 0.1, {{"compute_median_s", "0.07"}}),
       steps("tree_decode", 2, 0.05,
             {{"compute_median_s", "0.03"}, {"exposed_communication_median_s", "0.01"}})}));
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  EXPECT_THAT(bars_of(panel), ElementsAre("dense, W = 1", "tree_decode, W = 2"));
  const auto& compute = series_named(panel, "compute and merge").points;
  EXPECT_DOUBLE_EQ(compute.at(0).x, 10.0) << "the medians of its parts do not add up to it";
  EXPECT_DOUBLE_EQ(compute.at(1).x, 3.75) << "3 of 4 parts of 5 ms";
  const Point waiting = series_named(panel, "exposed communication").points.at(0);
  EXPECT_DOUBLE_EQ(waiting.x_low, 3.75);
  EXPECT_DOUBLE_EQ(waiting.x_high, 5.0) << "the parts add up to the wall clock";
  EXPECT_DOUBLE_EQ(series_named(panel, "interval").points.at(3).x, 4.5);
  EXPECT_THAT(ends_of(panel), ElementsAre("10.0 (base)", "5.0 (×0.50)"));
}

TEST(DecodeAttention, BarsStandBelowTheirOwnBaseOrElseDense) {
  const Figure figure =
      decode_attention_figure(scheme_table({steps("dense", 1, 0.08), steps("tree_decode", 4, 0.02),
                                            steps("decode", 1, 0.1), steps("decode", 4, 0.05)}));
  EXPECT_EQ(figure.title,
            "A decode step of W = 4 takes 0.25 (tree_decode), 0.5 (decode) times that of W = 1");
  const Panel& panel = figure.panels.at(0);
  EXPECT_THAT(bars_of(panel),
              ElementsAre("decode, W = 1", "decode, W = 4", "dense, W = 1", "tree_decode, W = 4"));
  EXPECT_DOUBLE_EQ(panel.y.tics[2].value, 3.0) << "a gap between two bases";
  EXPECT_THAT(ends_of(panel),
              ElementsAre("10.0 (base)", "5.0 (×0.50)", "8.0 (base)", "2.0 (×0.25)"));
}

TEST(DecodeAttention, AStepWithoutABaseHasNoRatioAndOfOtherStepsIsNone) {
  const Figure figure = decode_attention_figure(scheme_table(
      {steps("decode", 2, 0.1), scheme_case("dense", 1, 20, 0.1, {{"kv_len", "1000"}})}));
  EXPECT_EQ(figure.title, "Attention of a decode step by workers");
  EXPECT_THAT(ends_of(figure.panels.at(0)), ElementsAre("10.0", "5.0 (base)"));
}

TEST(DecodeAttention, MoreWorkersThanCoresAndDisturbedOnesAreMarkedAndNotInTheTitle) {
  PlottedRun run(scheme_table({steps("dense", 1, 0.08), steps("tree_decode", 2, 0.06),
                               steps("tree_decode", 4, 0.02),
                               steps("decode", 2, 0.012, {{"disturbed_by", "stolen"}})}));
  on_two_cores(run);
  const Figure figure = decode_attention_figure(run);
  EXPECT_EQ(figure.title, "A decode step of W = 2 takes 0.75 (tree_decode) times that of W = 1");
  EXPECT_THAT(ends_of(figure.panels.at(0)),
              ElementsAre("8.0 (base)", "1.2* (×0.15)", "6.0 (×0.75)", "2.0* (×0.25)"));
  EXPECT_EQ(decode_attention_figure(
                scheme_table({steps("dense", 1, 0.08), steps("tree_decode", 2, 0.081)}))
                .title,
            "No decode step of W = 2 differs from its base of W = 1");
}

TEST(DecodeAttention, ATitleOfDisturbedOrModelledStepsClaimsWhatTheirRuleAllows) {
  const auto title_of = [](const Values& more, double error) {
    PlottedRun run(
        scheme_table({steps("dense", 1, 0.1, more), steps("tree_decode", 2, 0.05, more)}));
    run.model_grade = [=] { return ModelGrade{.forward = {error}}; };
    return decode_attention_figure(run).title;
  };
  EXPECT_EQ(title_of({{"disturbed_by", "stolen"}}, 1.0), "Attention of a decode step by workers");
  EXPECT_EQ(title_of({{"ranks", "model"}}, 1.5),
            "A decode step of W = 2 takes 0.5 (tree_decode) times that of W = 1");
  EXPECT_EQ(title_of({{"ranks", "model"}}, 2.5),
            "No decode step of W = 2 differs from its base of W = 1");
}

TEST(DecodeAttention, KeysAndBatchArePanelsOfWhichTwoAreDrawn) {
  const Figure figure = decode_attention_figure(
      scheme_table({steps("decode", 2, 0.1), steps("decode", 2, 0.2, {{"batch", "4"}}),
                    steps("decode", 2, 0.2, {{"kv_len", "2000"}})}));
  EXPECT_THAT(titles(figure), ElementsAre("1,000 keys, B = 1", "1,000 keys, B = 4"));
  EXPECT_THAT(figure.notes, ::testing::Contains(HasSubstr("Not drawn: 1 of 3 panels")));
}

TEST(DecodeAttention, DenseAloneIsNoDecoding) {
  EXPECT_THAT(decode_attention_figure(scheme_table({steps("dense", 1, 0.08)})).empty_reason,
              HasSubstr("tree_decode"));
  EXPECT_THAT(decode_attention_figure(case_study_2(10)).empty_reason, HasSubstr("tree_decode"));
}

// The committed figure: the parts of a bar are its wall clock, its text has its ratio to the base
// above it, and the title has the ratios of W = 2, all that the machine has cores for, whose
// intervals do not overlap that of the base.
TEST(DecodeAttention, CommittedTitleHasTheRatiosThatAreToldApart) {
  const CommittedFigure figure("decode", "decode_attention");
  std::map<std::pair<std::string, double>, double> parts;  // by panel and place of the bar
  std::map<std::pair<std::string, double>, std::vector<double>> intervals;
  for (const Mark& mark : figure.marks()) {
    if (mark.series == "interval" && std::isfinite(mark.x))
      intervals[{mark.panel, mark.y}].push_back(mark.x);
    if (!(mark.width() > 0.0)) continue;
    EXPECT_NEAR(mark.x, mark.width(), 1e-9) << mark.series;
    parts[{mark.panel, mark.y}] += mark.x;
  }
  std::map<double, std::string> apart;
  std::size_t all = 0;
  double base_ms = 0.0;
  std::vector<double> base;
  for (const Mark& mark : figure.marks()) {
    if (mark.series != "wall clock") continue;
    EXPECT_NEAR(parts.at({mark.panel, mark.y}), mark.x, 1e-9);
    const std::vector<double>& interval = intervals.at({mark.panel, mark.y});
    const std::string& text = mark.fields.at("text");
    if (text.ends_with(" (base)")) {
      base_ms = mark.x;
      base = interval;
      continue;
    }
    EXPECT_THAT(text, HasSubstr(fmt::format("(×{:.2f})", mark.x / base_ms)));
    const std::string name = figure.tics(mark.panel, "y").at(mark.y);
    EXPECT_EQ(text.find('*') != std::string::npos, name.ends_with("W = 4")) << "on two cores";
    if (!name.ends_with("W = 2")) continue;
    ++all;
    if (interval.at(0) > base.at(1) || interval.at(1) < base.at(0))
      apart[mark.x / base_ms] =
          fmt::format("{:.3g} ({}, B = {})", mark.x / base_ms, name.substr(0, name.find(',')),
                      mark.panel == "1" ? 1 : 4);
  }
  std::vector<std::string> said;
  for (const auto& [ratio, text] : apart) said.push_back(text);
  EXPECT_EQ(
      figure.title(),
      fmt::format("A decode step of W = 2 takes {} times that of W = 1; {} of {} are not told "
                  "apart",
                  listed(said), all - said.size(), all));
}

}  // namespace
}  // namespace qb
