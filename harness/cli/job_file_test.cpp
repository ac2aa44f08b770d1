// SPDX-License-Identifier: Apache-2.0
// The batch scripts that `qb slurm` writes, and what it knows of their submissions; sbatch is a
// program of the test. experiments/slurm/slurm_test.py has the real one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/csv.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::run_qb;
using testing_support::Said;

class Jobs : public testing::Test {
 protected:
  // `sbatch`: the lines of a shell script in place of Slurm's.
  [[nodiscard]] Said slurm(const std::string& spec, const std::string& words,
                           const std::string& sbatch = "echo 42") const {
    const std::string folder = scratch_.path("bin");
    std::filesystem::create_directories(folder);
    write_file_atomically(folder + "/sbatch",
                          fmt::format("#!/bin/sh\necho \"$@\" >> {}\n{}\n", asked(), sbatch));
    std::filesystem::permissions(folder + "/sbatch", std::filesystem::perms::owner_all);
    return run_qb(fmt::format("slurm {} --out {} {}", spec, scratch_.path("r"), words),
                  "PATH=" + folder + ":$PATH");
  }
  [[nodiscard]] std::string asked() const { return scratch_.path("asked"); }
  [[nodiscard]] std::vector<std::string> states() const {
    const std::string path = scratch_.path("r/e/a.sbatch.jobs.csv");
    const CsvTable table = CsvTable::parse(read_file(path), path);
    std::vector<std::string> states;
    for (std::size_t row = 0; row < table.size(); ++row)
      states.push_back(table.text(row, "state") + table.text(row, "job"));
    return states;
  }
  static void expect_bash_reads(const std::string& script) {
    EXPECT_EQ(std::system(("bash -n " + script).c_str()), 0) << read_file(script);
  }

  ScratchFolder scratch_;
  const std::string spec_ =
      scratch_.file("e.yaml",
                    "experiment: e\nalgorithm: cqs\nworkers: 3\nkernel: reference\nhead_dim: 8\n"
                    "sweep: {n_tokens: [16, 24, 32, 40, 48, 56]}\n");
  const std::string mpi_ =
      scratch_.file("m.yaml",
                    "experiment: e\nalgorithm: ring\nranks: mpi\nkernel: reference\n"
                    "head_dim: 8\nsweep: {workers: [2, 4], n_tokens: [16, 24]}\n");
};

TEST_F(Jobs, OfAnArrayHaveATaskForEachShard) {
  const std::string words =
      "--run-id a --nodes 3 --array --set \"description=two words\" --sbatch --partition=long";
  const Said shown = slurm(spec_, words + " --dry-run");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("r"))) << "a dry run writes nothing";
  const Said written = slurm(spec_, words);
  EXPECT_EQ(written.exit_code, 0) << written.err;
  const std::string script = scratch_.path("r/e/a.sbatch");
  const std::string text = read_file(script);
  EXPECT_THAT(shown.out, HasSubstr(text));
  EXPECT_FALSE(std::filesystem::exists(asked())) << "nothing was to be submitted";
  for (const char* const line :
       {"#SBATCH --array=1-3\n", "#SBATCH --requeue", "#SBATCH --signal=B:INT@120",
        "#SBATCH --exclusive\n", "#SBATCH --partition=long\n", "#SBATCH --nodes=1\n",
        "'description=two words'", "--shard \"$SLURM_ARRAY_TASK_ID/3\" --wait\n"})
    EXPECT_THAT(text, HasSubstr(line));
  expect_bash_reads(script);
  const Said status = run_qb("status " + scratch_.path("r/e/a"));
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("not begun"));
  const Said left = run_qb("join " + scratch_.path("r/e/a"));
  EXPECT_EQ(left.exit_code, 1);
  EXPECT_THAT(left.out, HasSubstr("Run them: sbatch --array=1,2,3 " + script));
}

TEST_F(Jobs, OfRanksHaveAScriptForEachWorkerCount) {
  const Said written = slurm(mpi_, "--run-id a --nodes 2 --cpus 1");
  EXPECT_EQ(written.exit_code, 0) << written.err;
  for (const int tasks : {2, 4}) {
    const std::string script = scratch_.path(fmt::format("r/e/a.w{}.sbatch", tasks));
    const std::string text = read_file(script);
    for (const std::string& line :
         {fmt::format("#SBATCH --ntasks={}\n", tasks), std::string("#SBATCH --nodes=2\n"),
          std::string("#SBATCH --dependency=singleton\n"), std::string("#SBATCH --signal=INT@"),
          fmt::format("--only workers={} --wait\n", tasks), std::string("exec srun --mpi=pmix")})
      EXPECT_THAT(text, HasSubstr(line));
    EXPECT_THAT(text, Not(HasSubstr("--array")));
    expect_bash_reads(script);
  }
  const Said array = slurm(mpi_, "--run-id b --nodes 2 --array");
  EXPECT_EQ(array.exit_code, 2);
  EXPECT_THAT(array.err, HasSubstr("leave --array out"));
}

TEST_F(Jobs, AreNotForgottenAndNotSubmittedTwice) {
  const std::string words = "--run-id a --submit";
  const Said refused = slurm(spec_, words, "echo 'no such partition' >&2; exit 1");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("no such partition"));
  const Said taken = slurm(spec_, words);
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_THAT(taken.out, HasSubstr("job 42"));
  EXPECT_THAT(states(), testing::ElementsAre("intent", "failed", "intent", "submitted42"));
  // It dies between its intent and what Slurm says.
  (void)slurm(spec_, words, "kill -9 $PPID; echo 43");
  EXPECT_EQ(states().back(), "intent");
  const std::string before = read_file(asked());
  const Said uncertain = slurm(spec_, words);
  EXPECT_EQ(uncertain.exit_code, 3);
  EXPECT_THAT(uncertain.err, HasSubstr("it is not known whether the last submission"));
  EXPECT_EQ(read_file(asked()), before) << "it was submitted again";
}

TEST_F(Jobs, AreRefusedWithWhatToWrite) {
  for (const auto& [words, sentence] : std::initializer_list<std::pair<std::string, std::string>>{
           {"", "needs a SPEC and --run-id"},
           {"--run-id a --nodes 0", "must be at least 1"},
           {"--run-id a --nodes 7 --array", "7 shards are more than the 6 groups"},
           {"--run-id a --set n_tokens=x", "n_tokens"},
           {"--submit-next x", "--submit-next is for jobs of Slurm; write --submit"}}) {
    const Said said = slurm(spec_, words);
    EXPECT_EQ(said.exit_code, 2) << words;
    EXPECT_THAT(said.err, HasSubstr(sentence));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("r/e/a.sbatch")));
}

}  // namespace
}  // namespace qb
