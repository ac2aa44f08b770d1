// SPDX-License-Identifier: Apache-2.0
// `qb run` and `qb status` through the real binary: what a run leaves behind, and how it continues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "base/csv.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::run_qb;
using testing_support::Said;

// Thirty small cases. Kernel `reference` has no peak, which would take longer to measure than a
// case.
constexpr const char* kRunSpec =
    "experiment: many\n"
    "head_dim: 16\n"
    "q_heads: 2\n"
    "kernel: reference\n"
    "measure: {repeats: 2, warmups: 0, retakes: 0, verify_rows: 16}\n"
    "zip: {algorithm: [dense, cqs], workers: [1, 7]}\n"
    "sweep: {n_tokens: {from: 64, to: 512, step: 32}}\n";
constexpr std::size_t kRunCases = 30;

class Run : public testing::Test {
 protected:
  [[nodiscard]] std::string words(const std::string& more = "") const {
    return "run " + spec_ + " --out " + scratch_.path("r") + " --run-id a " + more;
  }
  [[nodiscard]] CsvTable cases() const {
    return CsvTable::parse(read_file(folder_ + "/cases.csv"), "cases.csv");
  }
  // Starts a run, sends `signal` as soon as there is a row, and waits for the end.
  [[nodiscard]] Said run_and_signal(int signal, const std::string& more = "") const {
    const std::string pid_file = scratch_.path("pid");
    Said said;
    std::thread runner([&] {
      // The shell becomes qb, so its process id is qb's.
      said = run_qb(words(more), "echo $$ > " + pid_file + "; exec");
    });
    const auto bytes = [&] { return std::filesystem::file_size(folder_ + "/cases.csv"); };
    while (!std::filesystem::exists(folder_ + "/manifest.json"))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (const auto header = bytes(); bytes() == header;)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ::kill(static_cast<pid_t>(std::stoi(read_file(pid_file))), signal);
    runner.join();
    return said;
  }
  // Checks that every case is there once, and that everything that can be recomputed holds.
  void expect_whole() const {
    const CsvTable table = cases();
    std::set<std::string> ids;
    for (std::size_t row = 0; row < table.size(); ++row) {
      EXPECT_EQ(table.text(row, "status"), "ok") << table.text(row, "message");
      ids.insert(table.text(row, "case_id"));
    }
    EXPECT_EQ(table.size(), kRunCases);
    EXPECT_EQ(ids.size(), kRunCases);
    const Said audit = run_qb("verify " + folder_);
    EXPECT_EQ(audit.exit_code, 0) << audit.out;
  }

  ScratchFolder scratch_;
  const std::string spec_ = scratch_.file("many.yaml", kRunSpec);
  const std::string folder_ = scratch_.path("r/many/a");
};

TEST_F(Run, LeavesAVerifiedRunWithATableOnStdoutAndProgressOnStderr) {
  const Said said = run_qb(words());
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("critical path"), HasSubstr(folder_)));
  EXPECT_THAT(said.err, AllOf(HasSubstr("[30/30] "), HasSubstr(" ok, median wall clock "),
                              Not(HasSubstr("\x1b"))));
  EXPECT_THAT(read_file(folder_ + "/manifest.json"), HasSubstr("\"--run-id\""));
  expect_whole();
}

TEST_F(Run, ComparedWithItselfOfTwoRepeatsIsAmbiguousInEveryCase) {
  ASSERT_EQ(run_qb(words("--filter algorithm=dense")).exit_code, 0);
  const Said said = run_qb("compare " + folder_ + " " + folder_);
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("15 in both: 0 FAST, 0 SLOW, 0 SAME, 15 AMBIGUOUS"));
}

TEST_F(Run, KilledItGoesOnWhereItWas) {
  EXPECT_EQ(run_and_signal(SIGKILL).exit_code, 128 + SIGKILL);
  const std::size_t before = cases().size();
  const Said said = run_qb(words());
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("cases are done"));
  EXPECT_GE(before, 1u);
  expect_whole();
}

TEST_F(Run, InterruptedItSaysHowToGoOn) {
  const Said stopped = run_and_signal(SIGINT);
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_THAT(stopped.err, HasSubstr("the same command again goes on with " + folder_));
  EXPECT_THAT(run_qb("status " + folder_).out, HasSubstr("unfinished, "));
  EXPECT_EQ(run_qb(words()).exit_code, 0);
  expect_whole();
}

TEST_F(Run, StatusTellsWhatWentWrong) {
  // Without workspace the small cases fit into the budget, and the large ones do not.
  EXPECT_EQ(run_qb(words("--filter algorithm=dense --set memory_budget=100KiB")).exit_code, 0);
  const Said said = run_qb("status " + folder_);
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_THAT(said.out, AllOf(HasSubstr("finished"), HasSubstr("15 of 15 cases"), HasSubstr("oom"),
                              HasSubstr("over the budget of 100.00 KiB")));
  EXPECT_EQ(run_qb("status " + scratch_.path("none")).exit_code, 2);
}

TEST_F(Run, DryRunListsCostsAndWritesNothing) {
  const Said said = run_qb(words("--dry-run"));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("30 cases"), HasSubstr("FLOP"), HasSubstr("cqs W=7 N=512")));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("r")));
}

// A set of 4096 workers has hundreds of characters.
TEST_F(Run, DryRunOfLongSettingsStaysWithin120ColumnsAndTellsTheCasesApart) {
  std::string set = "0";
  for (int i = 1; i < 32; ++i) set += "," + std::to_string(i);
  for (int i = 1; i < 32; ++i) set += "," + std::to_string(32 * i);
  const std::string last = set.substr(set.rfind(',') + 1);
  const std::string other = last + "," + set.substr(0, set.rfind(','));
  const std::string spec =
      scratch_.file("long.yaml",
                    "experiment: long\nhead_dim: 16\nn_tokens: 4096\nranks: model\ndevice: cpu\n"
                    "algorithm: cqs\nworkers: 1024\nsweep: {interest_set: [\"" +
                        set + "\", \"" + other + "\"]}\n");
  const Said said = run_qb("run " + spec + " --dry-run");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(
      said.out,
      AllOf(HasSubstr("f32 #1 "), HasSubstr("f32 #2 "), HasSubstr("#1: interest_set=0, 1, 2, 3, "),
            HasSubstr("#2: interest_set=992, 0, 1, 2, "), HasSubstr("960, 992\n")));
  std::istringstream lines(said.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
}

TEST_F(Run, SpecsMayStandBehindOverridesAndFilters) {
  const Said said = run_qb("run --set head_dim=8 --set seed=7 " + spec_ +
                           " --filter algorithm=cqs --filter 'n_tokens<100' --dry-run");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("2 cases"));
}

TEST_F(Run, AnotherSpecUnderTheSameRunIdIsRefused) {
  ASSERT_EQ(run_qb(words("--filter n_tokens=64")).exit_code, 0);
  const Said said = run_qb(words("--filter n_tokens=96"));
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.err, HasSubstr("--run-id"));
}

TEST_F(Run, AllSpecsAreReadBeforeAnyRuns) {
  const std::string bad = scratch_.file("bad.yaml", "experiment: bad\n");
  EXPECT_EQ(run_qb("run " + spec_ + " " + bad + " --out " + scratch_.path("r")).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("r")));
}

TEST_F(Run, KilledItIsStillInTheOrderOfTheSpecAtTheEnd) {
  ASSERT_EQ(run_and_signal(SIGKILL, "--order spec").exit_code, 128 + SIGKILL);
  const Said said = run_qb(words("--order spec"));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  expect_whole();
  const CsvTable table = cases();
  ASSERT_EQ(table.size(), kRunCases);
  for (std::size_t row = 0; row < kRunCases; ++row) {
    EXPECT_EQ(table.text(row, "algorithm"), row < kRunCases / 2 ? "dense" : "cqs");
    EXPECT_EQ(table.number(row, "n_tokens"),
              64.0 + 32.0 * static_cast<double>(row % (kRunCases / 2)));
  }
}

TEST_F(Run, DryRunEndsWithWhatAllCasesTake) {
  const std::string two = "--filter n_tokens=64 ";
  const Said first = run_qb(words(two + "--dry-run"));
  EXPECT_THAT(first.out, AllOf(HasSubstr("2 cases will run, 0 cannot."),
                               HasSubstr("Predicted time: not known, since "),
                               HasSubstr("Predicted memory: tensors of at most ")));
  ASSERT_EQ(run_qb(words(two)).exit_code, 0);
  EXPECT_THAT(run_qb(words(two + "--dry-run")).out,
              HasSubstr("as such cases took on this machine before"));
  EXPECT_THAT(run_qb(words(two + "--dry-run --set kernel=materialized")).out,
              HasSubstr("Predicted time: about 1 s (roughly: 1 s to 1 s on an idle machine"))
      << "cases of another kernel say nothing";
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// The specs of the tests below: four cases that cannot run, and the base case of each.
constexpr const char* kTooFewWorkers =
    "experiment: few\n"
    "head_dim: 8\n"
    "algorithm: cqs\n"
    "workers: 2\n"
    "baseline: dense\n"
    "measure: {repeats: 2}\n"
    "sweep: {n_tokens: [16, 32, 64, 96]}\n"
    "figures: [decode_attention]\n";

TEST_F(Run, AStrategyThatCannotRunIsSaidOnceAndIsARowOfEachCase) {
  const std::string few = "run " + scratch_.file("few.yaml", kTooFewWorkers) +
                          " --run-id a --out " + scratch_.path("r");
  const std::string reason = "cqs needs at least 3 workers";
  const Said dry = run_qb(few + " --dry-run");
  EXPECT_EQ(count_of(dry.out, reason), 1u) << dry.out;
  EXPECT_EQ(count_of(dry.out, "cqs W=2"), 1u) << dry.out;
  EXPECT_THAT(dry.out, AllOf(HasSubstr("unsupported (4 cases: cqs W=2): " + reason),
                             HasSubstr("4 cases will run, 4 cannot.")));
  const Said said = run_qb(few);
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(count_of(said.out, "unsupported"), 0u) << said.out;
  EXPECT_EQ(count_of(said.err, reason), 2u) << "in the progress and at the end: " << said.err;
  EXPECT_THAT(said.err, HasSubstr("unsupported (4 cases: cqs W=2): " + reason));
  EXPECT_EQ(count_of(read_file(scratch_.path("r/few/a/cases.csv")), ",unsupported,"), 4u);
  EXPECT_EQ(count_of(run_qb("status " + scratch_.path("r/few/a")).out, reason), 1u);
}

TEST_F(Run, AFigureThatCannotBeDrawnSaysWhy) {
  const Said said =
      run_qb("run " + scratch_.file("few.yaml", kTooFewWorkers) + " --out " + scratch_.path("r"));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("qb: No figure decode_attention: "));
}

// Into one pipe, as in `qb run … 2>&1 | less`.
TEST_F(Run, OutputAndMessagesKeepTheirOrderInOnePipe) {
  const std::string merged = scratch_.path("merged");
  (void)run_qb("run " + scratch_.file("few.yaml", kTooFewWorkers) + " --run-id a --out " +
                   scratch_.path("r"),
               "sh -c '\"$0\" \"$@\" 2>&1 | cat > " + merged + "'");
  const std::string text = read_file(merged);
  const std::size_t table = text.find("critical path [interval]");
  const std::size_t reasons = text.rfind("unsupported (4 cases");
  const std::size_t folder = text.find("\n" + scratch_.path("r/few/a") + "\n");
  ASSERT_NE(folder, std::string::npos) << text;
  EXPECT_LT(table, reasons) << text;
  EXPECT_LT(reasons, folder) << text;
}

}  // namespace
}  // namespace qb
