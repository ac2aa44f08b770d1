// SPDX-License-Identifier: Apache-2.0
// Runs the program as its users do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdlib>
#include <set>

#include "base/csv.h"
#include "base/files.h"
#include "base/testing/scratch_folder.h"
#include "harness/microbench/subject.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MicrobenchTest : public ::testing::Test {
 protected:
  // Returns the exit code; the output goes to console().
  [[nodiscard]] int microbench(const std::string& arguments) const {
    const std::string command = QB_MICROBENCH " " + arguments + " > " + folder_ / "console 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] std::string console() const { return read_file(folder_ / "console"); }

  ScratchFolder folder_;
};

TEST_F(MicrobenchTest, WritesARowARepeatWithItsCeiling) {
#ifdef QB_WITHOUT_ONEDNN
  GTEST_SKIP() << "materialized needs its matrix products";
#endif
  const std::string filter =
      "'^fma/f32|^sweep/(flash/f16/causal|materialized/f32/full)/n:128/d:64|^ring/n:1024'";
  ASSERT_EQ(microbench("--benchmark_filter=" + filter +
                       " --benchmark_repetitions=2 --out=" + folder_ / "run"),
            0)
      << console();
  const CsvTable table =
      CsvTable::parse(read_file(folder_ / "run/microbench.csv"), "microbench.csv");
  EXPECT_EQ(table.header(), microbench_columns());
  std::set<std::string> benchmarks;
  for (std::size_t row = 0; row < table.size(); ++row) {
    benchmarks.insert(table.text(row, "benchmark"));
    EXPECT_GT(table.number(row, "wall_time_s"), 0.0);
    // A warm-up, a repeat, and others where something disturbed it.
    const bool warmup = table.text(row, "warmup") == "1";
    const bool after_warmup = row > 0 && table.text(row - 1, "warmup") == "1";
    EXPECT_FALSE(warmup && after_warmup) << row;
    EXPECT_TRUE(warmup || after_warmup || (row > 0 && !table.text(row - 1, "disturbed_by").empty()))
        << row;
    if (table.text(row, "benchmark") == "flash") {
      EXPECT_GT(table.number(row, "peak_per_s"), 1e9);
      EXPECT_GT(table.number(row, "peak_fraction"), 0.0);
      EXPECT_EQ(table.text(row, "dtype"), "f16");
      EXPECT_EQ(table.text(row, "mask"), "causal");
      EXPECT_EQ(table.text(row, "workers"), "");
    }
    if (table.text(row, "benchmark") == "ring") {
      EXPECT_GT(table.number(row, "overhead"), 0.0);
    }
  }
  EXPECT_THAT(benchmarks, ::testing::ElementsAre("flash", "fma", "materialized", "ring"));
  EXPECT_THAT(read_file(folder_ / "run/manifest.json"), HasSubstr("device_fingerprint"));
  EXPECT_THAT(console(), HasSubstr("peak="));
  EXPECT_THAT(console(), HasSubstr("not measured"));
}

// In the manifest of the same run, which has the caches: a level that the machine does not name has
// no roof.
TEST_F(MicrobenchTest, ReadsOfCachesHaveARateWhereTheMachineNamesTheCache) {
  ASSERT_EQ(microbench("--benchmark_filter='^(exp2|read_l)' --benchmark_repetitions=2 --out=" +
                       folder_ / "run"),
            0)
      << console();
  const std::string manifest = read_file(folder_ / "run/manifest.json");
  const CsvTable table =
      CsvTable::parse(read_file(folder_ / "run/microbench.csv"), "microbench.csv");
  bool has_l2 = false;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string benchmark = table.text(row, "benchmark");
    if (!benchmark.starts_with("read_l")) continue;
    has_l2 |= benchmark == "read_l2";
    EXPECT_GT(table.number(row, "bytes") / table.number(row, "wall_time_s"), 0.0) << row;
    EXPECT_THAT(manifest, HasSubstr("\"level\": " + benchmark.substr(6)));
  }
  EXPECT_EQ(has_l2, manifest.find("\"level\": 2") != std::string::npos);
}

TEST_F(MicrobenchTest, QuickLeavesOutTheSweeps) {
  ASSERT_EQ(microbench("--quick --benchmark_list_tests"), 0);
  EXPECT_THAT(console(), HasSubstr("flash/f32/full/n:8192/d:64/h:8/threads:1"));
  EXPECT_THAT(console(), HasSubstr("backward/f32/causal/n:8192/d:128/h:1/threads:1"));
  EXPECT_THAT(console(), HasSubstr("cqs/n:16384/w:31"));
  EXPECT_THAT(console(), HasSubstr("cqs_backward/n:16384/w:7/h:1/threads:1"));
  EXPECT_THAT(console(), Not(HasSubstr("sweep/")));
}

TEST_F(MicrobenchTest, FailsOnBadUsageAndWhenNothingRan) {
  EXPECT_EQ(microbench("--no_such_flag"), 2);
  EXPECT_EQ(microbench("--benchmark_filter=nothing_is_called_so"), 1);
  EXPECT_EQ(microbench("--out=/proc/no/such --benchmark_filter=fma"), 3);
  EXPECT_EQ(microbench("--help"), 0);
  EXPECT_THAT(console(), HasSubstr("--out=DIR"));
}

}  // namespace
}  // namespace qb
