// SPDX-License-Identifier: Apache-2.0
// A sweep in shards, some of which are killed: what `qb join` says to run ends it, each case is
// there once, and the joined run verifies.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "base/csv.h"
#include "base/hash.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

// 200 cases of some milliseconds.
constexpr const char* kShardedSpec =
    "experiment: sharded\n"
    "head_dim: 8\n"
    "q_heads: 1\n"
    "kernel: reference\n"
    "algorithm: cqs\n"
    "measure: {repeats: 1, warmups: 0, retakes: 0, verify_rows: 2}\n"
    "sweep: {n_tokens: {from: 16, to: 65, step: 1}, workers: [3, 7], batch: [1, 2]}\n";
constexpr int kShards = 4;

class ShardedRun : public testing::Test {
 protected:
  [[nodiscard]] std::string words(int shard, const std::string& more = "") const {
    return fmt::format("run {} --quiet --out {} --run-id a --shard {}/{} {}", spec_,
                       scratch_.path("r"), shard, kShards, more);
  }
  [[nodiscard]] std::string run() const { return scratch_.path("r/sharded/a"); }
  // Processes that run a shard each; they go on.
  [[nodiscard]] static pid_t start(const std::string& words) {
    const std::string command =
        "exec ${QB_TESTED_BINARY:-" QB_BINARY "} " + words + " >/dev/null 2>&1 </dev/null";
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    return pid;
  }
  [[nodiscard]] std::size_t rows_of(int shard) const {
    const std::string path = fmt::format("{}.{}of{}/cases.csv", run(), shard, kShards);
    return std::filesystem::exists(path) ? CsvTable::parse(read_file(path), path).size() : 0;
  }
  // The commands that join prints.
  [[nodiscard]] std::vector<std::string> printed(const std::string& out) const {
    std::vector<std::string> commands;
    for (std::size_t at = out.find("  qb run "); at != std::string::npos;
         at = out.find("  qb run ", at + 1))
      commands.push_back(out.substr(at + 5, out.find('\n', at) - at - 5));
    return commands;
  }

  ScratchFolder scratch_;
  const std::string spec_ = scratch_.file("sharded.yaml", kShardedSpec);
  SplitMix64 random_{std::random_device{}()};
};

TEST_F(ShardedRun, OfWhichOneIsKilledLosesNothingAndHasNothingTwice) {
  std::vector<pid_t> pids;
  for (int shard = 1; shard <= kShards; ++shard) pids.push_back(start(words(shard)));
  const auto victim = static_cast<int>(random_() % kShards);
  while (rows_of(victim + 1) < 5 + random_() % 20)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pids[static_cast<std::size_t>(victim)], SIGKILL);
  for (const pid_t pid : pids) ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  const std::size_t kept = rows_of(victim + 1);

  const Said left = run_qb("join " + run());
  EXPECT_EQ(left.exit_code, 1) << left.err;
  EXPECT_THAT(left.out, HasSubstr("cases are left"));
  EXPECT_FALSE(std::filesystem::exists(run()));
  const std::vector<std::string> commands = printed(left.out);
  ASSERT_EQ(commands.size(), 1u) << left.out;
  EXPECT_EQ(run_qb(commands.front()).exit_code, 0);

  const Said joined = run_qb("join " + run());
  EXPECT_EQ(joined.exit_code, 0) << joined.out << joined.err;
  const Said verified = run_qb("verify " + run());
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
  const RunFolder whole = read_run_folder(run());
  EXPECT_EQ(whole.cases.size(), 200u);
  EXPECT_EQ(whole.manifest.n_cases, 200u);
  EXPECT_EQ(whole.manifest.shards.size(), std::size_t{kShards});
  EXPECT_FALSE(whole.manifest.finished_at.empty());
  std::set<std::string> ids;
  for (std::size_t row = 0; row < whole.cases.size(); ++row)
    EXPECT_TRUE(ids.insert(whole.cases.text(row, "case_id")).second);
  EXPECT_GE(rows_of(victim + 1), kept);
  for (const ShardNote& shard : whole.manifest.shards) {
    EXPECT_GT(shard.predicted_s, 0.0);
    EXPECT_GT(shard.calibration_s, 0.0);
  }
  EXPECT_EQ(run_qb("join " + run()).exit_code, 0) << "it can be joined again";
}

TEST_F(ShardedRun, IsRefusedWhereItsShardsDoNotFitTogether) {
  const Said none = run_qb("join " + run());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("no shards; name OUT/EXPERIMENT/RUN_ID"));
  EXPECT_THAT(run_qb(fmt::format("run {} --shard 1/2", spec_)).err,
              HasSubstr("--shard needs --run-id, the same name for all shards"));
  const std::string few = "--filter 'n_tokens<20'";
  for (int shard = 1; shard <= kShards; ++shard) {
    const Said said = run_qb(words(shard, few));
    ASSERT_EQ(said.exit_code, 0) << said.err;
  }
  EXPECT_THAT(run_qb(words(1)).err, HasSubstr("deals the cases of another spec"));
  const std::string path = run() + ".2of4/manifest.json";
  const std::string manifest = read_file(path);
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string text = manifest;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_file_atomically(path, text.replace(at, from.size(), to));
    return run_qb("join " + run());
  };
  const RunFolder second = read_run_folder(run() + ".2of4");
  const Said build =
      damaged("\"commit\": \"" + second.manifest.commit.substr(0, 4), "\"commit\": \"0000");
  EXPECT_EQ(build.exit_code, 2);
  EXPECT_THAT(build.err, HasSubstr("is of another build"));
  const Said machine = damaged(second.manifest.device_fingerprint, "another machine");
  EXPECT_EQ(machine.exit_code, 2);
  EXPECT_THAT(machine.err, HasSubstr("--mixed joins them and says the node of each row"));
  const Said mixed = run_qb("join " + run() + " --mixed");
  EXPECT_EQ(mixed.exit_code, 0) << mixed.err;
  const RunFolder whole = read_run_folder(run());
  for (std::size_t row = 0; row < whole.cases.size(); ++row)
    EXPECT_FALSE(whole.cases.text(row, "node").empty());
  EXPECT_EQ(run_qb("verify " + run()).exit_code, 0);
  // Rows of two machines are not compared, and no line joins them.
  const std::string other = scratch_.path("r/sharded/b");
  std::filesystem::copy(run(), other, std::filesystem::copy_options::recursive);
  CsvTable cases = whole.cases;
  for (std::size_t row = 0; row < cases.size(); row += 2) cases.set(row, "node", "another");
  write_file_atomically(other + "/cases.csv", cases.to_string());
  EXPECT_THAT(run_qb("compare " + run() + " " + other).out, HasSubstr("8 in both"));
  EXPECT_THAT(run_qb("compare " + run() + " " + other + " --ignore node").out,
              HasSubstr("16 in both"));
  const std::string figures = scratch_.path("figures");
  EXPECT_EQ(
      run_qb("plot " + other + " --figure wall_clock --format svg --out " + figures).exit_code, 0);
  const CsvTable points = CsvTable::parse(read_file(figures + "/wall_clock.csv"), "points");
  std::set<std::string> machines;
  for (std::size_t row = 0; row < points.size(); ++row)
    machines.insert(points.text(row, "series").find("another") == std::string::npos ? ""
                                                                                    : "another");
  EXPECT_EQ(machines.size(), 2u);
  EXPECT_EQ(run_qb("report " + other).exit_code, 0);
  EXPECT_THAT(read_file(other + "/report.html"),
              AllOf(HasSubstr("Shards</caption>"), HasSubstr("another machine")));
  // What is no joined run is not replaced.
  std::filesystem::remove_all(run());
  std::filesystem::create_directory(run());
  EXPECT_THAT(run_qb("join " + run() + " --mixed").err, HasSubstr("was not joined; move it away"));
}

}  // namespace
}  // namespace qb
