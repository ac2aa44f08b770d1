#include "harness/cli/views/reproduction.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/source_root.h"

namespace qb {
namespace {

CsvTable published() {
  return CsvTable::parse(read_file(source_path("data/published/cqs_case_study_2.csv")), "p");
}

TEST(Reproduction, ExactQuantitiesOfThePaperAgree) {
  EXPECT_EQ(compare_case_study_1().verdict, "agrees");
  for (const Reproduced& row : compare_interest_sets()) {
    EXPECT_EQ(row.published, "109");
    EXPECT_EQ(row.verdict, "agrees") << row.what << ": " << row.ours;
  }
  const auto rows = compare_subsequences(published());
  ASSERT_EQ(rows.size(), 4u);
  for (const Reproduced& row : rows) EXPECT_FALSE(row.differs) << row.what << ": " << row.ours;
}

TEST(Reproduction, SpeedUpsStandAtTheLargestCommonLengthBelowTheCliff) {
  const CsvTable cases = CsvTable::parse(
      "workers,n_tokens,longest_subsequence_median_s\n"
      "1,4000,0.4\n4,4000,0.2\n7,4000,0.1\n8,4000,\n1,3000,0.3\n8,3000,0.06\n1,4500,9\n4,4500,1\n",
      "c");
  const auto rows = compare_speed_ups(published(), cases, 10);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].what, "speed-up S, W = 4, N = 40000 / 10");
  EXPECT_EQ(rows[0].published, "1.67");
  EXPECT_EQ(rows[0].ours, "2.00");
  EXPECT_EQ(rows[0].verdict, "comparable");
  EXPECT_EQ(rows[2].what, "speed-up S, W = 8, N = 30000 / 10");
}

TEST(Reproduction, MemoryClaimNeedsAnOutOfMemoryRow) {
  const std::string header = "workers,n_tokens,status,active_memory_peak_bytes\n";
  const auto rows = compare_memory(
      CsvTable::parse(header + "1,100,ok,4096\n31,100,ok,64\n1,490,oom,\n31,490,ok,1024\n", "c"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].verdict, "claim shown");
  EXPECT_EQ(rows[0].ours, "oom | ok (1.00 KiB)");
  EXPECT_EQ(compare_memory(CsvTable::parse(header + "1,9,ok,4096\n31,9,ok,64\n", "c"))[0].verdict,
            "both fit");
  EXPECT_TRUE(compare_memory(CsvTable::parse(header + "7,9,ok,1\n", "c")).empty());
}

}  // namespace
}  // namespace qb
