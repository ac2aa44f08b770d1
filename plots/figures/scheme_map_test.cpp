// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Values on_link(const std::string& algorithm, std::int64_t n_tokens, double seconds,
               const std::string& bandwidth, int workers = 4) {
  return scheme_case(
      algorithm, workers, n_tokens, seconds,
      {{"link_bandwidth_byte_per_s", bandwidth},
       {"link_latency_s", "5e-06"},
       // Other schemes have other plans.
       {"device_sent_bytes", std::to_string(std::hash<std::string>()(algorithm) % 1000000)}});
}

std::vector<std::string> texts(const Panel& panel) {
  std::vector<std::string> out;
  for (const Series& series : panel.series)
    for (const Point& cell : series.points) out.push_back(cell.text);
  return out;
}

std::vector<std::string> legend(const Panel& panel) {
  std::vector<std::string> out;
  for (const Series& series : panel.series)
    if (series.in_legend) out.push_back(series.name);
  return out;
}

TEST(SchemeMap, ACellHasTheColourAndTheNameOfTheFastestAndItsLead) {
  const Figure figure = scheme_map_figure(
      scheme_table({on_link("ring", 1024, 0.03, "1e9"), on_link("zigzag", 1024, 0.02, "1e9"),
                    on_link("cqs", 1024, 0.08, "1e9"), on_link("ring", 2048, 0.04, "1e10"),
                    on_link("cqs", 2048, 0.5, "1e10")}));
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  EXPECT_THAT(texts(panel), ElementsAre("ring 12×", "zigzag 1.50×"));
  const Series& zigzag = series_named(panel, "zigzag");
  EXPECT_EQ(zigzag.style.colour, lightened(algorithm_style("zigzag").colour));
  const Point& first = zigzag.points.at(0);
  EXPECT_EQ(first.x, 0.0);
  EXPECT_EQ(first.y, 0.0);
  EXPECT_EQ(first.x_low, -0.49);
  EXPECT_EQ(first.high, 0.475);
  EXPECT_THAT(first.more,
              ElementsAre("1e9", "5e-06", "1024", "4", "0.02", "1.5", "zigzag", "ring"));
  EXPECT_EQ(first.more.size(), figure.more_columns.size());
  EXPECT_EQ(series_named(panel, "ring").points.at(0).x, 1.0);
  EXPECT_EQ(series_named(panel, "ring").points.at(0).y, 1.0);
  EXPECT_EQ(panel.title, "W = 4, threads");
  EXPECT_THAT(legend(panel), ElementsAre("ring", "zigzag")) << "only who wins somewhere";
  EXPECT_EQ(panel.x.tics.at(1).label, "10 GB/s");
  EXPECT_EQ(panel.y.tics.at(1).label, "2,048");
  EXPECT_EQ(figure.title, "ring leads in 1 of 2 cells, zigzag in 1");
}

TEST(SchemeMap, AModelledDeviceIsNamedAndNotItsFile) {
  std::vector<Values> rows = {on_link("ring", 1024, 0.02, "1e9"),
                              on_link("zigzag", 1024, 0.01, "1e9")};
  for (Values& values : rows) {
    values["ranks"] = "model";
    values["model_device"] = "data/devices/a100.csv";
  }
  EXPECT_EQ(scheme_map_figure(scheme_table(rows)).panels.at(0).title, "W = 4, modelled A100");
}

TEST(SchemeMap, MeasuredTimesWhoseIntervalsOverlapAreATieWithAStripeEach) {
  const Figure figure = scheme_map_figure(
      scheme_table({on_link("ring", 1024, 0.024, "1e9"), on_link("striped", 1024, 0.02, "1e9"),
                    on_link("ring", 2048, 0.025, "1e9"), on_link("striped", 2048, 0.02, "1e9")}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_THAT(texts(panel), ElementsAre("R", "S", "striped 1.25×")) << "10 % either side";
  EXPECT_EQ(series_named(panel, "ring").text, "R") << "in the stripe, and in the legend";
  EXPECT_EQ(series_named(panel, "striped").text, "S");
  EXPECT_EQ(series_named(panel, "striped").points.at(0).x_high, 0.0) << "the fastest is left";
  EXPECT_EQ(series_named(panel, "ring").points.at(0).x_low, 0.0);
  EXPECT_EQ(figure.title, "striped leads in 1 of 2 cells; 1 is a tie");
}

TEST(SchemeMap, SchemesOfOnePlanAreOneStripeAndOneNameWithAnEqualsSign) {
  const auto map = [](double ring_s) {
    std::vector<Values> rows = {on_link("grid", 1024, 0.02, "1e9"),
                                on_link("usp", 1024, 0.02, "1e9"),
                                on_link("ring", 1024, ring_s, "1e9")};
    rows[1]["device_sent_bytes"] = rows[0]["device_sent_bytes"];
    return scheme_map_figure(scheme_table(rows));
  };
  EXPECT_THAT(texts(map(0.04).panels.at(0)), ElementsAre("grid = usp 2.0×"));
  EXPECT_EQ(map(0.04).title, "grid = usp leads in 1 of 1 cell");
  const Figure tie = map(0.021);
  EXPECT_THAT(texts(tie.panels.at(0)), ElementsAre("G=U", "R"));
  EXPECT_THAT(legend(tie.panels.at(0)), ElementsAre("grid", "ring", "usp")) << "U has its entry";
}

TEST(SchemeMap, ATieOfAModelIsAsWideAsItsErrorAndNamesAllItsSchemes) {
  std::vector<Values> rows;
  for (const auto& [algorithm, seconds] :
       {std::pair{"cqs", 0.026}, {"cqs_sharded", 0.02}, {"ring", 0.031}, {"zigzag", 0.028}}) {
    rows.push_back(on_link(algorithm, 1024, seconds, "1e9"));
    rows.back()["ranks"] = "model";
    rows.back()["model_device"] = "a100";
  }
  PlottedRun run(scheme_table(rows));
  run.model_grade = [] { return ModelGrade{1.33, {{"ring", 1.6}, {"zigzag", 1.2}}}; };
  const Figure figure = scheme_map_figure(run);
  EXPECT_THAT(legend(figure.panels.at(0)), ElementsAre("cqs", "cqs_sharded", "ring"))
      << "ring's own error is larger, and 1.4 times is no tie of zigzag";
  EXPECT_EQ(series_named(figure.panels[0], "cqs_sharded").text, "Q") << "cqs has the C";
  EXPECT_EQ(figure.title, "Modelled: In none of 1 cell one scheme leads: all are ties");
  EXPECT_THAT(figure.notes, Contains(HasSubstr("1.33 times for all schemes")));
  EXPECT_THAT(figure.notes,
              Contains("No published row grades cqs, cqs_sharded: the error of all stands in."));
}

TEST(SchemeMap, TheSideThatVariesMoreIsTheHeightAndTheOtherThePanels) {
  std::vector<Values> rows;
  for (const int workers : {4, 8, 16})
    for (const std::int64_t n : {1024, 2048}) {
      rows.push_back(on_link("ring", n, 0.02, "1e9", workers));
      rows.push_back(on_link("zigzag", n, 0.01, "1e9", workers));
    }
  const Figure figure = scheme_map_figure(scheme_table(rows));
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].title, "N = 1,024, threads");
  EXPECT_EQ(figure.panels[1].title, "N = 2,048, threads");
  EXPECT_EQ(figure.panels[0].y.label, "workers W");
  ASSERT_EQ(figure.panels[0].y.tics.size(), 3u);
  EXPECT_EQ(figure.panels[0].y.tics[2].label, "16");
}

TEST(SchemeMap, DenseIsLeftOutAndSoIsOnePlayingAllWorkers) {
  Values serial = on_link("cqs", 1024, 0.0001, "1e9");
  serial["ranks"] = "serial";
  const Figure figure = scheme_map_figure(
      scheme_table({on_link("dense", 1024, 0.001, "1e9"), serial,
                    on_link("ring", 1024, 0.03, "1e9"), on_link("zigzag", 1024, 0.02, "1e9")}));
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(texts(figure.panels[0]), ElementsAre("zigzag 1.50×"));
}

TEST(SchemeMap, WhatDoesNotRunAndWhatDiffersInMoreIsNotCompared) {
  Values failed = on_link("zigzag", 1024, 0.001, "1e9");
  failed["status"] = "timeout";
  Values other = on_link("striped", 1024, 0.001, "1e9");
  other["mask"] = "full";
  const CsvTable cases = scheme_table({on_link("ring", 1024, 0.02, "1e9"), failed, other});
  EXPECT_THAT(scheme_map_figure(cases).empty_reason, HasSubstr("no two plans"));
}

TEST(SchemeMap, CasesWithCachedTokensHaveAPanelOfTheirOwn) {
  std::vector<Values> rows;
  for (const std::int64_t n : {512, 1024})
    for (const auto& [algorithm, seconds] : {std::pair{"pass_kv", 0.02}, {"pass_q", 0.03}}) {
      rows.push_back(on_link(algorithm, n, seconds, "1e9"));
      rows.back()["kv_len"] = "1024";
    }
  rows.push_back(on_link("ring", 1024, 0.02, "1e9"));
  rows.push_back(on_link("zigzag", 1024, 0.01, "1e9"));
  const Figure figure = scheme_map_figure(scheme_table(rows));
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].title, "W = 4, threads, 1,024 keys");
  EXPECT_THAT(texts(figure.panels[0]), ElementsAre("pass_kv 1.50×"));
  EXPECT_THAT(texts(figure.panels[1]), ElementsAre("zigzag 2.0×"));
}

TEST(SchemeMap, LatencyIsOnTheAxisOnlyWhereOneBandwidthHasSeveral) {
  std::vector<Values> rows = {on_link("ring", 1024, 0.02, "1e9"),
                              on_link("zigzag", 1024, 0.01, "1e9")};
  const Figure one = scheme_map_figure(scheme_table(rows));
  EXPECT_EQ(one.panels.at(0).x.tics.at(0).label, "1 GB/s");
  EXPECT_THAT(one.notes, Contains("Latency, from the left: 5 µs."));
  for (Values values : std::vector<Values>(rows)) {
    values["link_latency_s"] = "0.0001";
    values["case_id"] += " slow";
    rows.push_back(values);
  }
  const Figure two = scheme_map_figure(scheme_table(rows));
  EXPECT_EQ(two.panels.at(0).x.tics.at(1).label, "1 GB/s, 100 µs");
  EXPECT_THAT(two.notes, Not(Contains(HasSubstr("Latency"))));
}

// The committed figure: a cell of one stripe has the fastest scheme and its lead, and the title
// counts those cells and the ties.
TEST(SchemeMap, CommittedTitleCountsTheCellsWithALeadAndTheTies) {
  const CommittedFigure figure("schemes_model", "scheme_map");
  std::map<std::tuple<std::string, double, double>, std::vector<Mark>> cells;
  for (const Mark& mark : figure.marks()) cells[{mark.panel, mark.x, mark.y}].push_back(mark);
  std::map<std::string, int> wins;
  int ties = 0;
  for (const auto& [place, stripes] : cells) {
    const auto time = [](const Mark& one) { return std::stod(one.fields.at("wall_time_s")); };
    const Mark& first = *std::ranges::min_element(stripes, {}, &Mark::x_low);
    for (const Mark& one : stripes) {
      EXPECT_GE(time(one), time(first)) << "the fastest is on the left";
      EXPECT_LE(time(one), 2.0 * time(first)) << "no error of the model is so large";
    }
    EXPECT_EQ(first.series, first.fields.at("fastest").substr(0, first.series.size()));
    if (stripes.size() > 1)
      ++ties;
    else
      ++wins[first.fields.at("fastest")];
  }
  EXPECT_EQ(cells.size(), 30u);
  for (const auto& [scheme, number] : wins)
    EXPECT_THAT(figure.title(),
                AnyOf(HasSubstr(fmt::format("{} leads in {} of 30", scheme, number)),
                      HasSubstr(fmt::format(", {} in {}", scheme, number))));
  EXPECT_THAT(figure.title(), HasSubstr(fmt::format("; {} are ties", ties)));
}

TEST(SchemeMap, CommittedNotesNameTheSchemesThatNoPublishedRowGrades) {
  std::set<std::string> graded;
  const CommittedFigure grades("papers", "model_grade");
  for (const Mark& mark : grades.marks())
    graded.insert(mark.series.substr(0, mark.series.find(',')));
  const CommittedFigure figure("schemes_model", "scheme_map");
  std::set<std::string> ungraded;
  for (const Mark& mark : figure.marks())
    if (!graded.contains(mark.series)) ungraded.insert(mark.series);
  EXPECT_THAT(figure.notes(),
              Contains(fmt::format("No published row grades {}: the error of all stands in.",
                                   fmt::join(ungraded, ", "))));
}

// Their schemes are layouts, of which the fastest exchange counts, and with one link the cells
// stand by lengths and workers.
TEST(SchemeMap, OfStacksNamesTheFastestLayout) {
  const auto stack = [](const std::string& layout, std::int64_t n_tokens, double seconds,
                        const std::string& scan, int workers) {
    Values values = scheme_case(
        "dense", workers, n_tokens, seconds,
        {{"workload", "stack"},
         {"stack_layers", "small"},
         {"stack_layout", layout},
         {"mixer_scan", scan},
         {"device_sent_bytes", std::to_string(std::hash<std::string>()(layout + scan) % 1000)}});
    values["case_id"] += layout + scan;
    return values;
  };
  const Figure figure = scheme_map_figure(scheme_table(
      {stack("zigzag", 1024, 0.03, "tree", 4), stack("zigzag", 1024, 0.01, "chain", 4),
       stack("contiguous_home", 1024, 0.02, "tree", 4), stack("zigzag", 2048, 0.05, "tree", 8),
       stack("contiguous_home", 2048, 0.02, "tree", 8)}));
  ASSERT_EQ(figure.panels.size(), 1u) << figure.empty_reason;
  EXPECT_THAT(texts(figure.panels[0]), ElementsAre("contiguous_home 2.5×", "zigzag 2.0×"));
  EXPECT_EQ(figure.panels[0].x.label, "workers W");
  EXPECT_NE(series_named(figure.panels[0], "zigzag").style.colour,
            series_named(figure.panels[0], "contiguous_home").style.colour);
}

// What docs/hybrid.md and the title say of stacks, from the rows.
TEST(SchemeMap, CommittedStacksAreWhatTheirPageSays) {
  const CsvTable cases = CsvTable::parse(
      read_text(source_path("paper_figures/hybrid_stacks_model/cases.csv")), "hybrid_stacks_model");
  using Times = std::map<std::string, double>;  // the least of each layout, or of each exchange
  std::map<std::vector<std::string>, std::pair<Times, Times>> cells;
  for (const Row& row : all_rows(cases)) {
    if (!row.is("status", "ok")) continue;
    auto& [layouts, scans] = cells[{row.text("stack_layers"), row.text("cluster"),
                                    row.text("workers"), row.text("n_tokens")}];
    const double seconds = row.number("wall_time_median_s");
    const auto keep = [&](Times& times, const std::string& name) {
      const auto [place, is_new] = times.try_emplace(name, seconds);
      place->second = std::min(place->second, seconds);
    };
    keep(layouts, row.text("stack_layout"));
    if (!row.is("stack_layout", "zigzag_heads")) keep(scans, row.text("mixer_scan"));
  }
  EXPECT_EQ(cells.size(), 54u);
  Times most;
  std::map<std::string, int> wins;
  for (const auto& [cell, times] : cells) {
    const auto time = &Times::value_type::second;
    const auto& [layouts, scans] = times;
    const auto best = std::ranges::min_element(layouts, {}, time);
    ++wins[best->first];
    for (const auto& [layout, seconds] : layouts)
      most[layout] = std::max(most[layout], seconds / best->second);
    EXPECT_EQ(std::ranges::min_element(scans, {}, time)->first, "tree");
    for (const auto& [scan, seconds] : scans)
      most[scan] = std::max(most[scan], seconds / best->second);
  }
  const std::string page = read_text(source_path("docs/hybrid.md"));
  for (const auto& [name, ratio] : most)
    if (name != "tree") {
      EXPECT_THAT(page, HasSubstr(fmt::format("{:.2f}", ratio))) << name;
    }
  EXPECT_EQ(wins, (std::map<std::string, int>{
                      {"zigzag", 30}, {"contiguous_home", 18}, {"contiguous", 6}}));
  const CommittedFigure figure("hybrid_stacks_model", "scheme_map");
  std::map<std::tuple<std::string, double, double>, int> stripes;
  for (const Mark& mark : figure.marks()) ++stripes[{mark.panel, mark.x, mark.y}];
  EXPECT_EQ(stripes.size(), 54u);
  for (const auto& [cell, number] : stripes) EXPECT_GT(number, 1);
  EXPECT_THAT(figure.title(), HasSubstr("In none of 54 cells one scheme leads"));
}

TEST(SchemeMap, ClocksOfMoreWorkersThanCoresRankNothing) {
  PlottedRun run(
      scheme_table({on_link("ring", 1024, 0.03, "1e9"), on_link("zigzag", 1024, 0.02, "1e9")}));
  EXPECT_EQ(scheme_map_figure(run).empty_reason, "");
  on_two_cores(run);
  EXPECT_THAT(scheme_map_figure(run).empty_reason, HasSubstr("no two plans"));
}

}  // namespace
}  // namespace qb
