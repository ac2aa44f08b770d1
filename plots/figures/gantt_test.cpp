// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/numbers.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::Not;

Values threads_case(const std::string& id, const std::string& algorithm, int workers) {
  Values values = ok_case(workers, 8192, 1.0);
  values["case_id"] = id;
  values["algorithm"] = algorithm;
  values["ranks"] = "threads";
  values["wall_time_median_s"] = "";
  return values;
}

// What workers compute in a step, which is written into it.
std::vector<Point> points_of_step(const Panel& panel, const std::string& step) {
  std::vector<Point> points = series_named(panel, "compute").points;
  std::erase_if(points, [&](const Point& point) { return point.text != step; });
  return points;
}

TEST(Gantt, OfSeveralLinksTheOneInTheMiddleIsDrawn) {
  CsvTable steps = no_steps();
  std::vector<Values> cases;
  for (const char* link : {"2e+09", "2e+06", "2e+08"}) {
    cases.push_back(threads_case(link, "ring", 2));
    cases.back()["link_bandwidth_byte_per_s"] = link;
    for (int worker : {0, 1})
      add_step(steps, link, worker, 0, {{"start_s", "0"}, {"compute_s", "0.010"}});
  }
  const Figure figure = gantt_figure(with_steps(cases_of(cases), steps));
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(figure.subtitle, HasSubstr("200 MB/s"));
}

TEST(Gantt, TheLinkIsNamedWhereTheRunHasSeveralThoughOneAloneIsDrawn) {
  CsvTable steps = no_steps();
  std::vector<Values> cases;
  for (const char* link : {"2e+06", "2e+08", "2e+09"})
    for (const char* algorithm : {"a", "b", "c", "d", "e", "f"}) {
      const std::string id = std::string(algorithm) + link;
      cases.push_back(threads_case(id, algorithm, 2));
      cases.back()["link_bandwidth_byte_per_s"] = link;
      add_step(steps, id, 0, 0, {{"start_s", "0"}, {"compute_s", "1"}});
    }
  const Figure figure = gantt_figure(with_steps(cases_of(cases), steps));
  ASSERT_EQ(figure.panels.size(), 6u);
  EXPECT_EQ(figure.subtitle, "N = 8,192, W = 2, 200 MB/s");
  EXPECT_EQ(figure.panels[5].title, "f: 1.00 s");
}

TEST(Gantt, WithinAStepDataAreAwaitedThenAPeerThenComputed) {
  CsvTable steps = no_steps();
  add_step(steps, "a", 0, 0, {{"start_s", "0"}, {"compute_s", "0.020"}});
  add_step(steps, "a", 1, 0, {{"start_s", "0"}, {"compute_s", "0.010"}});
  add_step(steps, "a", 1, 1,
           {{"start_s", "0.010"},
            {"exposed_communication_s", "0.004"},
            {"idle_s", "0.006"},
            {"compute_s", "0.030"}});
  const Figure figure = gantt_figure(with_steps(cases_of({threads_case("a", "ring", 2)}), steps));
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  EXPECT_EQ(figure.title, "Workers compute in 60 % of their time and wait for data in 4 %")
      << "60 and 4 of 2 × 50 ms";
  EXPECT_EQ(panel.title, "ring: 50.00 ms");
  EXPECT_EQ(figure.subtitle, "N = 8,192, W = 2") << "the run's own line names its ranks";
  EXPECT_EQ(panel.x.column, "time_ms");
  const Point waiting = series_named(panel, "exposed communication").points.at(0);
  EXPECT_DOUBLE_EQ(waiting.x_low, 10.0);
  EXPECT_DOUBLE_EQ(waiting.x_high, 14.0);
  EXPECT_DOUBLE_EQ(waiting.y, 1.0);
  const Point idle = series_named(panel, "idle").points.at(0);
  EXPECT_DOUBLE_EQ(idle.x_low, 14.0);
  EXPECT_DOUBLE_EQ(idle.x_high, 20.0);
  const std::vector<Point> second = points_of_step(panel, "1");
  ASSERT_EQ(second.size(), 1u);
  EXPECT_DOUBLE_EQ(second[0].x_low, 20.0);
  EXPECT_DOUBLE_EQ(second[0].x_high, 50.0);
  EXPECT_EQ(points_of_step(panel, "0").size(), 2u);
  EXPECT_THAT(figure.notes, Not(::testing::Contains(HasSubstr("composed"))));
}

TEST(Gantt, AScatterIsExposedCommunicationAndTheGatherLastsToTheEndOfTheCase) {
  CsvTable steps = no_steps();
  for (const int worker : {0, 1})
    add_step(steps, "a", worker, 0, {{"start_s", "0.01"}, {"compute_s", "0.07"}});
  Values cqs = threads_case("a", "cqs", 2);
  cqs["wall_time_median_s"] = "0.1";
  cqs["root_sent_bytes"] = "4096";
  Values ring = cqs;
  ring["root_sent_bytes"] = "";
  for (const Values& values : {cqs, ring}) {
    const bool has_root = !values.at("root_sent_bytes").empty();
    const Figure figure = gantt_figure(with_steps(cases_of({values}), steps));
    const Panel& panel = figure.panels.at(0);
    const std::string before = has_root ? "exposed communication" : "waiting between steps";
    ASSERT_EQ(series_named(panel, before).points.size(), 2u) << has_root;
    EXPECT_DOUBLE_EQ(series_named(panel, before).points[0].x_high, 10.0);
    EXPECT_THAT(panel.title, HasSubstr("100.00 ms"));
    const bool gathers = std::ranges::any_of(
        panel.series, [](const Series& one) { return one.name == "gather and merge"; });
    ASSERT_EQ(gathers, has_root);
    if (!gathers) continue;
    const Point& gather = series_named(panel, "gather and merge").points.at(1);
    EXPECT_DOUBLE_EQ(gather.x_low, 80.0);
    EXPECT_DOUBLE_EQ(gather.x_high, 100.0);
    EXPECT_DOUBLE_EQ(gather.y, 1.0);
  }
}

TEST(Gantt, AWorkerHasThreeLanesAndTheWallClockALineAtTheEnd) {
  CsvTable steps = no_steps();
  add_step(steps, "a", 1, 0,
           {{"start_s", "0"},
            {"compute_s", "0.07"},
            {"receive_start_s", "0.01"},
            {"receive_end_s", "0.03"},
            {"send_start_s", "0"},
            {"send_end_s", "0.02"}});
  Values ring = threads_case("a", "ring", 2);
  ring["wall_time_median_s"] = "0.1";
  const Figure figure = gantt_figure(with_steps(cases_of({ring}), steps));
  const Panel& panel = figure.panels.at(0);
  const Point does = series_named(panel, "compute").points.at(0);
  const Point receives = series_named(panel, "receives").points.at(0);
  const Point sends = series_named(panel, "sends").points.at(0);
  EXPECT_LT(does.high, receives.low);
  EXPECT_LT(receives.high, sends.low);
  EXPECT_DOUBLE_EQ(receives.x_high, 30.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "wall clock").points.at(0).x_low, 100.0);
  EXPECT_EQ(panel.title, "ring: 100.00 ms");
}

TEST(Gantt, ClocksThatDoNotCountAreInNoTitle) {
  CsvTable steps = no_steps();
  for (int worker : {0, 1, 2, 3})
    add_step(steps, "a", worker, 0, {{"start_s", "0"}, {"compute_s", "0.010"}});
  PlottedRun run = with_steps(cases_of({threads_case("a", "ring", 4)}), steps);
  EXPECT_EQ(gantt_figure(run).title,
            "Workers compute in 100 % of their time and wait for data in 0 %");
  on_two_cores(run);
  EXPECT_EQ(gantt_figure(run).title, "What each worker does when, threads on 2 cores");
}

TEST(Gantt, WithoutStartTimesAStepBeginsWhenTheSlowestWorkerEnded) {
  CsvTable steps = no_steps();
  const double seconds[2][2] = {{1.0, 2.0}, {3.0, 1.0}};  // [worker][step]
  for (int worker = 0; worker < 2; ++worker)
    for (int step = 0; step < 2; ++step)
      add_step(steps, "a", worker, step, {{"compute_s", to_text(seconds[worker][step])}});
  Values serial = threads_case("a", "ring", 2);
  serial["ranks"] = "serial";
  const Figure figure = gantt_figure(with_steps(cases_of({serial}), steps));
  const Panel& panel = figure.panels.at(0);
  const std::vector<Point> second = points_of_step(panel, "1");
  EXPECT_DOUBLE_EQ(second.at(0).x_low, 3.0);
  EXPECT_DOUBLE_EQ(second.at(0).x_high, 5.0);
  EXPECT_DOUBLE_EQ(second.at(1).x_low, 3.0);
  const Series& idle = series_named(panel, "idle");
  ASSERT_EQ(idle.points.size(), 1u) << "worker 0 alone waits";
  EXPECT_DOUBLE_EQ(idle.points[0].x_low, 1.0);
  EXPECT_DOUBLE_EQ(idle.points[0].x_high, 3.0);
  EXPECT_THAT(figure.notes, ::testing::Contains(HasSubstr("are composed")));
}

TEST(Gantt, WithoutStartTimesAStepLastsAsLongAsItsWorkersWaitAndCompute) {
  for (const char* waits : {"idle_s", "exposed_communication_s"}) {
    CsvTable steps = no_steps();
    add_step(steps, "a", 0, 0, {{"compute_s", "1"}, {waits, "4"}});
    add_step(steps, "a", 1, 0, {{"compute_s", "3"}});
    for (int worker : {0, 1}) add_step(steps, "a", worker, 1, {{"compute_s", "1"}});
    Values serial = threads_case("a", "ring", 2);
    serial["ranks"] = "serial";
    const Figure figure = gantt_figure(with_steps(cases_of({serial}), steps));
    for (const Point& point : points_of_step(figure.panels.at(0), "1"))
      EXPECT_DOUBLE_EQ(point.x_low, 5.0) << waits;
  }
}

TEST(Gantt, OfManyStepsTheFirstAreDrawnAndTheTitleSaysSo) {
  CsvTable steps = no_steps();
  for (int step = 0; step < 9; ++step)
    add_step(steps, "a", 0, step, {{"start_s", fmt::to_string(step)}, {"compute_s", "1"}});
  const Figure figure = gantt_figure(with_steps(cases_of({threads_case("a", "ring", 2)}), steps));
  EXPECT_EQ(figure.panels.at(0).title, "ring: 9.00 s, the first 8 of 9 steps");
  EXPECT_EQ(points_of_step(figure.panels[0], "7").size(), 1u);
  for (const Series& series : figure.panels[0].series)
    for (const Point& point : series.points) EXPECT_LE(point.x_high, 8.0) << series.name;
}

TEST(Gantt, ACaseOfEachAlgorithmOverOneRangeOfTimeAndANoteCountsTheOthers) {
  CsvTable steps = no_steps();
  std::vector<Values> rows = {threads_case("one worker", "dense", 1)};
  for (int i = 0; i < 8; ++i) {
    const std::string id(1, static_cast<char>('a' + i));
    rows.push_back(threads_case(id, i == 7 ? "zigzag" : "ring", 2));
    add_step(steps, id, 0, 0, {{"start_s", "0"}, {"compute_s", to_text(2.0 + 0.5 * i)}});
  }
  add_step(steps, "one worker", 0, 0, {{"start_s", "0"}, {"compute_s", "100"}});
  const Figure figure = gantt_figure(with_steps(cases_of(rows), steps));
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_THAT(figure.panels[1].title, HasSubstr("zigzag"));
  EXPECT_TRUE(figure.shared_x);
  EXPECT_THAT(figure.notes.back(), HasSubstr("Not drawn: 6 of 8 cases"));
}

TEST(Gantt, EachOfEightAlgorithmsHasAPanel) {
  CsvTable steps = no_steps();
  std::vector<Values> rows;
  for (const char* algorithm : {"a", "b", "c", "d", "e", "f", "ulysses", "zigzag"})
    for (const char* ranks : {"mpi", "threads"}) {
      const std::string id = std::string(algorithm) + ranks;
      rows.push_back(threads_case(id, algorithm, 2));
      rows.back()["ranks"] = ranks;
      add_step(steps, id, 0, 0, {{"start_s", "0"}, {"compute_s", "1"}});
    }
  const Figure figure = gantt_figure(with_steps(cases_of(rows), steps));
  ASSERT_EQ(figure.panels.size(), 8u);
  EXPECT_EQ(figure.panels[6].title, "ulysses: 1.00 s");
  EXPECT_EQ(figure.panels[7].title, "zigzag: 1.00 s");
  EXPECT_EQ(figure.subtitle, "N = 8,192, W = 2, mpi");
}

TEST(Gantt, AlgorithmsOfDifferentLinksNameTheirsInTheirTitles) {
  CsvTable steps = no_steps();
  std::vector<Values> cases;
  for (const auto& [algorithm, link] : {std::pair{"ring", "2e+08"}, {"zigzag", ""}}) {
    cases.push_back(threads_case(algorithm, algorithm, 2));
    cases.back()["link_bandwidth_byte_per_s"] = link;
    add_step(steps, algorithm, 0, 0, {{"start_s", "0"}, {"compute_s", "1"}});
  }
  const Figure figure = gantt_figure(with_steps(cases_of(cases), steps));
  EXPECT_THAT(titles(figure), ::testing::UnorderedElementsAre("ring, 200 MB/s: 1.00 s",
                                                              "zigzag, no link limit: 1.00 s"));
  EXPECT_EQ(figure.subtitle, "N = 8,192, W = 2");
}

TEST(Gantt, TimeBetweenTheStepsOfAWorkerHasAKeyOfItsOwn) {
  CsvTable steps = no_steps();
  add_step(steps, "a", 0, 0, {{"start_s", "0.5"}, {"compute_s", "1"}});
  add_step(steps, "a", 0, 1, {{"start_s", "2"}, {"compute_s", "1"}});
  const Figure figure = gantt_figure(with_steps(cases_of({threads_case("a", "ring", 2)}), steps));
  const Series& between = series_named(figure.panels.at(0), "waiting between steps");
  ASSERT_EQ(between.points.size(), 2u);
  EXPECT_DOUBLE_EQ(between.points[0].x_low, 0.0);
  EXPECT_DOUBLE_EQ(between.points[0].x_high, 0.5);
  EXPECT_DOUBLE_EQ(between.points[1].x_low, 1.5);
  EXPECT_DOUBLE_EQ(between.points[1].x_high, 2.0);
}

TEST(Gantt, CasesOfVeryDifferentTimesHaveRangesOfTheirOwn) {
  CsvTable steps = no_steps();
  for (const auto& [id, seconds] : {std::pair{"a", "1"}, {"b", "10"}})
    add_step(steps, id, 0, 0, {{"start_s", "0"}, {"compute_s", seconds}});
  const Figure figure = gantt_figure(
      with_steps(cases_of({threads_case("a", "ring", 2), threads_case("b", "zigzag", 2)}), steps));
  EXPECT_FALSE(figure.shared_x);
  EXPECT_THAT(figure.notes.back(), HasSubstr("own range of time"));
}

TEST(Gantt, TheLongestSequenceIsDrawnAndOfTheseTheMostWorkersWhateverRanFirst) {
  CsvTable steps = no_steps();
  Values longer = threads_case("b", "ring", 4);
  longer["n_tokens"] = "16384";
  for (const char* id : {"a", "b", "c"})
    add_step(steps, id, 0, 0, {{"start_s", "0"}, {"compute_s", "1"}});
  std::vector<Values> cases = {threads_case("a", "ring", 2), threads_case("c", "ring", 8)};
  EXPECT_EQ(gantt_figure(with_steps(cases_of(cases), steps)).subtitle, "N = 8,192, W = 8");
  cases.push_back(longer);
  EXPECT_EQ(gantt_figure(with_steps(cases_of(cases), steps)).subtitle, "N = 16,384, W = 4");
}

TEST(Gantt, OfManyWorkersThirtyTwoAreDrawn) {
  CsvTable steps = no_steps();
  for (int worker = 0; worker < 40; ++worker)
    add_step(steps, "a", worker, 0, {{"start_s", "0"}, {"compute_s", "1"}});
  const Figure figure = gantt_figure(with_steps(cases_of({threads_case("a", "ring", 40)}), steps));
  EXPECT_EQ(series_named(figure.panels.at(0), "compute").points.size(), 32u);
  EXPECT_THAT(figure.notes.back(), HasSubstr("Only the first 32 workers are drawn"));
}

TEST(Gantt, EveryWorkerOfAFewHasATic) {
  const auto tics_of = [](int workers) {
    CsvTable steps = no_steps();
    for (int worker = 0; worker < workers; ++worker)
      add_step(steps, "a", worker, 0, {{"start_s", "0"}, {"compute_s", "1"}});
    Figure figure = gantt_figure(with_steps(cases_of({threads_case("a", "ring", workers)}), steps));
    std::string tics;
    for (const Axis::Tic& tic : figure.panels.at(0).y.tics) tics += tic.label + ' ';
    EXPECT_EQ(figure.panels[0].y.tics.at(1).value, std::stod(figure.panels[0].y.tics[1].label));
    return tics;
  };
  EXPECT_EQ(tics_of(2), "0 1 ");
  EXPECT_EQ(tics_of(6), "0 1 2 3 4 5 ");
  EXPECT_EQ(tics_of(16), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ");
  EXPECT_EQ(tics_of(17), "0 4 8 12 16 ");
  EXPECT_EQ(tics_of(40), "0 4 8 12 16 20 24 28 ");
}

TEST(Gantt, NoStepsAreASentence) {
  const CsvTable cases = cases_of({threads_case("a", "ring", 2)});
  EXPECT_THAT(gantt_figure(with_steps(cases, no_steps())).empty_reason, HasSubstr("steps.csv"));
}

// The committed figure: the title has the least and the most of the shares in the time of all
// workers of a case.
TEST(Gantt, CommittedTitleHasTheSharesOfComputingAndOfWaiting) {
  const CommittedFigure figure("two_level_model", "gantt");
  struct Spent {
    double computing = 0.0;
    double waiting = 0.0;
    double end = 0.0;
    std::set<double> workers{};
  };
  std::map<std::string, Spent> cases;  // by panel title
  for (const Mark& mark : figure.marks()) {
    Spent& spent = cases[mark.panel_title];
    spent.end = std::fmax(spent.end, mark.x_high);
    if (mark.series == "compute") {
      spent.computing += mark.width();
      spent.workers.insert(mark.y);
    }
    if (mark.series == "exposed communication") spent.waiting += mark.width();
  }
  ASSERT_EQ(cases.size(), 3u);
  std::set<double> computing;
  std::set<double> waiting;
  for (const auto& [title, spent] : cases) {
    EXPECT_THAT(title, ::testing::EndsWith(": " + format_seconds(spent.end / kMilli)));
    const double all = spent.end * static_cast<double>(spent.workers.size()) / 100.0;
    computing.insert(spent.computing / all);
    waiting.insert(spent.waiting / all);
  }
  EXPECT_EQ(
      figure.title(),
      fmt::format("Modelled: Workers compute in {:.0f} to {:.0f} % of their time and wait for "
                  "data in {:.0f} to {:.0f} %",
                  *computing.begin(), *computing.rbegin(), *waiting.begin(), *waiting.rbegin()));
}

}  // namespace
}  // namespace qb
