#include "kernels/microbench/sample_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/base/csv.h"
#include "harness/base/status.h"
#include "harness/files/files.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

class SampleReporterTest : public ::testing::Test {
 protected:
  SampleReporterTest() {
    std::string pattern = ::testing::TempDir() + "microbench_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~SampleReporterTest() override { std::filesystem::remove_all(folder_); }

  // Runs the registered benchmarks that match; what the console shows goes to console_.
  void run(SampleReporter& reporter, const std::string& filter) {
    reporter.SetOutputStream(&console_);
    reporter.SetErrorStream(&console_);
    benchmark::RunSpecifiedBenchmarks(&reporter, filter);
  }
  [[nodiscard]] std::string path() const { return folder_ + "/samples.csv"; }

  std::string folder_;
  std::ostringstream console_;
};

void register_fakes() {
  static const bool once = [] {
    benchmark::RegisterBenchmark("good",
                                 [](benchmark::State& state) {
                                   while (state.KeepRunning()) state.SetIterationTime(0.25);
                                   state.counters["flop"] =
                                       benchmark::Counter(1e9, benchmark::Counter::kIsRate);
                                 })
        ->ArgNames({"n"})
        ->Arg(7)
        ->Iterations(1)
        ->Repetitions(3)
        ->UseManualTime();
    benchmark::RegisterBenchmark("bad",
                                 [](benchmark::State& state) { state.SkipWithError("ran out"); })
        ->Iterations(1)
        ->Repetitions(2)
        ->UseManualTime();
    return true;
  }();
  (void)once;
}

TEST_F(SampleReporterTest, WritesARowARepeatAndMarksTheFirstAsWarmUp) {
  register_fakes();
  SampleReporter reporter(path(), false);
  run(reporter, "good");
  const CsvTable table = CsvTable::parse(read_file(path()), path());
  EXPECT_EQ(table.header(), microbench_columns());
  ASSERT_EQ(table.size(), 3u);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(table.text(row, "case_id"), "good/n:7");
    EXPECT_EQ(table.text(row, "repeat"), std::to_string(row));
    EXPECT_EQ(table.text(row, "warmup"), row == 0 ? "1" : "0");
    EXPECT_EQ(table.text(row, "wall_time_s"), "0.25");
    EXPECT_EQ(table.text(row, "merge_s"), "");
  }
  EXPECT_EQ(reporter.succeeded(), 3);
  EXPECT_THAT(console_.str(), HasSubstr("flop=4G/s"));
}

TEST_F(SampleReporterTest, FailedRunsGiveNoRowAndAreCounted) {
  register_fakes();
  SampleReporter reporter(path(), false);
  run(reporter, "bad");
  EXPECT_EQ(CsvTable::parse(read_file(path()), path()).size(), 0u);
  EXPECT_EQ(reporter.succeeded(), 0);
  EXPECT_GT(reporter.failed(), 0);
  EXPECT_THAT(console_.str(), HasSubstr("ran out"));
}

TEST_F(SampleReporterTest, AFileThatCannotBeWrittenIsAnEnvironmentError) {
  EXPECT_THROW(SampleReporter(folder_ + "/missing/samples.csv", false), EnvironmentError);
}

// Exit code of the microbench program, whose output goes to a file of the folder.
int microbench(const std::string& arguments, const std::string& folder) {
  const std::string command =
      std::string(QB_MICROBENCH) + " " + arguments + " > " + folder + "/console 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(SampleReporterTest, TheProgramRunsATinyBenchmarkOfEachPart) {
  const std::string filter = "'(^[a-z_]+|/f16/causal)/n:256/d:64/threads:1/'";
  ASSERT_EQ(
      microbench("--benchmark_filter=" + filter + " --benchmark_repetitions=2 --csv=" + path(),
                 folder_),
      0);
  const CsvTable table = CsvTable::parse(read_file(path()), path());
  std::vector<std::string> cases;
  for (std::size_t row = 0; row < table.size(); row += 2) {
    cases.push_back(table.text(row, "case_id"));
    EXPECT_GT(table.number(row, "wall_time_s"), 0.0);
  }
  const std::string shape = "/n:256/d:64/threads:1";
  EXPECT_THAT(
      cases, ::testing::ElementsAre("score_product" + shape, "softmax" + shape,
                                    "value_product" + shape, "merge" + shape, "gather" + shape,
                                    "materialized/f16/causal" + shape, "flash/f16/causal" + shape));
  EXPECT_THAT(read_file(folder_ + "/console"), HasSubstr("flop="));
}

TEST_F(SampleReporterTest, TheProgramFailsOnBadUsageAndWhenNothingRan) {
  EXPECT_EQ(microbench("--no_such_flag", folder_), 2);
  EXPECT_EQ(microbench("--benchmark_filter=nothing_is_called_so", folder_), 1);
  EXPECT_EQ(microbench("--csv=/no/such/folder/x.csv --benchmark_filter=gather", folder_), 3);
  EXPECT_EQ(microbench("--help", folder_), 0);
  EXPECT_THAT(read_file(folder_ + "/console"), HasSubstr("--csv=FILE"));
}

}  // namespace
}  // namespace qb
