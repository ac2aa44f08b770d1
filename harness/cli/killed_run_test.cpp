// SPDX-License-Identifier: Apache-2.0
// A run that is killed again and again at random moments, and goes on each time, loses no finished
// case, has none twice, and ends as a run that nobody killed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "base/csv.h"
#include "base/hash.h"
#include "base/schema/column_fields.h"
#include "base/schema/parameter_fields.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing_support::run_qb;
using testing_support::Said;

constexpr const char* kSpec =
    "experiment: killed\n"
    "head_dim: 8\n"
    "kernel: reference\n"
    "measure: {repeats: 2, warmups: 0, retakes: 0, verify_rows: 4, memory_timeline: true}\n"
    "zip: {algorithm: [dense, cqs], workers: [1, 7]}\n"
    "sweep: {n_tokens: [16, 32]}\n";

constexpr int kCases = 4;
constexpr const char* kTables[] = {"cases.csv", "samples.csv", "steps.csv", "memory_timeline.csv"};

// What a folder has of a case that is finished.
struct Finished {
  bool is_ok = false;
  bool stands = false;                           // --retry does not measure it again
  std::vector<std::vector<std::string>> rows{};  // in the order of kTables
};
using FinishedCases = std::map<std::string, Finished>;
bool is_ok(const FinishedCases::value_type& one) { return one.second.is_ok; }

bool differs_between_runs(const Field& field) {
  return field.group == FieldGroup::time || field.group == FieldGroup::bookkeeping ||
         field.column == "resident_peak_bytes";
}

// Who is killed: the sweep and its case, one of the two, or the sweep within a call on its files.
enum class Victim { both, sweep, its_case, within_a_call };
constexpr int kVictims = 4;

class KilledRun : public testing::Test {
 protected:
  [[nodiscard]] std::string words(const std::string& id, const std::string& more = "") const {
    return fmt::format("run {} --quiet --order spec --out {} --run-id {} {}", spec_,
                       scratch_.path("r"), id, more);
  }
  [[nodiscard]] std::string folder(const std::string& id) const {
    return scratch_.path("r/killed/" + id);
  }
  [[nodiscard]] CsvTable table(const std::string& id, const std::string& name) const {
    const std::string path = folder(id) + "/" + name;
    if (!std::filesystem::exists(path)) return CsvTable({"case_id"});
    return CsvTable::parse(read_file(path), path);
  }

  [[nodiscard]] FinishedCases finished(const std::string& id) const {
    FinishedCases found;
    const CsvTable cases = table(id, "cases.csv");
    for (std::size_t row = 0; row < cases.size(); ++row) {
      const bool is_ok = cases.text(row, "status") == "ok";
      const Finished one{is_ok, is_ok && cases.text(row, "disturbed_by").empty()};
      EXPECT_TRUE(found.emplace(cases.text(row, "case_id"), one).second) << "it is there twice";
    }
    for (const char* name : kTables) {
      const CsvTable rows = table(id, name);
      for (std::size_t row = 0; row < rows.size(); ++row)
        if (const auto at = found.find(rows.text(row, "case_id")); at != found.end())
          at->second.rows.push_back(rows.row(row));
    }
    return found;
  }

  // Starts a run and returns its process id.
  [[nodiscard]] static pid_t start(const std::string& words, const std::string& before) {
    const std::string command = before + " exec ${QB_TESTED_BINARY:-" QB_BINARY "} " + words +
                                " >/dev/null 2>&1 </dev/null";
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    return pid;
  }

  static pid_t case_of(pid_t sweep) {
    pid_t child = 0;
    std::ifstream(fmt::format("/proc/{0}/task/{0}/children", sweep)) >> child;
    return child;
  }

  // Lives at most until a random moment. Returns whether a signal killed somebody.
  bool live(const std::string& words, Victim victim) {
    std::string before;
    if (victim == Victim::within_a_call) {
      constexpr const char* kCalls[] = {"open", "write", "write", "rename", "fsync"};
      constexpr std::uint64_t kMostCalls = 25;
      before = fmt::format(
          "export QB_IO_UNDER={} QB_IO_CALL={} QB_IO_AT={} LD_PRELOAD=" QB_FAILING_IO ";",
          scratch_.path("r"), kCalls[random_() % std::size(kCalls)], 1 + random_() % kMostCalls);
    }
    const pid_t sweep = start(words, before);
    pid_t its_case = 0;
    if (victim != Victim::within_a_call) {
      constexpr std::uint64_t kMost = 400'000;
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % kMost));
      its_case = victim == Victim::sweep ? 0 : case_of(sweep);
      if (victim != Victim::its_case) ::kill(sweep, SIGKILL);
      if (its_case > 0) ::kill(its_case, SIGKILL);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(sweep, &status, 0), sweep);
    return victim == Victim::its_case ? its_case > 0 : WIFSIGNALED(status);
  }

  // Lives until every case is ok, and counts the lives that a signal ended.
  void live_and_die(const std::string& id, int most_kills, int& kills) {
    FinishedCases before;
    while (!HasFailure()) {
      // A case that was killed alone has a row, which says so, until it is tried again.
      const bool retry = std::ranges::count(before, false, is_ok) > 0;
      const std::string tried = words(id, retry ? "--retry" : "");
      bool killed = false;
      if (kills < most_kills) {
        const auto victim = static_cast<Victim>(random_() % kVictims);
        killed = live(tried, victim);
        of_[victim] += killed ? 1 : 0;
        kills += killed ? 1 : 0;
      } else {
        const Said said = run_qb(tried);
        EXPECT_EQ(said.exit_code, 0) << said.err;
      }
      const FinishedCases now = finished(id);
      for (const auto& [case_id, was] : before) {
        if (retry && !was.stands) continue;
        ASSERT_TRUE(now.contains(case_id)) << "a finished case is lost";
        ASSERT_EQ(now.at(case_id).rows, was.rows);
      }
      before = now;
      if (!killed && std::ranges::count(before, true, is_ok) == kCases) return;
    }
  }

  // Checks that the folder equals that of the run that nobody killed in all but times.
  void expect_whole(const std::string& id) const {
    const Said audit = run_qb("verify " + folder(id));
    EXPECT_EQ(audit.exit_code, 0) << audit.out;
    EXPECT_EQ(read_file(folder(id) + "/spec.resolved.yaml"),
              read_file(folder("whole") + "/spec.resolved.yaml"));
    const CsvTable got = table(id, "cases.csv");
    const CsvTable expected = table("whole", "cases.csv");
    ASSERT_EQ(got.size(), expected.size());
    const auto compare = [&](const auto& fields) {
      for (const Field& field : fields) {
        if (differs_between_runs(field)) continue;
        for (std::size_t row = 0; row < got.size(); ++row)
          EXPECT_EQ(got.text(row, field.column), expected.text(row, field.column)) << field.column;
      }
    };
    compare(kIdentityFields);
    compare(kParameterFields);
    compare(kResultFields);
    for (const char* name : kTables) EXPECT_EQ(table(id, name).size(), table("whole", name).size());
    for (const auto& entry : std::filesystem::directory_iterator(folder(id)))
      EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }

  ScratchFolder scratch_;
  const std::string spec_ = scratch_.file("killed.yaml", kSpec);
  SplitMix64 random_{1};
  std::map<Victim, int> of_;
};

// QB_KILLS sets how many kills there are.
TEST_F(KilledRun, LosesNothingAndHasNothingTwice) {
  const Said said = run_qb(words("whole"));
  ASSERT_EQ(said.exit_code, 0) << said.err;
  ASSERT_EQ(table("whole", "cases.csv").size(), std::size_t{kCases});
  const char* const asked = std::getenv("QB_KILLS");
  const int most = asked != nullptr ? std::atoi(asked) : 25;
  int kills = 0;
  for (int run = 0; kills < most; ++run) {
    const std::string id = fmt::format("run{}", run);
    SCOPED_TRACE(id);
    live_and_die(id, most, kills);
    if (!HasFailure()) expect_whole(id);
    if (HasFailure()) return;
    std::filesystem::remove_all(folder(id));
  }
  fmt::print(
      "{} kills: {} of a sweep and its case, {} of a sweep, {} of a case, {} within a call\n",
      kills, of_[Victim::both], of_[Victim::sweep], of_[Victim::its_case],
      of_[Victim::within_a_call]);
}

}  // namespace
}  // namespace qb
