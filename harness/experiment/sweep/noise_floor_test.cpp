// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/noise_floor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/scratch_folder.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/testing/fake_sweep.h"

namespace qb {
namespace {

using testing::HasSubstr;

CsvTable rows_of(std::initializer_list<std::vector<std::string>> rows) {
  CsvTable cases({"status", "provenance", "duration_s"});
  for (const std::vector<std::string>& row : rows) cases.append(row);
  return cases;
}

TEST(NoiseFloor, IsOfTheLongestCaseThatAddsLittle) {
  EXPECT_EQ(row_to_repeat(rows_of({{"ok", "measured", "0.5"}, {"ok", "measured", "1.5"}})), 1u);
  EXPECT_EQ(row_to_repeat(rows_of({{"ok", "measured", "3"}, {"ok", "measured", "1"}})), 1u);
  EXPECT_EQ(row_to_repeat(rows_of({{"ok", "measured", "4"}, {"ok", "measured", "96"}})), 0u);
  EXPECT_EQ(row_to_repeat(rows_of({{"ok", "measured", "30"}})), std::nullopt);
  EXPECT_EQ(row_to_repeat(rows_of({{"ok", "model", "1"}, {"oom", "measured", "1"}})), std::nullopt);
}

TEST(NoiseFloor, OnlyABusyMachineIsNoted) {
  EXPECT_EQ(busy_note("1.00 3.00 3.00", 2), "");
  EXPECT_EQ(busy_note("", 2), "") << "the kernel does not say";
  EXPECT_THAT(busy_note("1.01 3.00 3.00", 2),
              HasSubstr("(load averages 1.01 3.00 3.00 on 2 cores)"));
  EXPECT_THAT(busy_note("0.60 0.10 0.10", 1), HasSubstr("on 1 core)"));
}

TEST(NoiseFloor, AFinishedRunKnowsWhatOneCaseDiffersFromItselfBy) {
  const ScratchFolder folder;
  FakeSweep sweep;
  int launches = 0;
  sweep.launcher.answer = [&](const Case&) {
    CaseResult result = good_result();
    const bool again = ++launches > 2;
    result.values.merge({{"provenance", "measured"},
                         {"critical_path_median_s", again ? "0.55" : "0.5"},
                         {"critical_path_low95_s", again ? "0.45" : "0.4"},
                         {"critical_path_high95_s", "0.6"}});
    return result;
  };
  const Spec spec = fake_spec({small_case(1000), small_case(2000)});
  RunOptions options;
  options.out = folder.path();
  options.run_id = "mine";
  options.noise_floor = true;
  const RunOutcome outcome = sweep.run(spec, options);
  ASSERT_EQ(launches, 3);
  EXPECT_EQ(sweep.launcher.launched.back().measure.verify_rows, 0);
  EXPECT_EQ(outcome.cases.size(), 2u) << "it is not a row";
  const Manifest manifest = read_manifest(outcome.folder);
  ASSERT_TRUE(manifest.noise_floor);
  EXPECT_DOUBLE_EQ(manifest.noise_floor->ratio, 1.1);
  EXPECT_DOUBLE_EQ(manifest.noise_floor->low, 0.75);
  EXPECT_DOUBLE_EQ(manifest.noise_floor->high, 1.5);
  EXPECT_THAT(sweep.said, HasSubstr("Noise check: cqs W=7 N="));
  EXPECT_THAT(sweep.said, HasSubstr("1.100 [0.750, 1.500]"));
  (void)sweep.run(spec, options);
  EXPECT_EQ(launches, 3) << "a finished run measures nothing";
}

}  // namespace
}  // namespace qb
