// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

PlottedRun run_of(CsvTable cases) {
  PlottedRun run;
  run.path = "results/x/r1";
  run.provenance = read_provenance(sample_manifest(), "m");
  run.cases = std::move(cases);
  return run;
}

TEST(RunReport, CountsHowCasesEnded) {
  const std::string page = report_html(run_report(run_of(case_study_2(10)), {}, {}));
  EXPECT_THAT(page, HasSubstr("45 cases: 40 ok, 1 oom, 4 oom_skipped."));
}

TEST(RunReport, OfModelledCasesNamesTheModelledDeviceInItsHead) {
  Values values = ok_case(7, 1000, 0.5);
  const PlottedRun measured = run_of(cases_of({values}));
  values["ranks"] = "model";
  values["model_device"] = "data/devices/a100.csv";
  const PlottedRun modelled = run_of(cases_of({values}));
  const std::string here = modelled.provenance.machine;
  EXPECT_THAT(run_report(modelled, {}, {}).subtitle, ::testing::StartsWith("model of A100; "));
  EXPECT_THAT(run_report(measured, {}, {}).subtitle, ::testing::StartsWith(here));
}

TEST(RunReport, OfOneWorkerHasNoTableOfSubsequences) {
  CsvTable one = no_cases();
  add_case(one, ok_case(1, 1000, 1.0));
  EXPECT_THAT(report_html(run_report(run_of(one), {}, {})),
              ::testing::Not(HasSubstr("Subsequence lengths")));
  add_case(one, ok_case(7, 1000, 1.0));
  EXPECT_THAT(report_html(run_report(run_of(one), {}, {})), HasSubstr("Subsequence lengths"));
}

TEST(RunReport, OfLayersSaysWhatTheTimesAreOfALayer) {
  CsvTable layers = no_cases();
  Values layer = ok_case(1, 1000, 1.0);
  layer["workload"] = "transformer_layer";
  add_case(layers, layer);
  const std::string page = report_html(run_report(run_of(layers), {}, {}));
  EXPECT_THAT(page, HasSubstr("the attention kernel of the layer"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("published speed-up")));
}

TEST(RunReport, ListsEveryFailedCaseWithItsMessageEscaped) {
  CsvTable cases = case_study_2(10);
  add_case(cases, failed_case(7, 77, "crashed", "signal 11 in <kernel>"));
  const std::string page = report_html(run_report(run_of(cases), {}, {}));
  EXPECT_THAT(page, HasSubstr("signal 11 in &lt;kernel&gt;"));
  EXPECT_THAT(page, HasSubstr("scores: 64.80 GB over the budget"));
}

TEST(RunReport, SaysHowToRunItAgainAndWhereItRan) {
  const std::string page = report_html(run_report(run_of(case_study_2(10)), {}, {}));
  EXPECT_THAT(page, HasSubstr("qb run results/x/r1/spec.resolved.yaml"));
  EXPECT_THAT(page, HasSubstr("Some CPU, 2 processors"));
  EXPECT_THAT(page, HasSubstr("A &lt;small&gt; study."));
}

TEST(RunReport, ARunOfAnotherProgramIsNotRunAgainByThisOne) {
  PlottedRun run = run_of(case_study_2(10));
  run.provenance.peer = "torch 2.5";
  const std::string page = report_html(run_report(run, {}, {}));
  EXPECT_THAT(page, HasSubstr("torch 2.5 computed this run"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("spec.resolved.yaml")));
}

TEST(RunReport, SaysWhichFiguresAreMissing) {
  std::vector<std::string> missing;
  Figure empty = empty_figure("", "no case has a time");
  empty.name = "wall_clock";
  const auto drawn = draw_for_report({empty}, fresh_folder("report"), missing);
  EXPECT_TRUE(drawn.empty());
  EXPECT_THAT(missing, ::testing::ElementsAre("No figure wall_clock: no case has a time."));
  EXPECT_THAT(report_html(run_report(run_of(no_cases()), {}, missing)),
              HasSubstr("no case has a time"));
}

TEST(RunReport, SaysHowAFigureBecomesAPdf) {
  const std::string line = "qb plot results/x/r1 --figure NAME --width 3.5in";
  const std::string svg = "<svg viewBox=\"0 0 1 1\"><g id=\"canvas\"/></svg>";
  const PlottedRun run = run_of(case_study_2(10));
  EXPECT_THAT(report_html(run_report(run, {{.name = "one", .svg = svg}}, {})), HasSubstr(line));
  EXPECT_THAT(report_html(run_report(run, {}, {})), ::testing::Not(HasSubstr(line)));
}

TEST(RunReport, WhatWasFoundComesBeforeTheSingleCases) {
  RunContext context;
  context.change = {{.title = "Change since the previous run"}};
  std::vector<std::string> titles;
  for (const Report::Section& section :
       run_report(run_of(case_study_2(10)), {}, {}, context).sections)
    titles.push_back(section.title);
  EXPECT_THAT(titles,
              ::testing::ElementsAre("Result", "Figures", "Tables", "Change since the previous run",
                                     "Failed cases", "All cases", "What the times mean",
                                     "Environment", "Run it again"));
}

}  // namespace
}  // namespace qb
