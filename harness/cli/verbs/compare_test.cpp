// SPDX-License-Identifier: Apache-2.0
// `qb compare` through the real binary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/source_root.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/cli/testing/tampered_run.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::run_qb;
using testing_support::Said;

class CompareRuns : public testing::Test {
 protected:
  // Runs a small spec of two schemes and returns the run folder.
  std::string run(const std::string& id, const std::string& words = "") {
    write_file_atomically(scratch_.path("spec.yaml"),
                          "{experiment: small, n_tokens: 96, head_dim: 8, q_heads: 4, ranks: "
                          "threads, workers: 4, threads: 1, measure: {repeats: 3, retakes: 0}, "
                          "sweep: {algorithm: [ring, cqs], pass: [forward, both]}}");
    const Said said = run_qb("run " + scratch_.path("spec.yaml") + " --quiet --run-id " + id +
                             " --out " + scratch_.path("out") + " " + words);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return scratch_.path("out/small/" + id);
  }

  ScratchFolder scratch_;
};

TEST_F(CompareRuns, TwoHonestRunsAreIdenticalInWhatTimeDoesNotChange) {
  const Said said = run_qb("compare " + run("a") + " " + run("b"));
  EXPECT_THAT(said.exit_code, testing::AnyOf(0, 4)) << said.err;
  EXPECT_THAT(said.out, HasSubstr("Pairs, bytes and errors are identical ("));
}

TEST_F(CompareRuns, AnotherInstructionSetHasOtherErrorsAndTheSamePairsAndBytes) {
  const Said said =
      run_qb("compare --ignore cpu_isa " + run("a", "--set cpu.isa=sse4") + " " + run("b"));
  EXPECT_THAT(said.out, AllOf(HasSubstr("not identical: "), HasSubstr(" max_error"),
                              Not(HasSubstr("_bytes")), Not(HasSubstr("_pairs"))));
}

TEST_F(CompareRuns, ATamperedRunIsNotCompared) {
  for (const char* name : {"cpu_attention", "torch_sdpa"}) {  // the second is of another program
    const std::string honest = source_path("data/measured/epyc-zen3-2-cores/") + name;
    const std::string changed = scratch_.path("tampered/") + name;
    ensure_directory(scratch_.path("tampered"));
    testing_support::copy_tampered(honest, changed);
    EXPECT_EQ(run_qb("compare " + honest + " " + honest).exit_code, 0);
    for (const std::string& both : {honest + " " + changed, changed + " " + honest}) {
      const Said said = run_qb("compare " + both);
      EXPECT_EQ(said.exit_code, 4);
      EXPECT_THAT(said.out, IsEmpty());
      EXPECT_THAT(said.err, AllOf(HasSubstr(changed + " does not pass `qb verify`"),
                                  HasSubstr("wall_time_median_s is")));
    }
  }
}

}  // namespace
}  // namespace qb
