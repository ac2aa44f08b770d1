#include "harness/cli/views/bounds_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.h"
#include "base/status.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::run_qb;
using testing_support::Said;

TEST(BoundsView, SpeedUpsHavePrintedOursAndAVerdictByEitherCount) {
  const auto& rows = published_speed_ups();
  const std::string text = speed_up_table({rows.data(), 1}, TableForm::terminal);
  EXPECT_THAT(text, HasSubstr("3  A100 80GB NVLink     1B   2x4             4096     1.46"));
  EXPECT_THAT(text, HasSubstr("1.4678  one unit off"));
  EXPECT_THAT(text, HasSubstr("agrees\n"));
  const CsvTable csv = CsvTable::parse(speed_up_table(rows, TableForm::csv), "csv");
  ASSERT_EQ(csv.size(), 190u);
  EXPECT_EQ(csv.text(0, "published_max_speed_up_ratio"), "1.46");
  EXPECT_NEAR(csv.number(0, "layers_max_speed_up_ratio"), 1.4678, 1e-4);
  EXPECT_EQ(csv.text(0, "layers_and_vocabulary_verdict"), "agrees");
}

TEST(BoundsView, SpeedUpSummaryCountsAndFits) {
  EXPECT_THAT(speed_up_summary(published_speed_ups()),
              AllOf(HasSubstr("157 of 190 agree"), HasSubstr("33 one unit off, 0 differ"),
                    HasSubstr("166, for w = 1.23"), HasSubstr("190 of 190 agree")));
}

TEST(BoundsView, MinimumBlocksNameTheHostThatDiffers) {
  const auto& rows = published_min_blocks();
  EXPECT_THAT(min_block_table(rows, TableForm::markdown),
              HasSubstr("| A100 InfiniBand | 312 T | 12.5 G | 24.5 | 24.960 | differs | 149.5 | "
                        "149.760 | differs |\n"));
  EXPECT_EQ(min_block_summary(rows), "8 of 10 printed values agree; look at A100 InfiniBand.\n");
}

TEST(BoundsView, AMachineOfOnesOwn) {
  EXPECT_EQ(own_min_block_table({312e12, 300e9, 2, 32, 8}, TableForm::csv),
            "blocks,min_tokens_per_worker\n"
            "whole blocks,260\n"
            "\"balanced causal (striped, zigzag)\",520\n");
  EXPECT_THROW((void)own_min_block_table({312e12, 300e9, 2, 32, 5}, TableForm::csv), UsageError);
}

TEST(BoundsView, BytesHaveARowForEachTransferAndATotalForEachScheme) {
  const SplitProblem problem{
      .new_tokens = 8192, .workers = 8, .q_heads = 8, .kv_heads = 2, .head_dim = 64};
  const CsvTable csv = CsvTable::parse(sent_bytes_table(problem, TableForm::csv), "csv");
  EXPECT_THAT(csv.row(0), ElementsAre("pass_kv", "ring hop", "sent", "7", "524288", "3670016",
                                      "2 (P/W + T/W) NKV d e", ""));
  const std::string summary = sent_bytes_summary(problem);
  EXPECT_THAT(summary, HasSubstr("pass_kv 3.50 MiB"));
  EXPECT_THAT(summary, HasSubstr("pass_q 21.22 MiB"));  // 7 MiB of hops, 14.22 MiB of partials
}

TEST(BoundsView, ASchemeWithoutAPlanSaysWhyAndHasNoNumbers) {
  const SplitProblem two{.new_tokens = 64, .workers = 2, .q_heads = 4, .kv_heads = 4};
  EXPECT_THAT(sent_bytes_table(two, TableForm::terminal), HasSubstr("cqs needs 3 workers"));
  EXPECT_THAT(sent_bytes_summary(two), Not(HasSubstr("cqs")));
  const CsvTable csv = CsvTable::parse(sent_bytes_table(two, TableForm::csv), "csv");
  EXPECT_EQ(csv.text(csv.size() - 1, "total_bytes"), "");
}

TEST(Bounds, VerbPrintsTablesAndRefusesBadWords) {
  const Said bytes = run_qb(
      "bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64 "
      "--dtype bf16");
  EXPECT_EQ(bytes.exit_code, 0) << bytes.err;
  EXPECT_THAT(bytes.out, AllOf(HasSubstr("tree_decode"), HasSubstr("in all: ")));
  EXPECT_EQ(run_qb("bounds tms --markdown").exit_code, 0);
  EXPECT_THAT(run_qb("bounds tms --csv").out, Not(HasSubstr("of 190 agree")));
  EXPECT_EQ(run_qb("bounds min-block").exit_code, 0);
  EXPECT_EQ(run_qb("bounds min-block --compute 312e12 --bandwidth 25e9").exit_code, 0);
  for (const char* words :
       {"bounds", "bounds tmx", "bounds bytes", "bounds bytes --n-tokens 0 --workers 2",
        "bounds bytes --n-tokens 9 --workers 2 --q-heads 3 --kv-heads 2",
        "bounds bytes --n-tokens 1e30 --workers 2", "bounds min-block --compute 1e12",
        "bounds min-block --compute -1 --bandwidth 1", "bounds min-block --q-heads 8",
        "bounds min-block --compute nan --bandwidth 1", "bounds tms --csv --markdown"})
    EXPECT_EQ(run_qb(words).exit_code, 2) << words;
}

}  // namespace
}  // namespace qb
