#include "harness/cli/views/reproduction.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/numbers.h"
#include "base/source_root.h"

namespace qb {
namespace {

CsvTable published() {
  return CsvTable::parse(read_file(source_path("data/published/cqs_case_study_2.csv")), "p");
}

TEST(Reproduction, ExactQuantitiesOfThePaperAgree) {
  EXPECT_EQ(compare_case_study_1().verdict.text(), "agrees");
  const auto sets = compare_interest_sets();
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].published, "109");
  EXPECT_EQ(sets[0].verdict.text(), "agrees");
  EXPECT_EQ(sets[1].ours, "101");
  EXPECT_EQ(sets[1].verdict.text(), "within one unit of the last digit");
  const auto rows = compare_subsequences(published());
  ASSERT_EQ(rows.size(), 4u);
  for (const Reproduced& row : rows)
    EXPECT_NE(row.verdict.answer, Answer::contradicts) << row.what << ": " << row.ours;
}

// Published S of W = 4 at N = 10000 and 40000: 1.39 and 1.67; of W = 7: 2.41 and 4.39.
// spread: the ends of each interval over its median.
CsvTable cases(const std::string& four, const std::string& seven, const std::string& by = "",
               double spread = 1.001) {
  const CsvTable medians = CsvTable::parse(
      "workers,n_tokens,longest_subsequence_median_s,disturbed_by\n1,1000,0.1,\n1,4000,1.6,\n"
      "1,4500,9,\n4,4500,1,\n8,4000,,\n" +
          four + "\n" + seven + by + "\n",
      "c");
  std::vector<std::string> header = medians.header();
  header.insert(header.end(), {"longest_subsequence_low95_s", "longest_subsequence_high95_s"});
  CsvTable table(header);
  for (std::size_t row = 0; row < medians.size(); ++row) {
    std::vector<std::string> fields;
    for (const std::string& column : medians.header()) fields.push_back(medians.text(row, column));
    const double median_s = medians.number(row, "longest_subsequence_median_s");
    fields.insert(fields.end(), {to_text(median_s / spread), to_text(median_s * spread)});
    table.append(fields);
  }
  return table;
}
constexpr const char* kFour = "4,1000,0.08,\n4,4000,0.8,";    // S = 1.25, 2
constexpr const char* kSeven = "7,1000,0.04,\n7,4000,0.25,";  // S = 2.5, 6.4

TEST(Reproduction, SpeedUpsOfTheSameShapeAgreeBelowTheCliff) {
  const auto rows = compare_speed_ups(published(), cases(kFour, kSeven), 10);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].what, "speed-up S over N, W = 4");
  EXPECT_EQ(rows[0].published, "1.39 1.67");
  EXPECT_EQ(rows[0].ours, "1.25 2.00");
  EXPECT_EQ(rows[0].verdict.text(), "shape agrees");
  EXPECT_EQ(rows[2].what, "speed-up S over W, N = 40000 / 10");
  EXPECT_EQ(rows[2].verdict.text(), "shape agrees");
}

TEST(Reproduction, ASpeedUpThatIsALossHereContradicts) {
  const auto rows = compare_speed_ups(published(), cases("4,4000,2.5,", kSeven), 10);
  EXPECT_EQ(rows[0].verdict.text(), "contradicts: at 40000 published is above 1 and ours below");
  EXPECT_EQ(rows[1].verdict.text(), "shape agrees");
}

TEST(Reproduction, AnotherOrderOfWorkersContradicts) {
  const auto rows = compare_speed_ups(published(), cases(kFour, "7,1000,0.07,\n7,4000,1.5,"), 10);
  EXPECT_EQ(rows[2].verdict.text(), "contradicts: from 4 to 7 published rises and ours falls");
}

TEST(Reproduction, WideIntervalsDecideNothing) {
  const auto rows = compare_speed_ups(published(), cases("4,4000,1.62,", kSeven, "", 1.2), 10);
  EXPECT_EQ(rows[0].verdict.text(),
            "not comparable because our intervals leave it open: at 40000 published is above 1 and "
            "ours below");
}

TEST(Reproduction, CurvesWithADisturbedCaseAreNotJudged) {
  const auto rows = compare_speed_ups(published(), cases(kFour, kSeven, "neighbours"), 10);
  EXPECT_EQ(rows[0].verdict.text(), "shape agrees");  // W = 4 is not that case
  EXPECT_EQ(rows[1].verdict.text(), "disturbed by neighbours");
  EXPECT_EQ(rows[2].verdict.text(), "disturbed by neighbours");
}

TEST(Reproduction, SpeedUpsBeyondTheCliffAreDisputedTheLargestFirst) {
  const auto rows = compare_disputed(published(), cases(kFour, kSeven), 10);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].what, "disputed: S at N = 45000 to 49000, W = 31");
  EXPECT_EQ(rows[0].published, "270.94 287.80 293.28 272.34 302.17");
  EXPECT_EQ(rows[0].ours, "- - - - -");
  EXPECT_EQ(rows[3].ours, "9.00 - - - -");
  EXPECT_EQ(rows[3].verdict.text(),
            "contradicts: from N = 40000 to 45000 the published time of the whole sequence grows "
            "28.7 times, its scores 1.27 times");
  EXPECT_FALSE(rows[3].exact);
}

TEST(Reproduction, WithoutALeapNothingIsDisputed) {
  const CsvTable smooth = CsvTable::parse(
      "workers,n_tokens,published_mean_ms\n1,40000,10\n1,45000,13\n4,45000,5\n", "p");
  EXPECT_TRUE(compare_disputed(smooth, cases(kFour, kSeven), 10).empty());
}

TEST(Reproduction, MemoryClaimNeedsAnOutOfMemoryRow) {
  const std::string header = "workers,n_tokens,status,active_memory_peak_bytes\n";
  const auto rows = compare_memory(
      CsvTable::parse(header + "1,100,ok,4096\n31,100,ok,64\n1,490,oom,\n31,490,ok,1024\n", "c"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].verdict.text(), "agrees");
  EXPECT_EQ(rows[0].ours, "oom | ok (1.00 KiB)");
  EXPECT_EQ(
      compare_memory(CsvTable::parse(header + "1,9,ok,4096\n31,9,ok,64\n", "c"))[0].verdict.text(),
      "not comparable because this machine\'s memory holds both");
  EXPECT_TRUE(compare_memory(CsvTable::parse(header + "7,9,ok,1\n", "c")).empty());
}

}  // namespace
}  // namespace qb
