// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/sweep_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "base/files.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/store/store.h"
#include "harness/experiment/testing/fake_sweep.h"

namespace qb {
namespace {

using testing::HasSubstr;

std::vector<std::int64_t> lengths(const std::vector<Case>& cases) {
  std::vector<std::int64_t> n;
  for (const Case& c : cases) n.push_back(c.shape.q_len);
  return n;
}

class SweepRunner : public testing::Test {
 protected:
  RunOutcome run(const std::vector<Case>& cases) { return sweep_.run(fake_spec(cases), options()); }
  RunOptions options() const {
    RunOptions options;
    options.out = folder_.path();
    options.run_id = run_id_;
    options.retry = retry_;
    options.wait = wait_;
    options.argv = {"qb", "run", "study.yaml"};
    return options;
  }
  static std::vector<Case> ten() {
    std::vector<Case> cases;
    for (int i = 1; i <= 10; ++i) cases.push_back(small_case(i * 1000));
    return cases;
  }
  static Manifest manifest_of(const RunOutcome& outcome) { return read_manifest(outcome.folder); }

  FakeSweep sweep_;
  ScratchFolder folder_;
  std::string run_id_;
  bool retry_ = false;
  bool wait_ = false;
};

TEST_F(SweepRunner, RunsEveryCaseOnceAndFinishes) {
  const RunOutcome outcome = run(ten());
  EXPECT_EQ(outcome.counts, (std::map<Status, std::size_t>{{Status::ok, 10}}));
  EXPECT_EQ(exit_code(outcome), ExitCode::ok);
  EXPECT_EQ(sweep_.launcher.launched.size(), 10u);
  EXPECT_NE(manifest_of(outcome).finished_at, "");
  EXPECT_EQ(manifest_of(outcome).n_cases, 10u);
  EXPECT_THAT(manifest_of(outcome).argv, testing::ElementsAre("qb", "run", "study.yaml"));
  EXPECT_THAT(sweep_.said, HasSubstr("[10/10] cqs W=7 N="));
  EXPECT_THAT(sweep_.said, HasSubstr("ok, median wall clock 500 ms [400, 600], peak 4.00 KiB"));
}

TEST_F(SweepRunner, TheOrderIsRandomAndTheSameEachTime) {
  run(ten());
  const auto first = lengths(sweep_.launcher.launched);
  EXPECT_FALSE(std::ranges::is_sorted(first));
  run(ten());  // the first run is finished, so this starts a new one
  EXPECT_EQ(lengths(sweep_.launcher.launched), first);
}

TEST_F(SweepRunner, AnInterruptedRunGoesOnWithTheRest) {
  int left = 4;
  sweep_.launcher.answer = [&](const Case&) {
    return left-- > 0 ? good_result() : bad_result(Status::interrupted, "stopped by the user");
  };
  const RunOutcome stopped = run(ten());
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(exit_code(stopped), ExitCode::interrupted);
  EXPECT_EQ(stopped.cases.size(), 4u);
  EXPECT_EQ(manifest_of(stopped).finished_at, "");
  EXPECT_THAT(sweep_.said, HasSubstr("interrupted: 4 of 10 cases are done"));
  const auto first = lengths(sweep_.launcher.launched);

  sweep_.launcher.answer = [](const Case&) { return good_result(); };
  const RunOutcome whole = run(ten());
  EXPECT_EQ(whole.folder, stopped.folder);
  EXPECT_EQ(whole.cases.size(), 10u);
  EXPECT_EQ(sweep_.launcher.launched.size(), 6u);
  EXPECT_EQ(sweep_.launcher.launched.front().shape.q_len, first.back()) << "the one in flight";
  EXPECT_THAT(sweep_.said, HasSubstr("4 of 10 cases are done"));
  EXPECT_EQ(manifest_of(whole).resumed_at.size(), 1u);
}

TEST_F(SweepRunner, PartsOfARunAreRunAtDifferentTimes) {
  RunOptions some = options();
  some.only.emplace();
  for (const Case& c : resolved_cases({small_case(2000), small_case(5000)}))
    some.only->insert(case_id(c));
  const RunOutcome part = sweep_.run(fake_spec(ten()), some);
  EXPECT_THAT(lengths(sweep_.launcher.launched), testing::UnorderedElementsAre(2000, 5000));
  EXPECT_EQ(exit_code(part), ExitCode::ok);
  EXPECT_EQ(manifest_of(part).finished_at, "");
  EXPECT_THAT(sweep_.said, HasSubstr("8 of 10 cases are left to be run"));

  const RunOutcome whole = run(ten());
  EXPECT_EQ(whole.folder, part.folder);
  EXPECT_EQ(sweep_.launcher.launched.size(), 8u);
  EXPECT_NE(manifest_of(whole).finished_at, "");
}

TEST_F(SweepRunner, AStopBetweenCasesLaunchesNothingMore) {
  sweep_.stop = true;
  EXPECT_TRUE(run(ten()).interrupted);
  EXPECT_TRUE(sweep_.launcher.launched.empty());
}

TEST_F(SweepRunner, OneBadCaseDoesNotStopTheOthers) {
  sweep_.launcher.answer = [](const Case& c) {
    return c.shape.q_len == 3000 ? bad_result(Status::crashed, "died of SIGSEGV") : good_result();
  };
  const RunOutcome outcome = run(ten());
  EXPECT_EQ(outcome.counts.at(Status::ok), 9u);
  EXPECT_EQ(outcome.counts.at(Status::crashed), 1u);
  EXPECT_EQ(exit_code(outcome), ExitCode::case_failed);
  EXPECT_EQ(failure_list(outcome), "crashed: cqs W=7 N=3000 materialized f32: died of SIGSEGV\n");
  EXPECT_THAT(sweep_.said, HasSubstr("N=3000 materialized f32 … crashed: died of SIGSEGV"));
}

TEST_F(SweepRunner, LargerCasesAreSkippedOnceASmallerRanOut) {
  sweep_.launcher.answer = [](const Case& c) {
    return c.shape.q_len >= 4000 ? bad_result(Status::oom, "scores needs 1.00 GiB") : good_result();
  };
  const RunOutcome outcome = run(ten());
  EXPECT_EQ(outcome.counts.at(Status::ok), 3u);
  EXPECT_EQ(outcome.counts.at(Status::oom) + outcome.counts.at(Status::oom_skipped), 7u);
  EXPECT_GE(outcome.counts.at(Status::oom_skipped), 1u);
  EXPECT_EQ(exit_code(outcome), ExitCode::ok) << "out of memory is a data point";
  // No case was launched after a smaller one had run out of memory.
  std::int64_t smallest_oom = 1'000'000;
  for (const Case& c : sweep_.launcher.launched) {
    EXPECT_LE(c.shape.q_len, smallest_oom);
    if (c.shape.q_len >= 4000) smallest_oom = std::min(smallest_oom, c.shape.q_len);
  }
}

TEST_F(SweepRunner, AResumedRunRemembersWhatRanOut) {
  sweep_.launcher.answer = [](const Case& c) {
    return c.shape.q_len == 1000 ? bad_result(Status::oom, "scores needs 1.00 GiB")
                                 : bad_result(Status::interrupted, "");
  };
  std::vector<Case> cases = {small_case(1000)};
  Spec spec = fake_spec(cases);
  spec.resolved_yaml = "both";
  sweep_.run(spec, options());
  // The folder looks as if the writer had died before the second case.
  Spec larger = fake_spec({small_case(1000), small_case(2000)});
  larger.resolved_yaml = "both";
  RunOptions same = options();
  same.run_id = std::filesystem::path(list_runs(folder_ / "study").front().folder).filename();
  const RunOutcome outcome = sweep_.run(larger, same);
  EXPECT_TRUE(sweep_.launcher.launched.empty());
  EXPECT_EQ(outcome.counts.at(Status::oom_skipped), 1u);
  EXPECT_EQ(exit_code(outcome), ExitCode::case_failed) << "not one case is ok";
}

TEST_F(SweepRunner, RetryRunsOnlyWhatIsNotOk) {
  sweep_.launcher.answer = [](const Case& c) {
    return c.shape.q_len <= 2000 ? bad_result(Status::timeout, "no answer") : good_result();
  };
  const RunOutcome before = run(ten());
  sweep_.launcher.answer = [](const Case&) { return good_result(); };
  retry_ = true;
  const RunOutcome after = run(ten());
  EXPECT_EQ(after.folder, before.folder);
  EXPECT_EQ(sweep_.launcher.launched.size(), 2u);
  EXPECT_EQ(after.counts, (std::map<Status, std::size_t>{{Status::ok, 10}}));
  EXPECT_EQ(CsvTable::parse(read_file(after.folder + "/cases.csv"), "cases.csv").size(), 10u);
}

TEST_F(SweepRunner, AFinishedRunIdHasNothingToDo) {
  run_id_ = "mine";
  run(ten());
  const std::string manifest = read_file(folder_ / "study/mine/manifest.json");
  const RunOutcome again = run(ten());
  EXPECT_TRUE(sweep_.launcher.launched.empty());
  EXPECT_EQ(again.counts.at(Status::ok), 10u);
  EXPECT_THAT(sweep_.said, HasSubstr("nothing to do"));
  EXPECT_EQ(read_file(folder_ / "study/mine/manifest.json"), manifest);
}

TEST_F(SweepRunner, ASecondRunnerIsTurnedAway) {
  run_id_ = "mine";
  run(ten());
  const Fd first = lock_folder(folder_ / "study/mine");
  EXPECT_THROW(run(ten()), EnvironmentError);
}

// The other run ends once this one has looked twice, and leaves it four cases.
TEST_F(SweepRunner, ASecondRunnerWaitsAndGoesOnWithTheRest) {
  run_id_ = "mine";
  wait_ = true;
  int left = 6;
  sweep_.launcher.answer = [&](const Case&) {
    return left-- > 0 ? good_result() : bad_result(Status::interrupted, "killed");
  };
  const RunOutcome first = run(ten());
  ASSERT_EQ(first.cases.size(), 6u);
  std::optional<Fd> other(lock_folder(first.folder));
  sweep_.launcher.answer = [](const Case&) { return good_result(); };
  int looks = 0;
  sweep_.stop_requested = [&] {
    if (++looks == 2) other.reset();
    return false;
  };
  EXPECT_EQ(exit_code(run(ten())), ExitCode::ok);
  EXPECT_EQ(sweep_.launcher.launched.size(), 4u);
  EXPECT_THAT(sweep_.said, testing::ContainsRegex("^another run .* is writing .*; waiting for it\n"
                                                  "study: going on with .* 6 of 10 cases"));
}

TEST_F(SweepRunner, ASignalEndsTheWait) {
  run_id_ = "mine";
  wait_ = true;
  run(ten());
  const Fd other = lock_folder(folder_ / "study/mine");
  sweep_.stop_requested = [] { return true; };
  try {
    run(ten());
    FAIL() << "it ran";
  } catch (const ExitError& error) {
    EXPECT_EQ(error.code(), ExitCode::interrupted);
    EXPECT_THAT(error.what(), HasSubstr("interrupted: another run (pid "));
  }
}

TEST_F(SweepRunner, WhatTheDiskRefusesIsNamedWithTheWayOn) {
  // The disk fills up (a file turns into a folder) while the third case runs.
  int launched = 0;
  run_id_ = "mine";
  sweep_.launcher.answer = [&](const Case&) {
    if (++launched == 3) {
      std::filesystem::remove(folder_ / "study/mine/samples.csv");
      std::filesystem::create_directory(folder_ / "study/mine/samples.csv");
    }
    return good_result();
  };
  try {
    run(ten());
    FAIL() << "the case was lost in silence";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("samples.csv"));
    EXPECT_THAT(error.what(), HasSubstr("2 of 10 cases are kept in"));
  }
}

TEST_F(SweepRunner, DevicesAreCheckedBeforeAnythingRuns) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "this machine has a GPU";
  std::vector<Case> cases = ten();
  cases.back().device = Device::cuda;
  EXPECT_THROW(run(cases), EnvironmentError);
  EXPECT_TRUE(sweep_.launcher.launched.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "study"));
}

TEST_F(SweepRunner, AutoIsTheDeviceThatRanAndRunsOnce) {
  std::vector<Case> cases = {small_case(1000), small_case(1000)};
  cases.front().device = Device::automatic;
  const RunOutcome outcome = run(cases);
  EXPECT_EQ(sweep_.launcher.launched.size(), 1u);
  EXPECT_EQ(outcome.cases.text(0, "device"), "cpu");
}

TEST_F(SweepRunner, NothingToRunIsAUsageError) { EXPECT_THROW(run({}), UsageError); }

TEST_F(SweepRunner, TracesAreWrittenWhereTheTimelineIsWanted) {
  run({small_case(1000)});
  EXPECT_EQ(sweep_.launcher.last_paths.trace_directory, "");
  std::vector<Case> cases = {small_case(1000)};
  cases.front().measure.memory_timeline = true;
  const RunOutcome outcome = run(cases);
  EXPECT_EQ(sweep_.launcher.last_paths.trace_directory, outcome.folder + "/traces");
}

TEST_F(SweepRunner, TheTableStandsInSpecOrderWithWhatVaries) {
  std::vector<Case> cases = {small_case(2000), small_case(1000)};
  cases.front().mask = MaskKind::causal;
  const std::string table = outcome_table(run(cases));
  EXPECT_THAT(table, HasSubstr("mask"));
  EXPECT_THAT(table, testing::Not(HasSubstr("head_dim")));
  EXPECT_LT(table.find("2000"), table.find("1000"));
  EXPECT_THAT(table, HasSubstr("500 ms [400, 600]"));
}

TEST_F(SweepRunner, TheTableShowsWhatWasMeasuredAndWhatWasNot) {
  sweep_.launcher.answer = [](const Case& c) {
    if (c.shape.q_len == 3000) return bad_result(Status::timeout, "no answer");
    CaseResult result = good_result();
    result.values.merge({{"critical_path_median_s", "0.25"},
                         {"critical_path_low95_s", "0.2"},
                         {"critical_path_high95_s", "0.3"},
                         {"n_samples", "5"},
                         {"interval_coverage", "0.9375"},
                         {"max_error", "2.5e-07"}});
    if (c.shape.q_len == 2000) {
      result.values.merge({{"disturbed_samples", "2"}, {"disturbed_by", "stolen"}});
      result.values.set("max_error", 0.0);
      result.values.set("device_peak_bytes", 0);
    }
    return result;
  };
  const std::string table =
      outcome_table(run({small_case(1000), small_case(3000), small_case(2000)}));
  EXPECT_THAT(std::regex_replace(table.substr(0, table.find('\n')), std::regex("  +"), "|"),
              HasSubstr("status|wall [interval]|critical path [interval]|longest subsequence "
                        "[interval]|repeats (coverage)|peak of a device|max error"));
  EXPECT_THAT(table, HasSubstr("messages cost nothing. Compare critical\npaths; "));
  // The cells of the row of that many tokens, from the status on.
  const auto cells = [&](const std::string& n_tokens) {
    std::string row = table.substr(table.find(n_tokens + "  materialized  f32"));
    row = row.substr(0, row.find('\n')).substr(row.find("f32") + 3);
    return std::regex_replace(row, std::regex("  +"), "|");
  };
  EXPECT_EQ(cells("1000"), "|ok|500 ms [400, 600]|250 ms [200, 300]|-|5 (93 %)|4.00 KiB|2.5e-07");
  EXPECT_EQ(cells("2000"),
            "|ok|500 ms [400, 600]|250 ms [200, 300]|-|5 (93 %), 2 disturbed by the host (stolen "
            "time)|0 B|"
            "0.0e+00");
  EXPECT_EQ(cells("3000"), "|timeout|-|-|-|-|-|-");
}

TEST_F(SweepRunner, TheTimeLeftIsThatOfTheChosenCasesThatDoTheirWork) {
  // All take as much work; one of the five is not chosen, and the second launched does none.
  std::vector<Case> cases;
  for (int workers = 7; workers < 12; ++workers) cases.push_back(small_case(1000, workers));
  RunOptions some = options();
  some.only.emplace();
  for (const Case& c : resolved_cases({cases.begin(), cases.begin() + 4}))
    some.only->insert(case_id(c));
  sweep_.launcher.answer = [&](const Case&) {
    const std::size_t launch = sweep_.launcher.launched.size();
    sweep_.now_s += launch == 1 ? 9.0 : launch == 2 ? 99.0 : 29.0;  // and one second for the call
    return launch == 2   ? bad_result(Status::unsupported, "no kernel")
           : launch == 3 ? bad_result(Status::timeout, "no answer")
                         : good_result();
  };
  (void)sweep_.run(fake_spec(cases), some);
  std::vector<std::string> left;
  std::istringstream said(sweep_.said);
  for (std::string line; std::getline(said, line);)
    if (line.starts_with('['))
      left.push_back(line.substr(0, 5) + line.substr(line.find(" … ") + 5));
  EXPECT_THAT(left,
              testing::ElementsAre(
                  "[1/5]ok, median wall clock 500 ms [400, 600], peak 4.00 KiB, ETA 30 s",
                  "[2/5]unsupported: no kernel, ETA 20 s", "[3/5]timeout: no answer, ETA 20 s",
                  "[4/5]ok, median wall clock 500 ms [400, 600], peak 4.00 KiB"));
}

TEST_F(SweepRunner, ALineSaysWhatTellsItsCaseFromTheOthers) {
  std::vector<Case> cases = {small_case(1000), small_case(1000)};
  cases.front().mask = MaskKind::causal;
  run(cases);
  EXPECT_THAT(sweep_.said, HasSubstr("] cqs W=7 N=1000 materialized f32 mask=causal … ok"));
  EXPECT_THAT(sweep_.said, HasSubstr("] cqs W=7 N=1000 materialized f32 mask=full … ok"));
  run({small_case(1000)});
  EXPECT_THAT(sweep_.said, HasSubstr("] cqs W=7 N=1000 materialized f32 … ok"));
}

TEST_F(SweepRunner, EqualReasonsShareALine) {
  sweep_.launcher.answer = [](const Case&) {
    return bad_result(Status::unsupported, "cqs needs W >= 3");
  };
  const RunOutcome outcome = run(ten());
  EXPECT_EQ(failure_list(outcome), "unsupported (10 cases: cqs W=7): cqs needs W >= 3\n");
  EXPECT_THAT(outcome_table(outcome), testing::Not(HasSubstr("unsupported")));
  EXPECT_EQ(exit_code(outcome), ExitCode::case_failed) << "not one case is ok";
}

TEST_F(SweepRunner, RowsStandInSpecOrderWhereAsked) {
  RunOptions in_spec_order = options();
  in_spec_order.order = RowOrder::spec;
  const auto lengths_in = [](const RunOutcome& outcome) {
    std::vector<std::int64_t> n;
    for (std::size_t row = 0; row < outcome.cases.size(); ++row)
      n.push_back(static_cast<std::int64_t>(outcome.cases.number(row, "n_tokens")));
    return n;
  };
  EXPECT_FALSE(std::ranges::is_sorted(lengths_in(run(ten()))));
  const RunOutcome sorted = sweep_.run(fake_spec(ten()), in_spec_order);
  EXPECT_FALSE(std::ranges::is_sorted(lengths(sweep_.launcher.launched))) << "they ran at random";
  EXPECT_EQ(lengths_in(sorted), lengths(ten()));
  // The rows of the other tables are those of the same cases, in the same order.
  const RunFolder folder = read_run_folder(sorted.folder);
  ASSERT_EQ(folder.samples.size(), 2 * folder.cases.size());
  for (std::size_t row = 0; row < folder.samples.size(); ++row)
    EXPECT_EQ(folder.samples.text(row, "case_id"), folder.cases.text(row / 2, "case_id"));
}

TEST_F(SweepRunner, AnInterruptedRunIsSortedWhenItsLastCaseIsDone) {
  run_id_ = "a";
  RunOptions in_spec_order = options();
  in_spec_order.order = RowOrder::spec;
  sweep_.launcher.answer = [this](const Case&) {
    sweep_.stop = sweep_.launcher.launched.size() == 6;
    return good_result();
  };
  const RunOutcome first = sweep_.run(fake_spec(ten()), in_spec_order);
  EXPECT_EQ(first.cases.size(), 6u);
  sweep_.stop = false;
  const RunOutcome second = sweep_.run(fake_spec(ten()), in_spec_order);
  ASSERT_EQ(second.cases.size(), 10u);
  for (std::size_t row = 0; row < 10; ++row)
    EXPECT_EQ(second.cases.text(row, "n_tokens"), std::to_string(1000 * (row + 1)));
}

TEST_F(SweepRunner, AFinishedRunIsSortedWithoutRunningAnything) {
  run_id_ = "a";
  (void)run(ten());
  RunOptions in_spec_order = options();
  in_spec_order.order = RowOrder::spec;
  const RunOutcome sorted = sweep_.run(fake_spec(ten()), in_spec_order);
  EXPECT_TRUE(sweep_.launcher.launched.empty());
  EXPECT_EQ(sorted.cases.text(0, "n_tokens"), "1000");
  EXPECT_EQ(sorted.cases.text(9, "n_tokens"), "10000");
}

// A program that is not qb names the one that runs its cases.
TEST_F(SweepRunner, StartsTheChildThatItIsGiven) {
  RunOptions with_child = options();
  with_child.quiet = true;
  const std::string log = folder_.path("child.json");
  with_child.child = {"/bin/sh", "-c", "cat > " + log + "; exit 7"};
  const RunOutcome outcome = run_spec(fake_spec({small_case(1000)}), with_child);
  EXPECT_EQ(outcome.cases.text(0, "status"), "crashed");
  EXPECT_THAT(outcome.cases.text(0, "message"), HasSubstr("7"));
  EXPECT_EQ(case_from_json(read_file(log)).shape.q_len, 1000);
}

}  // namespace
}  // namespace qb
