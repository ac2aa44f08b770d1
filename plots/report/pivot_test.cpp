// SPDX-License-Identifier: Apache-2.0
#include "plots/report/pivot.h"

#include <gmock/gmock.h>

#include "base/status.h"
#include "plots/frame/lines.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Table pivoted(const CsvTable& cases, const Pivot& pivot) {
  return pivot_table(standing_rows(cases), pivot);
}

TEST(Pivot, ParametersStandDownTheSideAndAcrossTheTopInAscendingOrder) {
  const CsvTable cases =
      cases_of({ok_case(7, 1000, 0.5), ok_case(1, 20000, 1.0), ok_case(1, 1000, 1.0)});
  const Table table = pivoted(
      cases,
      {.rows = {"n_tokens"}, .columns = {"workers"}, .values = {"longest_subsequence_tokens"}});
  EXPECT_EQ(table.title, "Longest subsequence tokens (tokens)");
  EXPECT_THAT(table.header, ElementsAre("N", "W = 1", "W = 7"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("1,000", "1,000", "500"),
                                      ElementsAre("20,000", "20,000", "")));
}

TEST(Pivot, TimesHaveAUnitThatSuitsTheLargestAndTheNotesTheirRepeats) {
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0)});
  const Table table = pivoted(
      cases, {.rows = {"n_tokens"}, .values = {"longest_subsequence_median_s"}, .interval = true});
  EXPECT_THAT(table.header, ElementsAre("N", "longest subsequence"));
  EXPECT_EQ(table.title, "Longest subsequence (ms)");
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("1,000", "20.0 [18.6, 22.4]")));
  EXPECT_THAT(
      table.notes.at(0),
      "Medians of 5 repeats; the intervals contain them with a probability of 93.7 % or more.");
}

TEST(Pivot, ASpeedUpIsOverOneWorkerAndThatOneItselfIsOne) {
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0), ok_case(7, 1000, 0.5)});
  const Table table = pivoted(cases, {.rows = {"n_tokens"},
                                      .columns = {"workers"},
                                      .values = {"paper_speed_up"},
                                      .interval = true});
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("1,000", "1.00", HasSubstr("4.00 ["))));
  EXPECT_THAT(table.title, HasSubstr("over one worker"));
}

TEST(Pivot, ABaseIsTheCaseWithThoseParametersAndElseTheSame) {
  const auto with = [](Values values, const std::string& column, const std::string& value) {
    values[column] = value;
    values["case_id"] += value;
    return values;
  };
  const Values flash = with(ok_case(7, 1000, 0.5), "kernel", "flash");
  const CsvTable cases = cases_of({ok_case(7, 1000, 0.5), flash, ok_case(1, 1000, 1.0),
                                   with(ok_case(1, 1000, 0.5), "kernel", "flash")});
  const Pivot over_materialized{.rows = {"workers"},
                                .columns = {"kernel"},
                                .values = {"paper_speed_up"},
                                .base = {{"kernel", "materialized"}}};
  EXPECT_THAT(pivoted(cases, over_materialized).rows,
              ElementsAre(ElementsAre("1", "4.00", "1.00"), ElementsAre("7", "1.00", "1.00")));
  // Another algorithm may have another number of workers.
  const Pivot over_dense{.rows = {"workers"},
                         .columns = {"kernel"},
                         .values = {"paper_speed_up"},
                         .base = {{"algorithm", "dense"}}};
  EXPECT_THAT(pivoted(cases, over_dense).rows,
              ElementsAre(ElementsAre("1", "1.00", "1.00"), ElementsAre("7", "1.00", "4.00")));
}

TEST(Pivot, CasesWithoutAValueHaveTheirStatusAndDisturbedOnesAMark) {
  Values late = ok_case(7, 1000, 0.5);
  late["disturbed_by"] = "neighbours";
  late["disturbed_samples"] = "3";
  Values failed = ok_case(8, 1000, 0.5);
  failed["status"] = "oom";
  const CsvTable cases = cases_of({late, failed});
  const Table table =
      pivoted(cases, {.rows = {"workers"}, .values = {"longest_subsequence_median_s"}});
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("7", "5.00*"), ElementsAre("8", "oom")));
  EXPECT_THAT(table.notes,
              Contains(testing::StartsWith("* Too few of its repeats were undisturbed")));
}

TEST(Pivot, RatiosStandBesideTheNoiseFloorOfTheirRun) {
  const CsvTable cases = cases_of({ok_case(7, 1000, 0.5), ok_case(1, 1000, 1.0)});
  Pivot pivot{
      .rows = {"workers"}, .values = {"paper_speed_up"}, .noise_floor = "A/A, measured twice"};
  EXPECT_THAT(pivoted(cases, pivot).notes, Contains("A/A, measured twice."));
  pivot.values = {"longest_subsequence_median_s"};
  EXPECT_THAT(pivoted(cases, pivot).notes, testing::Not(Contains("A/A, measured twice.")));
}

TEST(Pivot, ModelledTimesSaySo) {
  Values predicted = ok_case(7, 1000, 0.5);
  predicted["ranks"] = "model";
  const Pivot times = {.rows = {"workers"}, .values = {"longest_subsequence_median_s"}};
  const Table mixed = pivoted(cases_of({predicted, ok_case(8, 1000, 0.5)}), times);
  EXPECT_THAT(mixed.rows, ElementsAre(ElementsAre("7", "5.00 (model)"), ElementsAre("8", "5.00")));
  EXPECT_THAT(mixed.notes, Contains(kModelNote));
  const Table alone = pivoted(cases_of({predicted}), times);
  EXPECT_THAT(alone.rows, ElementsAre(ElementsAre("7", "5.00")));
  EXPECT_THAT(alone.notes, Contains(kModelNote));
}

TEST(Pivot, ProgramsGetColumnNamesSiUnitsEveryDigitAndEmptyCells) {
  Values failed = ok_case(8, 1000, 0.5);
  failed["status"] = "oom";
  const CsvTable cases = cases_of({ok_case(7, 1000, 0.5), failed});
  const Table table = pivoted(cases, {.rows = {"n_tokens"},
                                      .columns = {"workers"},
                                      .values = {"longest_subsequence_median_s"},
                                      .interval = true,
                                      .plain = true});
  EXPECT_THAT(table.header,
              ElementsAre("n_tokens", "7", "7_low", "7_high", "8", "8_low", "8_high"));
  EXPECT_THAT(table.rows.at(0),
              ElementsAre("1000", "0.005", HasSubstr("0.0046"), HasSubstr("0.0056"), "", "", ""));
}

TEST(Pivot, NamesAreAsPeopleTypeThem) {
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0), ok_case(7, 1000, 0.5)});
  const Table whole =
      pivoted(cases, {.rows = {"workers"}, .values = {"longest_subsequence_median_s"}});
  for (const char* typed : {"longest_subsequence", "Longest subsequence", "longest-subsequence"})
    EXPECT_EQ(pivoted(cases, {.rows = {"W"}, .values = {typed}}).rows, whole.rows) << typed;
}

TEST(Pivot, SeveralValuesStandBesideEachOtherEachInItsUnit) {
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0), ok_case(7, 1000, 0.5)});
  const Columns values = {"longest_subsequence", "paper_speed_up"};
  const Table flat = pivoted(cases, {.rows = {"workers"}, .values = values});
  EXPECT_THAT(flat.header,
              ElementsAre("W", "longest subsequence (ms)", "speed-up S (longest worker)"));
  EXPECT_THAT(flat.rows,
              ElementsAre(ElementsAre("1", "20.0", "1.00"), ElementsAre("7", "5.00", "4.00")));
  EXPECT_THAT(flat.title, testing::EndsWith("speed-ups are over one worker"));
  const Table wide =
      pivoted(cases, {.rows = {"n_tokens"}, .columns = {"workers"}, .values = values});
  EXPECT_THAT(wide.header, ElementsAre("N", "W = 1", "W = 7", "W = 1", "W = 7"));
  ASSERT_EQ(wide.spans.size(), 3u);
  EXPECT_EQ(wide.spans[1].title, "longest subsequence (ms)");
  EXPECT_EQ(wide.spans[1].columns, 2u);
  EXPECT_THAT(wide.rows, ElementsAre(ElementsAre("1,000", "20.0", "5.00", "1.00", "4.00")));
  const Table plain = pivoted(
      cases, {.rows = {"n_tokens"}, .columns = {"workers"}, .values = values, .plain = true});
  EXPECT_THAT(
      table_csv(plain),
      testing::StartsWith("n_tokens,longest_subsequence_median_s 1,longest_subsequence_"
                          "median_s 7,paper_speed_up 1,paper_speed_up 7\n1000,0.02,0.005,"));
}

TEST(Pivot, ARootCountsAsADeviceAsInFigures) {
  Values cqs = ok_case(7, 1000, 0.5);
  for (const auto& [column, mib] : {std::pair("device_sent_bytes", 1),
                                    {"root_sent_bytes", 24},
                                    {"device_peak_bytes", 5},
                                    {"root_peak_bytes", 13}})
    cqs[column] = fmt::to_string(mib * 1024 * 1024);
  const Columns values = {"device_sent", "device_peak", "device_sent_bytes"};
  const Table table = pivoted(cases_of({cqs}), {.rows = {"workers"}, .values = values});
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("7", "24.0", "13.0", "1.00")));
  EXPECT_THAT(table.notes,
              ::testing::IsSupersetOf({"A root that scatters the shards counts as a device.",
                                       "device_sent_bytes is without a root that scatters: see "
                                       "root_sent_bytes."}));
  EXPECT_EQ(std::ranges::count(table.notes, "A root that scatters the shards counts as a device."),
            1);
  EXPECT_THAT(
      pivoted(cases_of({ok_case(7, 1000, 0.5)}), {.rows = {"workers"}, .values = values}).notes,
      testing::Not(Contains(HasSubstr("root"))));
}

TEST(Pivot, NamesWhatCasesWereChosenByAndTheUsualValueBesideOthers) {
  const auto with = [](Values values, const std::string& inputs) {
    values["inputs"] = inputs;
    values["case_id"] += inputs;
    return values;
  };
  const CsvTable cases =
      cases_of({with(ok_case(1, 1000, 1.0), "random"), with(ok_case(1, 1000, 1.0), "peaked")});
  const Pivot across{
      .rows = {"n_tokens"}, .columns = {"inputs"}, .values = {"longest_subsequence"}};
  EXPECT_THAT(pivoted(cases, across).header, ElementsAre("N", "peaked keys", "random keys"));
  const Rows random =
      where(standing_rows(cases), [](const Row& row) { return row.is("inputs", "random"); });
  const Pivot chosen{.values = {"longest_subsequence"}, .filtered = {"inputs", "kernel"}};
  EXPECT_THAT(
      pivot_table(random, chosen).notes.back(),
      ::testing::AllOf(HasSubstr("materialized kernel"), ::testing::EndsWith(", random keys")));
}

TEST(Pivot, SaysThatNoCaseHasAValueAndWhatItsForecastIs) {
  Values values = ok_case(1, 1000, 1.0);
  values["device_peak_bytes"] = "";
  values["predicted_device_peak_bytes"] = "1024";
  EXPECT_THAT(
      pivoted(cases_of({values}), {.rows = {"n_tokens"}, .values = {"time", "device_peak_bytes"}})
          .notes,
      Contains("No case has device_peak_bytes. Its forecast is "
               "predicted_device_peak_bytes."));
}

TEST(Pivot, AnUnsupportedCaseIsADashAndANoteSaysWhy) {
  Values failed = ok_case(2, 1000, 0.5);
  failed["status"] = "unsupported";
  failed["message"] = "cqs needs three workers";
  const Table table = pivoted(cases_of({failed, ok_case(7, 1000, 0.5)}),
                              {.rows = {"workers"}, .values = {"longest_subsequence"}});
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("2", "-"), ElementsAre("7", "5.00")));
  EXPECT_THAT(table.notes, Contains("-: unsupported: cqs needs three workers (1 case)."));
  EXPECT_THAT(table_terminal(table), HasSubstr("2                    -\n"));
}

TEST(Pivot, WhatWasNotTriedIsOutOfMemoryToo) {
  Values failed = ok_case(8, 1000, 0.5);
  failed["status"] = "oom_skipped";
  const Table table = pivoted(cases_of({failed, ok_case(7, 1000, 0.5)}),
                              {.rows = {"workers"}, .values = {"longest_subsequence"}});
  EXPECT_THAT(table.rows.at(1), ElementsAre("8", "oom"));
  EXPECT_THAT(table.notes,
              Contains("oom: out of memory; 1 case not tried, since a shorter one was."));
}

// A table of `schemes` columns whose medians have intervals.
std::string fitted(int schemes, double width_in) {
  std::vector<Values> all;
  for (int i = 0; i < schemes; ++i) all.push_back(ok_case(3 + i, 1000, 0.5));
  const CsvTable cases = cases_of(all);
  return fitted_latex(standing_rows(cases),
                      {.rows = {"n_tokens"},
                       .columns = {"workers"},
                       .values = {"longest_subsequence"},
                       .interval = true},
                      width_in * kPointsPerInch);
}

TEST(Pivot, LatexGivesUpNoMoreThanItsWidthNeeds) {
  EXPECT_THAT(fitted(2, 3.5),
              testing::AllOf(HasSubstr("\\small\\"), HasSubstr("5.00 [4.65, 5.60]")));
  const std::string five = fitted(5, 3.5);
  EXPECT_THAT(
      five, HasSubstr(" & 5.00 & 5.00 & 5.00 & 5.00 & 5.00 \\\\\n & \\scriptsize [4.65, 5.60] &"));
  EXPECT_THAT(five, testing::Not(HasSubstr("\\rotatebox")));
  const std::string six = fitted(6, 3.5);
  EXPECT_THAT(six, HasSubstr("\\scriptsize [4.7, 5.6] &"));
  EXPECT_THAT(six, testing::Not(HasSubstr("\\rotatebox"))) << "its heads are short";
  EXPECT_THAT(fitted(9, 7.16), testing::StartsWith("\\begin{table*}"));
}

TEST(Pivot, WhatCannotFitIsASentenceWithTheWidthItNeeds) {
  EXPECT_THAT([&] { (void)fitted(12, 2.0); },
              ThrowsMessage<UsageError>(HasSubstr("the table needs a width of")));
}

TEST(Pivot, UnknownNamesAndSharedCellsAreSentences) {
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0), ok_case(7, 1000, 0.5)});
  EXPECT_THAT([&] { (void)pivoted(cases, {.rows = {"worker"}, .values = {"time"}}); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean 'workers'?")));
  EXPECT_THAT([&] { (void)pivoted(cases, {.rows = {"workers"}, .values = {"speedup"}}); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean 'speed_up'?")));
  EXPECT_THAT([&] { (void)pivoted(cases, {.rows = {"workers"}, .values = {"critical_pth"}}); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean 'critical_path'?")));
  EXPECT_THAT([&] { (void)pivoted(cases, {.rows = {"n_tokens"}, .values = {"time"}}); },
              ThrowsMessage<UsageError>(HasSubstr("several cases share a cell")));
  const CsvTable lengths = cases_of({ok_case(1, 1000, 1.0), ok_case(1, 2000, 2.0)});
  EXPECT_THAT([&] { (void)pivoted(lengths, {.rows = {"workers"}, .values = {"time"}}); },
              ThrowsMessage<UsageError>(HasSubstr("choose by --filter: n_tokens")));
  EXPECT_THAT([&] { (void)pivot_table({}, {.rows = {"n_tokens"}, .values = {"time"}}); },
              ThrowsMessage<UsageError>(HasSubstr("no case")));
}

}  // namespace
}  // namespace qb
