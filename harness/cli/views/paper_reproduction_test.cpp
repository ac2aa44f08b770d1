// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_reproduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/schema/row.h"
#include "base/source_root.h"
#include "base/testing/scratch_folder.h"
#include "base/text_table.h"
#include "base/words.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The lines as one.
std::string said(const std::vector<PlannedRun>& runs) {
  std::string text = planned_text(runs, "results");
  std::ranges::replace(text, '\n', ' ');
  return text;
}

PlannedRun planned(const std::string& name, const PredictedTime& time) {
  return {.experiment = name, .spec = Spec{}, .left = time.cases, .time = time};
}

TEST(PlannedRuns, TheShortestComesFirstWhateverThePaperNamesFirst) {
  const ScratchFolder results;
  const auto runs =
      planned_runs({"case_study_2_tenth", "case_study_1", "torch_sdpa"}, results.path(""));
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].experiment, "torch_sdpa") << "no spec, nothing to run";
  EXPECT_FALSE(runs[0].spec);
  EXPECT_EQ(runs[1].experiment, "case_study_1");
  EXPECT_EQ(runs[2].experiment, "case_study_2_tenth");
  EXPECT_EQ(runs[2].left, 45u);
  EXPECT_GT(runs[2].time.seconds, runs[1].time.seconds);
}

TEST(PlannedRuns, WhatTheNewestRunHoldsIsNotRunAgainUnlessACaseFailed) {
  const ScratchFolder results;
  const std::vector<std::string> experiment = {"case_study_1"};
  ASSERT_EQ(testing_support::run_qb("run " + source_path("experiments/case_study_1.yaml") +
                                    " --quiet --out " + results.path(""))
                .exit_code,
            0);
  const std::string run = results.path("case_study_1/latest");
  auto manifest = parse_json(read_file(run + "/manifest.json"), "manifest");
  const auto finished_at = manifest["finished_at"];
  manifest["finished_at"] = nullptr;
  const auto left = [&] {
    write_file_atomically(run + "/manifest.json", manifest.dump());
    return planned_runs(experiment, results.path("")).front().left;
  };
  EXPECT_EQ(left(), 0u) << "the run is unfinished, and has all cases";
  std::string cases = read_file(run + "/cases.csv");
  write_file_atomically(run + "/cases.csv",
                        cases.substr(0, cases.rfind('\n', cases.size() - 2) + 1));
  EXPECT_EQ(left(), 1u);
  cases.replace(cases.find(",ok,"), 4, ",crashed,");
  write_file_atomically(run + "/cases.csv", cases);
  EXPECT_EQ(left(), 0u) << "`qb run --retry` runs it again";
  manifest["finished_at"] = finished_at;
  EXPECT_EQ(left(), 12u) << "another run may do better, as where the sources have changed since";
}

TEST(PlannedText, SaysHowManyCasesHowLongAndWhatFollows) {
  const std::vector<PlannedRun> runs = {planned("short", {20.0, 3, 0, 0}),
                                        planned("long", {100.0, 45, 45, 0}),
                                        {.experiment = "elsewhere"}};
  EXPECT_THAT(
      said(runs),
      AllOf(HasSubstr("Now 48 cases run"),
            HasSubstr("about 2 min (roughly: 40 s to 6 min on an idle machine; results has"),
            HasSubstr("  short: 3 cases"), HasSubstr("  long: 45 cases"),
            HasSubstr("which rows are disputed"), Not(HasSubstr("elsewhere"))));
  for (const std::string_view line : split_words(planned_text(runs, "results"), "\n"))
    EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_THAT(said({planned("a", {5.0, 2, 0, 0})}),
              HasSubstr("about 5 s, as such cases took on this machine before"));
  EXPECT_THAT(said({planned("a", {0.0, 2, 0, 2})}), HasSubstr("time: not known"));
}

TEST(PlannedText, SaysInOneSentenceWhyNothingNeedsToRun) {
  EXPECT_THAT(said({}), HasSubstr("run: calculations and committed runs"));
  EXPECT_THAT(said({{.experiment = "torch_sdpa"}}),
              HasSubstr("run: calculations and committed runs"));
  EXPECT_THAT(said({planned("smoke", {})}),
              AllOf(HasSubstr("run: this build has measured all cases"),
                    HasSubstr("experiments/smoke.yaml")));
}

// What stands in a text between two others, as a number.
double number_between(const std::string& text, const std::string& before,
                      const std::string& after) {
  const std::size_t end = text.find(after);
  const std::size_t begin = text.rfind(before, end) + before.size();
  return parse_real(text.substr(begin, end - begin)).value_or(-1.0);
}

// The committed pages: their sentence, the title of their figure and data/papers/coverage.csv count
// the same rows, reasons are in words, and no row needs just a GPU, as one is committed.
TEST(PaperPages, ProseFigureAndCoverageAgree) {
  const std::string file = "data/papers/coverage.csv";
  const CsvTable coverage = CsvTable::parse(read_file(source_path(file)), file);
  std::map<std::string, std::map<std::string, double>> papers;
  for (const Row& row : all_rows(coverage))
    for (const char* column : {"rows", "contradicts", "differs"})
      papers[row.at("paper")][column] += row.number_at(column);
  int figures = 0;
  for (auto& [paper, count] : papers) {
    const std::string page = read_file(source_path("paper_figures/papers/" + paper + ".html"));
    const std::string prose = page.substr(page.find("<p>Of "), 1000);
    EXPECT_EQ(number_between(prose, "Of ", " rows "), count["rows"]) << paper;
    EXPECT_EQ(number_between(prose, ": ", " contradict the paper"), count["contradicts"]) << paper;
    EXPECT_EQ(number_between(prose, "and ", " differ from ours"), count["differs"]) << paper;
    EXPECT_THAT(page, Not(HasSubstr("needs a GPU<"))) << paper;
    EXPECT_THAT(page, Not(HasSubstr("needs a GPU,"))) << paper;
    const std::size_t figure = page.find("aria-label=\"Of ");
    if (figure == std::string::npos) continue;
    ++figures;
    const std::string title = page.substr(figure, 200);
    EXPECT_EQ(number_between(title, "rows ", " contradict and"), count["contradicts"]) << paper;
    EXPECT_EQ(number_between(title, "and ", " differ"), count["differs"]) << paper;
  }
  EXPECT_GE(figures, 6);
}

}  // namespace
}  // namespace qb
