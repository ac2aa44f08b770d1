// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/sets_view.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/csv.h"
#include "base/status.h"
#include "harness/cli/testing/run_binary.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SetsView, ShowsSourceRatioAndQuorums) {
  const std::string published = show_set(7);
  EXPECT_THAT(published, HasSubstr("interest set  0,1,3\n"));
  EXPECT_THAT(published, HasSubstr("source        published table"));
  EXPECT_THAT(published, HasSubstr("asym-RR       6.9095, balanced "));
  EXPECT_THAT(published, HasSubstr("\n     6  {6,0,2}           3\n"));
  EXPECT_THAT(published, HasSubstr("size          3 (singer; no set can have fewer than 3)"));
  EXPECT_THAT(show_set(100),
              HasSubstr("size          12 (optimal; no set can have fewer than 12)"));
  EXPECT_THAT(show_set(1024), HasSubstr("source        best known, stored"));
  EXPECT_THAT(show_set(1057), HasSubstr("no set can have fewer than 33"));
  EXPECT_THROW((void)show_set(2), UsageError);
}

std::string whole_csv(int workers, std::int64_t from, std::int64_t to) {
  std::string text;
  responsibility_csv(workers, from, to, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(SetsView, BalanceStandsBesideThePublishedRule) {
  const auto rows = compare_distillations();
  ASSERT_EQ(rows.size(), 109u);
  const std::string summary = balance_summary(rows);
  EXPECT_THAT(summary, HasSubstr("published, 0.98"));
  EXPECT_THAT(summary, HasSubstr("below published for 0 of 109 W"));
  EXPECT_THAT(summary, HasSubstr("more local tokens for 0.\n"));
  const CsvTable csv = distillation_csv(rows);
  EXPECT_EQ(csv.text(1, "workers"), "4");
  EXPECT_NEAR(csv.number(1, "published_asymptotic_responsibility_ratio"), 3.1963, 5e-5);
  EXPECT_GT(csv.number(1, "balanced_asymptotic_responsibility_ratio"), 3.95);
  EXPECT_THAT(table_markdown(distillation_table(rows)),
              HasSubstr("| 4 | 3 | 0,1,2 | 2 | 3.1963 |"));
}

TEST(SetsSearch, SaysWhatIsProvedAndRanks) {
  const std::string text = testing_support::run_qb("sets search --workers 8 --threads 2").out;
  EXPECT_THAT(text, HasSubstr("size          4\n"));
  EXPECT_THAT(text, HasSubstr("proved        minimum"));
  EXPECT_THAT(text, HasSubstr("(with 0 and 1)"));
  EXPECT_THAT(text, HasSubstr("Best by longest subsequence"));
  const CsvTable ranked = CsvTable::parse(
      testing_support::run_qb("sets search --workers 8 --threads 2 --csv").out, "csv");
  EXPECT_THAT(text, HasSubstr(fmt::format("sets          {} (", ranked.size())));
  for (std::size_t row = 0; row < ranked.size(); ++row) {
    std::string residues = ranked.text(row, "interest_set");
    std::ranges::replace(residues, ' ', ',');
    EXPECT_EQ(ranked.number(row, "asymptotic_responsibility_ratio"),
              asymptotic_responsibility_ratio(parse_interest_set(residues, 8)));
  }
  EXPECT_THAT(testing_support::run_qb("sets search --workers 8 --size 3").out,
              HasSubstr("no interest set of 3 residues exists"));
}

TEST(SetsSearch, ProgressSaysWhatIsDoneAndWhatIsLeft) {
  SearchState state;
  state.modulus = 8;
  state.sizes[3] = {.tasks = 4, .played = 1, .found = {}};
  EXPECT_EQ(progress_line(state, 3, 2.0),
            "m = 3: 1 of 4 tasks, 0 orbits, 2.00 s, about 6.00 s to go");
}

TEST(SetsView, ResponsibilityCsvHasEveryMinimumSetAtEveryN) {
  const CsvTable table = CsvTable::parse(whole_csv(7, 10, 14), "csv");
  EXPECT_THAT(table.header(),
              ElementsAre("workers", "interest_set", "n_tokens", "responsibility_ratio"));
  ASSERT_EQ(table.size(), 10u);
  EXPECT_THAT(table.row(0), ElementsAre("7", "0 1 3", "10", "5.0"));
  EXPECT_THAT(table.row(4), ElementsAre("7", "0 1 3", "14", "7.0"));
  EXPECT_THAT(table.row(9), ElementsAre("7", "0 1 5", "14", "7.0"));
}

TEST(SetsView, ResponsibilityCsvIsWholeAcrossItsPieces) {
  const std::int64_t from = 7;
  const std::int64_t to = 70'000;
  const CsvTable table = CsvTable::parse(whole_csv(7, from, to), "csv");
  ASSERT_EQ(static_cast<std::int64_t>(table.size()), 2 * (to - from + 1));
  for (std::size_t row : {std::size_t{65535}, std::size_t{65536}, std::size_t{69993}}) {
    const auto n_tokens = from + static_cast<std::int64_t>(row);
    EXPECT_EQ(table.number(row, "n_tokens"), static_cast<double>(n_tokens));
    EXPECT_EQ(table.number(row, "responsibility_ratio"),
              responsibility_ratio({7, {0, 1, 3}}, n_tokens));
  }
}

TEST(SetsView, ResponsibilityTableGivesTheMeanOverTheRange) {
  const std::string table = responsibility_table(8, 320, 327);
  EXPECT_THAT(table, HasSubstr("{0,1,2,4}      7.0752   7.0752    6.9816       7.1263\n"));
}

TEST(SetsView, ResponsibilityRefusesImpossibleRangesAtOnce) {
  EXPECT_THROW((void)whole_csv(7, 6, 20), UsageError);
  EXPECT_THROW((void)whole_csv(7, 20, 19), UsageError);
  EXPECT_THROW((void)whole_csv(7, 7, 9'000'000'000'000'000'000), UsageError);
  EXPECT_THROW((void)whole_csv(2, 7, 20), UsageError);
  EXPECT_THROW((void)responsibility_table(66, 70, 71), UsageError);
  EXPECT_THROW((void)responsibility_table(7, 20, 19), UsageError);
}

}  // namespace
}  // namespace qb
