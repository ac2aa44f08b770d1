// SPDX-License-Identifier: Apache-2.0
// A machine that lacks what qb needs: each lack ends in one sentence that says what to do.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing_support::run_qb;
using testing_support::Said;

void expect_refused(const Said& said, const std::string& sentence) {
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "qb: " + sentence + "\n");
}

TEST(ScarceMachine, FewFilesOrLittleStackAreRefusedWithTheirOption) {
  for (const char* verb : {"columns", "env", "sets table"}) {
    expect_refused(run_qb(verb, "ulimit -n 16;"),
                   "the limit of open files is 16, and qb needs 64: raise it with ulimit -n");
    expect_refused(
        run_qb(verb, "ulimit -s 64;"),
        "the limit of the stack in KiB is 64, and qb needs 1024: raise it with ulimit -s");
  }
}

TEST(ScarceMachine, LimitsThatMayBeRaisedAreRaised) {
  const ScratchFolder scratch;
  const std::string spec = scratch.file("spec.yaml",
                                        "experiment: scarce\nn_tokens: 64\nhead_dim: 8\n"
                                        "ranks: threads\nalgorithm: ring\nworkers: 4\n"
                                        "measure: {repeats: 1, warmups: 0}\nfigures: []\n");
  const Said said = run_qb("run " + spec + " --quiet --out " + scratch.path("results"),
                           "ulimit -Sn 16; ulimit -Ss 64;");
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

TEST(ScarceMachine, WithoutProcIsRefusedByEveryVerb) {
  const std::string unmount = "unshare -m sh -c 'umount -l /proc && exec \"$@\"' sh ";
  if (std::system((unmount + "true 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "this user may not unmount /proc in a namespace of its own";
  for (const char* verb : {"env", "columns", "run nothing.yaml", "papers"})
    expect_refused(run_qb(verb, unmount),
                   "/proc/self/exe is not there, and qb reads its machine below /proc: mount it");
}

}  // namespace
}  // namespace qb
