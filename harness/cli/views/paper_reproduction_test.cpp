// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_reproduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/json.h"
#include "base/source_root.h"
#include "base/split.h"
#include "base/testing/scratch_folder.h"
#include "base/text_table.h"
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

}  // namespace
}  // namespace qb
