// SPDX-License-Identifier: Apache-2.0
// `qb ab` through the real binary.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/csv.h"
#include "base/files.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

constexpr const char* kYaml = R"(experiment: smoke
algorithm: dense
workers: 1
dtype: f32
q_heads: 2
head_dim: 32
sweep: {kernel: [reference, flash], n_tokens: [256, 512]}
)";
constexpr const char* kOneCase =
    " --filter algorithm=dense --filter kernel=flash "
    "--filter n_tokens=256 ";

class AbVerb : public testing::Test {
 protected:
  // A program that measures nothing: every turn of it is one row with that time.
  [[nodiscard]] std::string program(const std::string& name, double time_s,
                                    const std::string& disturbed_by = "") const {
    std::string path = scratch_.file(name, fmt::format(R"(#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --out ] && out=$2; shift; done
mkdir -p "$out/smoke/turn"
cat > "$out/smoke/turn/cases.csv" <<END
status,ranks,critical_path_median_s,critical_path_low95_s,critical_path_high95_s,n_samples,disturbed_by
ok,sequential,{0},{0},{0},3,{1}
END
)",
                                                       time_s, disturbed_by));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  ScratchFolder scratch_;
  std::string spec_ = scratch_.file("smoke.yaml", kYaml);
};

TEST_F(AbVerb, TwoSettingsOfThisProgramAreReallyRunInTurn) {
  const std::string csv = scratch_.path("pairs.csv");
  const Said said =
      run_qb(fmt::format("ab kernel=reference kernel=flash {} --filter n_tokens=512 --pairs 3 "
                         "--retakes 0 --repeats 1 --out {}",
                         spec_, csv));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, ContainsRegex("dense W=1 N=512 f32 .* (FAST|AMBIGUOUS)"));
  EXPECT_THAT(said.err, HasSubstr("B dense W=1 N=512 f32: median critical_path "));
  const CsvTable pairs = CsvTable::parse(read_file(csv), csv);
  ASSERT_EQ(pairs.size(), 3u);
  for (std::size_t row = 0; row < pairs.size(); ++row) EXPECT_LT(pairs.number(row, "ratio"), 1.0);
  EXPECT_THAT(
      said.out,
      HasSubstr("Noise check: A against itself in dense W=1 N=512 f32 differs by a factor "));
}

TEST_F(AbVerb, ASlowerProgramIsExitCode4AndTheSameProgramIsNot) {
  const std::string a = program("a", 1.0);
  const Said slow =
      run_qb(fmt::format("ab {} {} {} --quiet", a, program("b", 1.25), spec_) + kOneCase);
  EXPECT_EQ(slow.exit_code, 4) << slow.err;
  EXPECT_EQ(slow.err, "");
  EXPECT_THAT(slow.out, AllOf(HasSubstr("1.250 [1.250, 1.250]"), HasSubstr("8 (99 %)  SLOW")));
  const Said same =
      run_qb(fmt::format("ab {} {} {} --quiet", a, program("c", 1.0), spec_) + kOneCase);
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("SAME"));
}

TEST_F(AbVerb, DisturbedTurnsAreTakenAgainAndThenSaid) {
  const Said said = run_qb(fmt::format("ab {} {} {} --pairs 6 --retakes 2", program("a", 1.0),
                                       program("b", 1.25, "neighbours"), spec_) +
                           kOneCase);
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("[16] "));  // eight pairs
  EXPECT_THAT(said.out, AllOf(HasSubstr("8 disturbed"), HasSubstr("AMBIGUOUS, disturbed")));
}

TEST_F(AbVerb, AProgramThatFailsFailsTheCase) {
  const std::string broken =
      scratch_.file("broken", "#!/bin/sh\necho there is no such kernel\nexit 3\n");
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
  const Said said = run_qb(fmt::format("ab {} {} {}", program("a", 1.0), broken, spec_) + kOneCase);
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_THAT(said.out, HasSubstr("B: ended with exit code 3: there is no such kernel"));
}

TEST_F(AbVerb, SubjectsThatCannotBeComparedAreRefused) {
  const auto refused = [](const std::string& words, const std::string& why) {
    const Said said = run_qb("ab " + words);
    EXPECT_EQ(said.exit_code, 2) << words;
    EXPECT_THAT(said.err, HasSubstr(why)) << words;
  };
  refused("kernel=flash " + program("a", 1.0) + " " + spec_, "must be of one kind");
  refused("kernel=flash kernel=reference", "a spec is needed");
  refused(spec_ + " " + spec_ + " " + spec_, "leave the third one out");
  refused("no/such/qb no/such/qb " + spec_, "no/such/qb is not a program");
  refused("kernel=flash head_dim=32 " + spec_, "each needs a partner");
  refused("kernel=flash kernel=flash " + spec_ + " --pairs 0", "--pairs");
}

// After good turns too, and with nothing in its log.
TEST_F(AbVerb, AProgramThatDiesSilentlyIsAFailure) {
  for (const auto& [end, why] : {std::pair{"kill -SEGV $$", "B: died of SIGSEGV"},
                                 {"exit 3", "B: ended with exit code 3"}}) {
    const std::string b = program("b", 1.0);
    const std::string count = scratch_.path("turns");
    std::filesystem::remove(count);
    (void)scratch_.file(
        "b", read_file(b) + fmt::format("echo x >> {0}\n[ $(wc -l < {0}) -gt 2 ] && {1}\n"
                                        "exit 0\n",
                                        count, end));
    const Said said = run_qb("ab " + program("a", 1.0) + " " + b + " " + spec_ + kOneCase +
                             "--pairs 6 --retakes 0");
    EXPECT_EQ(said.exit_code, 1) << said.out;
    EXPECT_THAT(said.out, HasSubstr(why)) << said.err;
    EXPECT_THAT(said.out, testing::Not(HasSubstr("nan")));
  }
}

TEST_F(AbVerb, BaseCasesTakeTurnsLikeAllOthers) {
  const std::string spec = scratch_.file("based.yaml",
                                         "experiment: smoke\nalgorithm: cqs\nworkers: 7\nn_tokens: "
                                         "64\nhead_dim: 16\nbaseline: dense\n");
  const Said said = run_qb("ab seed=1 seed=2 " + spec + " --pairs 1 --retakes 0 --repeats 1");
  EXPECT_THAT(said.out, AllOf(HasSubstr("dense W=1 N=64"), HasSubstr("cqs W=7 N=64"))) << said.err;
  EXPECT_NE(said.exit_code, 1) << "no turn failed";
}

}  // namespace
}  // namespace qb
