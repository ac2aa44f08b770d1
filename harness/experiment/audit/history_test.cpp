// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/experiment/testing/fake_run.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Verdict = RunComparison::Verdict;

CaseHistory series(const std::vector<double>& times_s, bool last_disturbed = false) {
  CaseHistory one;
  for (const double time_s : times_s)
    one.points.push_back({.commit = "c", .started_at = "", .n_runs = 1, .median_s = time_s});
  if (last_disturbed) one.points.back().disturbed_by = "stolen";
  judge_history(one, 0.05);
  return one;
}

const std::vector<double> kSteady = {1.00, 1.01, 0.99, 1.00, 1.01};

CaseHistory steady_then(double last_s, bool disturbed = false) {
  std::vector<double> times_s = kSteady;
  times_s.push_back(last_s);
  return series(times_s, disturbed);
}

TEST(History, TheNewestCommitIsJudgedByScatterAndByThreshold) {
  EXPECT_EQ(steady_then(1.30).verdict, Verdict::slow);
  EXPECT_NEAR(steady_then(1.30).ratio, 1.30, 1e-9);
  EXPECT_GT(steady_then(1.30).z, 3.5);
  EXPECT_EQ(steady_then(0.70).verdict, Verdict::fast);
  EXPECT_EQ(steady_then(1.049).verdict, Verdict::same);  // far out, but it does not matter
  EXPECT_GT(steady_then(1.049).z, 3.0);
  EXPECT_EQ(steady_then(1.30, true).verdict, Verdict::ambiguous);
  // It matters, but the commits before scatter as much.
  EXPECT_EQ(series({1.0, 1.3, 0.8, 1.2, 0.9, 1.3}).verdict, Verdict::ambiguous);
  EXPECT_EQ(series({1.0, 1.0, 1.0, 9.0}).verdict, Verdict::untimed);  // too few
  EXPECT_EQ(series({1.0, 1.01, 1.0, 1.01, 9.0}).verdict, Verdict::slow);
  EXPECT_EQ(series({1.0, 1.01, 1.0, 1.01, 0.1}, true).verdict, Verdict::ambiguous);
  EXPECT_EQ(steady_then(0.951).verdict, Verdict::same);
}

TEST(History, LevelsBeginWhereTheTimeChanged) {
  const CaseHistory one = series({1.00, 1.01, 0.99, 1.20, 1.21, 1.19, 1.20, 1.21, 1.20});
  EXPECT_TRUE(one.points[3].is_change);
  EXPECT_EQ(std::ranges::count_if(one.points, &CaseHistory::Point::is_change), 1);
  EXPECT_NEAR(one.points[2].level_s, 1.00, 1e-9);
  EXPECT_NEAR(one.points[3].level_s, 1.20, 1e-9);
  EXPECT_EQ(one.verdict, Verdict::same);  // against its own level
}

class HistoryOfRuns : public testing::Test {
 protected:
  // A run of a case with 1 and one with 7 workers.
  void add_run(int index, const std::string& commit, double dense_s, double cqs_s,
               const std::string& disturbed_by = "", const std::string& device = "X") const {
    Manifest manifest;
    manifest.schema_version = kSchemaVersion;
    manifest.experiment = "fake";
    manifest.spec_hash = "0123456789abcdef";
    manifest.started_at = fmt::format("2026-01-{:02}T12:00:00Z", index + 1);
    manifest.finished_at = manifest.started_at;
    manifest.environment = fmt::format(
        R"({{"device_fingerprint": "{}", "build": {{"commit": "{}", "sources_modified": false}}}})",
        device, commit);
    const std::string folder = fmt::format("fake/run{}/", index);
    (void)results_.file(folder + "manifest.json", manifest_to_json(manifest));
    CsvTable cases(case_table().columns);
    for (const auto& [workers, time_s] : {std::pair(1, dense_s), std::pair(7, cqs_s)}) {
      RunRow row =
          FakeRun::ok_row(tiny(workers == 1 ? "dense" : "cqs", workers), time_s, time_s, time_s);
      row["disturbed_by"] = disturbed_by;
      std::vector<std::string> fields;
      for (const std::string& column : cases.header()) fields.push_back(row[column]);
      cases.append(fields);
    }
    (void)results_.file(folder + "cases.csv", cases.to_string());
    (void)results_.file(folder + "samples.csv", CsvTable(sample_table().columns).to_string());
  }
  ScratchFolder results_;
};

TEST_F(HistoryOfRuns, RunsOfACommitAreOnePointAndDisturbedOnesCountOnlyAlone) {
  add_run(0, "aaa", 1.0, 2.0);
  add_run(1, "aaa", 1.2, 2.0);
  add_run(2, "aaa", 9.0, 2.0, "neighbours");
  add_run(3, "bbb", 1.1, 2.0, "stolen");
  const History history = read_history(results_.path(), {});
  EXPECT_EQ(history.n_runs, 4u);
  EXPECT_THAT(history.commits, testing::ElementsAre("aaa", "bbb"));
  ASSERT_EQ(history.cases.size(), 2u);
  EXPECT_EQ(history.cases[1].label, "algorithm=dense workers=1");
  const auto& dense = history.cases[1].points;
  ASSERT_EQ(dense.size(), 2u);
  EXPECT_EQ(dense[0].n_runs, 3u);
  EXPECT_NEAR(dense[0].median_s, 1.1, 1e-12);
  EXPECT_EQ(dense[0].disturbed_by, "");
  EXPECT_EQ(dense[1].disturbed_by, "stolen");
}

TEST_F(HistoryOfRuns, ASlowerCommitIsNamedInTextAndTable) {
  for (int i = 0; i < 5; ++i)
    add_run(i, fmt::format("commit{}", i), kSteady[std::size_t(i)], 2.0 * kSteady[std::size_t(i)]);
  add_run(5, "commit5", 1.0, 3.0);
  const History history = read_history(results_.path(), {});
  EXPECT_EQ(history.regressions(), 1u);
  const std::string text = history_text(history);
  EXPECT_THAT(text, AllOf(HasSubstr("6 runs at 6 commits"), HasSubstr("algorithm=cqs workers=7"),
                          HasSubstr("1.500"), HasSubstr("SLOW"), HasSubstr("1 SAME"),
                          Not(HasSubstr("algorithm=dense"))));
  const CsvTable table = CsvTable::parse(history_csv(history), "history.csv");
  ASSERT_EQ(table.size(), 12u);
  EXPECT_EQ(table.text(5, "verdict"), "SLOW");
  EXPECT_EQ(table.text(5, "commit_index"), "5");
}

TEST_F(HistoryOfRuns, TheTextTellsOfChangesAndCountsTheRest) {
  constexpr double kDense_s[] = {1, 1.01, 1, 1.25, 1.26, 1.24, 1.25, 1.26, 1.27};
  constexpr double kCqs_s[] = {2, 2, 2.01, 1, 1, 1.01, 1.5, 1.5, 1.51};
  for (int i = 0; i < 9; ++i) add_run(i, fmt::format("commit{}", i), kDense_s[i], kCqs_s[i]);
  const History history = read_history(results_.path(), {});
  EXPECT_EQ(history_text(history), R"(X
9 runs at 9 commits

experiment  case                       commits  newest  ratio     z  verdict  changes
----------  -------------------------  -------  ------  -----  ----  -------  ----------------------------
fake        algorithm=cqs workers=7          9  1.51 s      -     -  -        commit3 -50 %, commit6 +50 %
fake        algorithm=dense workers=1        9  1.27 s  1.016  +1.3  SAME     commit3 +25 %

2 cases: 1 SAME; 1 with fewer than 5 commits of one level
)");
  const CsvTable table = CsvTable::parse(history_csv(history), "history.csv");
  EXPECT_THAT(table.row(11),
              testing::ElementsAre("fake", "algorithm=dense workers=1", "commit2", "2",
                                   "2026-01-03T12:00:00Z", "1", "1", "1", "", "0", ""));
  EXPECT_EQ(table.text(12, "change"), "1");
  EXPECT_NEAR(table.number(12, "level_s"), 1.255, 1e-4);
  EXPECT_EQ(table.text(17, "verdict"), "SAME");
}

TEST_F(HistoryOfRuns, OtherMachinesAndBrokenRunsAreLeftOut) {
  add_run(0, "aaa", 1.0, 2.0, "", "Y");
  add_run(1, "aaa", 1.0, 2.0);
  (void)results_.file("fake/run2/manifest.json",
                      read_file(results_.path("fake/run1/manifest.json")));
  const History history = read_history(results_.path(), {});
  EXPECT_EQ(history.device, "X");
  EXPECT_EQ(history.n_runs, 1u);
  ASSERT_EQ(history.left_out.size(), 1u);
  EXPECT_THAT(history_text(history), HasSubstr("left out: "));
  EXPECT_EQ(read_history(results_.path(), {.device = "Y"}).n_runs, 1u);
  EXPECT_THROW((void)read_history(results_.path(), {.device = "Z"}), UsageError);
  EXPECT_THROW((void)read_history(results_.path(), {.experiment = "other"}), UsageError);
  EXPECT_THROW((void)read_history(results_.path("nowhere"), {}), UsageError);
}

}  // namespace
}  // namespace qb
