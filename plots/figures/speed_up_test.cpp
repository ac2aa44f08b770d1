// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/schema/parameter_fields.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

TEST(SpeedUp, DividesTheBaseCaseOfTheSameLength) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, ok_case(8, 1000, 0.5));
  const Figure figure = speed_up_figure(cases);
  const Point point = figure.panels.at(0).series.at(0).points.at(0);
  EXPECT_DOUBLE_EQ(point.y, 4.0);
  EXPECT_DOUBLE_EQ(point.low, 4.0 * 0.93 / 1.12);
  EXPECT_DOUBLE_EQ(point.high, 4.0 * 1.12 / 0.93);
}

TEST(SpeedUp, CountsGatherAndMergeInTheSecondPanel) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, ok_case(8, 1000, 0.5));
  const Figure figure = speed_up_figure(cases);
  EXPECT_LT(figure.panels.at(1).series.at(0).points.at(0).y, 4.0);
}

// Cases of W = 8 that were measured, with a base of one worker.
CsvTable measured_schemes() {
  const CsvTable all =
      read_plotted_run(source_path("data/measured/epyc-zen3-2-cores/schemes")).cases;
  CsvTable cases(all.header());
  for (const Row& row : all_rows(all))
    if (row.at("workers") == "8" && row.at("ranks") == "threads") {
      std::vector<std::string> fields;
      for (const std::string& column : all.header()) fields.push_back(row.at(column));
      cases.append(std::move(fields));
    }
  cases.append(std::vector<std::string>(cases.header().size()));
  const std::size_t base = cases.size() - 1;
  for (const std::string& column : cases.header()) cases.set(base, column, cases.text(0, column));
  cases.set(base, "case_id", "base");
  cases.set(base, "algorithm", "dense");
  cases.set(base, "workers", "1");
  return cases;
}

TEST(SpeedUp, EachSchemeIsBoundByThePairsOfItsOwnCriticalPath) {
  const Figure figure = speed_up_figure(measured_schemes());
  for (const Panel& panel : figure.panels)
    for (const auto& [scheme, bound] : std::map<std::string, double>{{"ring", 4.27},
                                                                     {"zigzag", 8.0},
                                                                     {"ulysses", 8.0},
                                                                     {"cqs", 7.11},
                                                                     {"cqs_sharded", 7.11}}) {
      const std::string name = "W = 8, " + scheme;
      const Series& line = series_named(panel, name + ", bound");
      EXPECT_NEAR(line.points.at(0).y, bound, 0.01) << scheme;
      EXPECT_EQ(line.draw, Draw::line);
      EXPECT_NO_THROW((void)series_named(panel, fmt::format("{}, ≤ {:.3g}", name, bound)));
    }
}

TEST(SpeedUp, TheTitleHasBothDefinitionsOfTheMostWorkersWhoseClocksCount) {
  CsvTable cases = cases_of({ok_case(1, 1000, 1.0), ok_case(1, 2000, 1.0), ok_case(4, 1000, 0.5),
                             ok_case(8, 1000, 0.25), ok_case(8, 2000, 0.25)});
  EXPECT_EQ(speed_up_figure(cases).title,
            "W = 8: 16 times for the longest worker, 9.62 to 13.7 with gather and merge");
  cases.set(4, "disturbed_by", "neighbours");
  EXPECT_EQ(speed_up_figure(cases).title,
            "W = 8: 16 times for the longest worker, 9.62 with gather and merge");
  cases.set(0, "disturbed_by", "neighbours");
  cases.set(1, "disturbed_by", "neighbours");
  EXPECT_EQ(speed_up_figure(cases).title, "Speed-up over one worker");
}

TEST(SpeedUp, TheAxisNamesTheBaseAndTheShareOfThePeakThatItReaches) {
  const auto label_of = [](const char* peak_fraction) {
    Values base = ok_case(1, 1000, 1.0);
    base["peak_fraction"] = peak_fraction;
    return speed_up_figure(cases_of({base, ok_case(4, 1000, 0.5)})).panels.at(0).y.label;
  };
  EXPECT_EQ(label_of("0.06"), "speed-up over one worker (dense, 6 % of peak)");
  EXPECT_EQ(label_of(""), "speed-up over one worker (dense)");
}

TEST(SpeedUp, AnotherKernelIsNoBase) {
  CsvTable cases = no_cases();
  Values flash = ok_case(1, 1000, 1.0);
  flash["kernel"] = "flash";
  add_case(cases, flash);
  add_case(cases, ok_case(8, 1000, 0.5));
  EXPECT_FALSE(base_case({&cases, 1}));
  EXPECT_THAT(speed_up_figure(cases).empty_reason, HasSubstr("one worker"));
}

TEST(SpeedUp, OnlySeveralWorkersMissTheTimeOfABase) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, ok_case(8, 1000, 0.5));
  // The base of one worker may have failed too, but one worker has no speed-up anyway.
  Values ring = ok_case(1, 2000, 1.0);
  ring["algorithm"] = "ring";
  ring["case_id"] += "ring";
  add_case(cases, ring);
  add_case(cases, failed_case(1, 2000, "timeout", "no answer"));
  ASSERT_TRUE(base_case({&cases, 2}));
  ASSERT_EQ(base_case({&cases, 2})->text("status"), "timeout");
  const auto missed = ::testing::Contains(HasSubstr("Not drawn"));
  EXPECT_THAT(speed_up_figure(cases).notes, ::testing::Not(missed));
  add_case(cases, ok_case(2, 2000, 0.5));
  EXPECT_THAT(speed_up_figure(cases).notes,
              ::testing::Contains("Not drawn: 1 case (untimed base)."));
}

// Both problems have 256 queries; only the number of keys tells their base cases apart.
TEST(SpeedUp, EachNumberOfKeysHasItsOwnBase) {
  CsvTable cases = no_cases();
  const auto with_keys = [&](Values values, const char* keys) {
    values["kv_len"] = keys;
    values["case_id"] += keys;
    return values;
  };
  for (const char* keys : {"1024", "8192"}) {
    add_case(cases, with_keys(ok_case(1, 256, 1.0), keys));
    add_case(cases, with_keys(ok_case(4, 256, 0.5), keys));
  }
  EXPECT_EQ(base_case({&cases, 1}), (Row{&cases, 0}));
  EXPECT_EQ(base_case({&cases, 3}), (Row{&cases, 2}));
}

TEST(SpeedUp, AProblemThatDiffersInAnyParameterIsNoBase) {
  for (const Field& field : kParameterFields) {
    if (field.group != FieldGroup::problem && field.group != FieldGroup::means) continue;
    CsvTable cases = no_cases();
    Values base = ok_case(1, 1000, 1.0);
    base[std::string(field.column)] = "other";
    add_case(cases, base);
    add_case(cases, ok_case(8, 1000, 0.5));
    EXPECT_FALSE(base_case({&cases, 1})) << field.column;
  }
}

TEST(SpeedUp, CasesThatRanOutOfMemoryAreSaidToBeLeftOut) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, ok_case(8, 1000, 0.5));
  add_case(cases, failed_case(8, 2000, "oom", "too large"));
  EXPECT_THAT(speed_up_figure(cases).notes,
              ::testing::Contains("Not drawn: 1 case (out of memory)."));
}

TEST(SpeedUp, CasesWhoseBaseRanOutOfMemoryAreCounted) {
  const Figure figure = speed_up_figure(case_study_2(10));
  EXPECT_THAT(figure.notes.at(1), HasSubstr("20 cases"));
}

TEST(SpeedUp, PublishedSpeedUpsStandInAPanelOfTheirOwnAtThePapersLengths) {
  const Figure figure = speed_up_figure(with_published(case_study_2(10)));
  ASSERT_EQ(figure.panels.size(), 3u);
  const auto published = [](const Series& series) { return series.published; };
  for (const std::size_t ours : {0u, 1u})
    EXPECT_EQ(std::ranges::count_if(figure.panels[ours].series, published), 0);
  EXPECT_EQ(std::ranges::count_if(figure.panels[2].series, published), 4);
  EXPECT_EQ(series_named(figure.panels[2], "W = 31").points.front().x, 10000.0);
  EXPECT_TRUE(figure.panels[2].own_axes);
}

// Asserts that no error bar of any line lies above what its pairs allow, that each name has the
// most that they allow, and that the title has both ranges of the most workers.
void expect_gains_within_pairs(const CommittedFigure& figure) {
  std::map<std::string, std::set<double>> gains;  // by panel
  for (const Mark& mark : figure.marks()) {
    if (!mark.is_data() || mark.series.ends_with(", bound")) continue;
    const std::string name = mark.series.substr(0, mark.series.find(", ≤"));
    const auto bound = figure.lines(mark.panel).at(name + ", bound");
    EXPECT_LE(mark.low, bound.at(mark.x)) << mark.series << " at N = " << mark.x;
    double most = 0.0;
    for (const auto& [tokens, allowed] : bound) most = std::fmax(most, allowed);
    EXPECT_EQ(mark.series, fmt::format("{}, ≤ {:.3g}", name, most));
    if (name == "W = 31") gains[mark.panel].insert(mark.y);
  }
  EXPECT_EQ(figure.title(), fmt::format("W = 31: {:.3g} to {:.3g} times for the longest worker, "
                                        "{:.3g} to {:.3g} with gather and merge",
                                        *gains["1"].begin(), *gains["1"].rbegin(),
                                        *gains["2"].begin(), *gains["2"].rbegin()));
}

TEST(SpeedUp, CommittedErrorBarsReachDownToWhatPairsAllow) {
  expect_gains_within_pairs(CommittedFigure("case_study_2_tenth", "speed_up"));
}

// On a GPU by a clock that waits for it: the published points leave what pairs allow where their
// W = 1 jumps; ours has no base there, since it ran out of memory and was not tried beyond.
TEST(SpeedUp, CommittedGainsOfAGpuEndWherePublishedOnesLeaveWhatPairsAllow) {
  const CommittedFigure figure("gpu_case_study_2", "speed_up");
  expect_gains_within_pairs(figure);
  const auto allowed = figure.lines("1");
  for (const Mark& mark : figure.marks()) {
    if (mark.is_data()) {
      EXPECT_LT(mark.x, 45000.0);
      continue;
    }
    const double most = allowed.at(mark.series + ", bound").rbegin()->second;
    EXPECT_EQ(mark.y > most, mark.x >= 45000.0) << mark.series << " at N = " << mark.x;
  }
}

}  // namespace
}  // namespace qb
