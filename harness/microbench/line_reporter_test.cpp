// SPDX-License-Identifier: Apache-2.0
// Checks what the terminal shows of Google Benchmark's results, in whichever release it is.
#include "harness/microbench/line_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LineReporter, ABenchmarkIsALineAndAFailedOneItsReason) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("half_a_second",
                               [](benchmark::State& state) {
                                 while (state.KeepRunning()) state.SetIterationTime(0.5);
                                 state.counters["peak"] = 0.75;
                               })
      ->Iterations(1)
      ->Repetitions(3)
      ->UseManualTime();
  benchmark::RegisterBenchmark(
      "broken", [](benchmark::State& state) { state.SkipWithError("there is no such tensor"); });
  LineReporter reporter;
  std::ostringstream lines;
  std::ostringstream failures;
  reporter.SetOutputStream(&lines);
  reporter.SetErrorStream(&failures);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  EXPECT_THAT(lines.str(), StartsWith("half_a_second "));
  EXPECT_THAT(lines.str(), HasSubstr("500.00 ms"));
  EXPECT_THAT(lines.str(), HasSubstr("75.0 % of the ceiling"));
  EXPECT_EQ(failures.str(), "broken: there is no such tensor\n");
  EXPECT_EQ(reporter.succeeded(), 1);
  EXPECT_EQ(reporter.failed(), 1);
}

}  // namespace
}  // namespace qb
