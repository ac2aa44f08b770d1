// SPDX-License-Identifier: Apache-2.0
// `qb verify` through the real binary, on the runs of data/measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/source_root.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/cli/testing/tampered_run.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

std::vector<std::string> checked_runs() {
  std::vector<std::string> runs;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_path("data/measured")))
    if (entry.path().filename() == "cases.csv") runs.push_back(entry.path().parent_path().string());
  return runs;
}

TEST(Verify, EveryCommittedRunPasses) {
  const std::vector<std::string> runs = checked_runs();
  EXPECT_GE(runs.size(), 25u);
  for (const std::string& run : runs) {
    const Said said = run_qb("verify " + run);
    EXPECT_EQ(said.exit_code, 0) << run << '\n' << said.out << said.err;
  }
}

TEST(Verify, ARunWithOneChangedDigitFails) {
  const ScratchFolder scratch;
  testing_support::copy_tampered(source_path("data/measured/epyc-2-cores/decode"),
                                 scratch.path("run"));
  const Said said = run_qb("verify " + scratch.path("run"));
  EXPECT_EQ(said.exit_code, 4);
  EXPECT_THAT(said.out, HasSubstr("wall_time_median_s is"));
}

}  // namespace
}  // namespace qb
