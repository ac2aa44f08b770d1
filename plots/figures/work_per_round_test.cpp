// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "plots/frame/table.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values causal_case(const std::string& id, const std::string& algorithm, int workers = 4) {
  Values values = ok_case(workers, 400, 1.0);
  values["case_id"] = id;
  values["algorithm"] = algorithm;
  values["mask"] = "causal";
  return values;
}

// Adds rounds of a contiguous or a striped ring over W = 4 blocks of c = 100 tokens, causal.
void add_ring(CsvTable& steps, const std::string& id, bool striped) {
  for (int worker = 0; worker < 4; ++worker)
    for (int round = 0; round < 4; ++round) {
      const int source = (worker - round + 4) % 4;
      int pairs = source < worker ? 10000 : 0;
      if (striped) pairs = source <= worker ? 5050 : 4950;
      if (round == 0) pairs = 5050;
      add_step(steps, id, worker, round, {{"unmasked_pairs", fmt::format("{}", pairs)}});
    }
}

constexpr const char* kAll = "of each worker";
constexpr const char* kSome = "of the busiest alone, others wait";

std::vector<double> lengths(const Panel& panel, const char* part) {
  std::vector<double> out;
  for (const Point& bar : series_named(panel, part).points) out.push_back(bar.x);
  return out;
}

TEST(WorkPerRound, ABarIsWhatEachWorkerHasInARoundThenWhatTheBusiestAloneHas) {
  CsvTable cases = no_cases();
  add_case(cases, causal_case("a", "ring"));
  add_case(cases, causal_case("b", "striped"));
  CsvTable steps = no_steps();
  add_ring(steps, "a", false);
  add_ring(steps, "b", true);
  const Figure figure = work_per_round_figure(with_steps(cases, steps));
  ASSERT_THAT(titles(figure), ElementsAre("N = 400, W = 4, causal mask"));
  const Panel& panel = figure.panels[0];
  EXPECT_EQ(panel.y.tics.at(1).label, "striped");
  // Rounds of the ring, then of the striped one.
  EXPECT_THAT(lengths(panel, kAll), ElementsAre(5050, 5050, 4950, 4950, 4950));
  EXPECT_THAT(lengths(panel, kSome), ElementsAre(10000, 10000, 10000, 100, 100, 100));
  const Point second = series_named(panel, kSome).points.at(1);
  EXPECT_EQ(second.x_low, 15050.0);
  EXPECT_EQ(second.x_high, 25050.0);
  EXPECT_THAT(second.more, ElementsAre("2"));
  const std::vector<Point>& sums = series_named(panel, "sum").points;
  EXPECT_EQ(sums.at(0).x, 35050.0);
  EXPECT_EQ(sums.at(1).text, "20.2 k (58 %)");
  EXPECT_EQ(figure.title, "The critical path of ring has 1.74 times the pairs of that of striped");
}

TEST(WorkPerRound, CasesOfOneRoundAreCountedInTheNotes) {
  CsvTable cases = no_cases();
  add_case(cases, causal_case("a", "ring"));
  add_case(cases, causal_case("b", "cqs", 7));
  CsvTable steps = no_steps();
  add_ring(steps, "a", false);
  add_step(steps, "b", 0, 0, {{"unmasked_pairs", "7"}});
  const Figure figure = work_per_round_figure(with_steps(cases, steps));
  EXPECT_EQ(figure.panels.size(), 1u);
  EXPECT_EQ(figure.notes.at(1), "Not drawn: 1 panel (each case is a single round).");
}

TEST(WorkPerRound, CasesOfTheSameCountsAreOneLineAndOthersAreNamedApart) {
  CsvTable cases = no_cases();
  Values other_type = causal_case("b", "ring");
  other_type["dtype"] = "f32";
  Values other_set = causal_case("c", "cqs");
  other_set["interest_set"] = "0,1,2";
  add_case(cases, causal_case("a", "ring"));
  add_case(cases, other_type);
  add_case(cases, other_set);
  other_set["case_id"] = "d";
  other_set["interest_set"] = "0,1,3";
  add_case(cases, other_set);
  CsvTable steps = no_steps();
  add_ring(steps, "a", false);
  add_ring(steps, "b", false);
  for (int worker = 0; worker < 4; ++worker) {
    add_step(steps, "c", worker, 0, {{"unmasked_pairs", "20050"}});
    add_step(steps, "d", worker, 0, {{"unmasked_pairs", "20060"}});
  }
  const Panel panel = work_per_round_figure(with_steps(cases, steps)).panels.at(0);
  std::vector<std::string> shown;
  for (const Axis::Tic& tic : panel.y.tics) shown.push_back(tic.label);
  EXPECT_THAT(shown, ElementsAre("cqs, I = 0,1,2", "cqs, I = 0,1,3", "ring"));
}

TEST(WorkPerRound, AWorkerWithoutAStepDoesNothingInIt) {
  CsvTable cases = no_cases();
  add_case(cases, causal_case("a", "ring", 2));
  CsvTable steps = no_steps();
  add_step(steps, "a", 0, 0, {{"unmasked_pairs", "7"}});
  add_step(steps, "a", 1, 1, {{"unmasked_pairs", "7"}});
  const Panel panel = work_per_round_figure(with_steps(cases, steps)).panels.at(0);
  EXPECT_THAT(lengths(panel, kSome), ElementsAre(7, 7));
}

TEST(WorkPerRound, APanelForEachLengthWorkerCountAndMask) {
  CsvTable cases = no_cases();
  CsvTable steps = no_steps();
  for (int workers = 1; workers < 10; ++workers) {
    const std::string id = fmt::format("{}", workers);
    add_case(cases, causal_case(id, "ring", workers));
    for (int round = 0; round < 2; ++round)
      add_step(steps, id, 0, round, {{"unmasked_pairs", "7"}});
  }
  const Figure figure = work_per_round_figure(with_steps(cases, steps));
  EXPECT_EQ(figure.panels.size(), 4u);
  EXPECT_EQ(figure.panels[0].title, "N = 400, W = 2, causal mask") << "one worker has no rounds";
  EXPECT_THAT(figure.notes.back(), HasSubstr("Not drawn: 4 of 8 panels"));
}

// Its last round has no pair, and of both passes one has the rounds of either.
TEST(WorkPerRound, ABackwardPassIsDrawnAsTheForwardPassAndBothPassesAreASentence) {
  CsvTable cases = no_cases();
  CsvTable steps = no_steps();
  const auto add = [&](const std::string& id, const char* pass) {
    Values values = causal_case(id, "ring");
    values["pass"] = pass;
    add_case(cases, values);
    add_ring(steps, id, false);
    if (pass != std::string("forward"))
      for (int worker = 0; worker < 4; ++worker)
        add_step(steps, id, worker, 4, {{"unmasked_pairs", "0"}});
  };
  add("c", "both");
  EXPECT_THAT(work_per_round_figure(with_steps(cases, steps)).empty_reason,
              HasSubstr("each case is of both passes"));
  add("b", "backward");
  const Figure backward = work_per_round_figure(with_steps(cases, steps));
  EXPECT_THAT(lengths(backward.panels.at(0), kAll), ElementsAre(5050));
  EXPECT_THAT(lengths(backward.panels[0], kSome), ElementsAre(10000, 10000, 10000));
  EXPECT_EQ(backward.notes.back(),
            "Not drawn: 1 case of both passes (the rounds of one follow those of the other).");
  add("a", "forward");
  EXPECT_EQ(work_per_round_figure(with_steps(cases, steps)).panels.at(0).y.tics.size(), 1u)
      << "both passes have the same counts";
}

TEST(WorkPerRound, NoStepsOrOneRoundAreASentence) {
  CsvTable cases = no_cases();
  add_case(cases, causal_case("a", "ring"));
  CsvTable steps = no_steps();
  EXPECT_THAT(work_per_round_figure(with_steps(cases, steps)).empty_reason, HasSubstr("steps.csv"));
  add_step(steps, "a", 0, 0, {{"unmasked_pairs", "7"}});
  EXPECT_THAT(work_per_round_figure(with_steps(cases, steps)).empty_reason,
              HasSubstr("several rounds"));
}

// The committed figure: the bars of a row add up to its sum, and the title compares the longest and
// the shortest row.
TEST(WorkPerRound, CommittedBarsAddUpToTheirSumsAndTheTitleComparesTheirEnds) {
  const CommittedFigure figure("work_per_round", "work_per_round");
  const std::map<double, std::string> names = figure.tics("1", "y");
  std::map<double, double> rounds;     // by place
  std::map<double, std::string> sums;  // of schemes
  for (const Mark& mark : figure.marks())
    if (mark.series != "sum") rounds[mark.y] += mark.width();
  for (const Mark& mark : figure.marks("1", "sum")) {
    EXPECT_EQ(rounds.at(mark.y), mark.x) << names.at(mark.y);
    sums[mark.x] = names.at(mark.y);
  }
  EXPECT_EQ(sums.size(), rounds.size() - 1) << "both layouts of CQS have the same sum";
  EXPECT_EQ(
      figure.title(),
      fmt::format("The critical path of {} has {} times the pairs of that of {}",
                  sums.rbegin()->second, significant(sums.rbegin()->first / sums.begin()->first),
                  sums.begin()->second));
}

}  // namespace
}  // namespace qb
