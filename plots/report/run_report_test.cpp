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

Report::Section section_of(const Report& report, const std::string& title) {
  for (const Report::Section& section : report.sections)
    if (section.title == title) return section;
  throw std::out_of_range("no section " + title);
}

TEST(RunReport, CountsHowCasesEnded) {
  const std::string page = report_html(run_report(run_of(case_study_2(10)), {}, {}));
  EXPECT_THAT(page, HasSubstr(": 40 ok, 1 oom, 4 oom_skipped."));
}

TEST(RunReport, OfModelledCasesNamesTheModelledDevice) {
  Values values = ok_case(7, 1000, 0.5);
  const PlottedRun measured = run_of(cases_of({values}));
  values["ranks"] = "model";
  values["model_device"] = "data/devices/a100.csv";
  const PlottedRun modelled = run_of(cases_of({values}));
  const std::string here = modelled.provenance.machine;
  const auto settings = [](const PlottedRun& run) {
    return section_of(run_report(run, {}, {}), "Settings and machine").paragraphs.back();
  };
  EXPECT_THAT(settings(modelled), ::testing::StartsWith("model of A100; "));
  EXPECT_THAT(settings(measured), ::testing::StartsWith(here));
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
  EXPECT_THAT(report_html(run_report(run_of(case_study_2(10)), {}, {})),
              HasSubstr("qb plot results/x/r1 --figure NAME --width 3.5in"));
}

TEST(RunReport, WhatWasFoundComesBeforeTheSingleCases) {
  const std::string svg = "<svg viewBox=\"0 0 1 1\"><g id=\"canvas\"/></svg>";
  const Report report = run_report(run_of(case_study_2(10)),
                                   {{.name = "one", .svg = svg}, {.name = "two", .svg = svg}}, {});
  std::vector<std::string> titles;
  for (const Report::Section& section : report.sections) titles.push_back(section.title);
  EXPECT_THAT(titles, ::testing::ElementsAre("Result", "Figures", "Tables", "What the times mean",
                                             "Settings and machine", "Run and draw it again"));
  EXPECT_EQ(report.sections[0].paragraphs.size(), 3u);
  EXPECT_EQ(report.subtitle, "");
  EXPECT_EQ(report.sections[0].figures.at(0).name, "one");
  EXPECT_EQ(report.sections[1].figures.at(0).name, "two");
}

TEST(RunReport, OpensWithThreeSentencesAndSaysTheRestBelow) {
  Values late = ok_case(7, 1000, 0.5);
  late["disturbed_by"] = "neighbours";
  PlottedRun run = run_of(cases_of({late}));
  run.provenance.unfinished = "1 of 3 cases: the run is not finished";
  const Report report = run_report(run, {}, {"No figure x: y."});
  EXPECT_EQ(report.sections[0].paragraphs.size(), 3u);
  EXPECT_THAT(report.sections[0].paragraphs[0], HasSubstr("1 ok (1 of 3 cases: the run is not"));
  EXPECT_THAT(section_of(report, "Figures").paragraphs, ::testing::ElementsAre("No figure x: y."));
  EXPECT_THAT(section_of(report, "Tables").paragraphs,
              ::testing::ElementsAre("1 case stayed disturbed by other work on the machine."));
}

TEST(Conclusion, SaysWhatWasRunWhatAgreesAndWhatDoesNot) {
  Values good = ok_case(7, 1000, 0.5);
  good["device_peak_bytes"] = "1000";
  good["predicted_device_peak_bytes"] = "1005";
  good["model_residual_ratio"] = "-0.2";
  Values failed = ok_case(2, 1000, 0.5);
  failed["status"] = "unsupported";
  failed["message"] = "cqs needs three workers";
  const std::vector<std::string> said = conclusion(run_of(cases_of({good, failed})));
  ASSERT_EQ(said.size(), 3u);
  EXPECT_THAT(said[0], HasSubstr("2 cases of cqs were run: 1 ok, 1 unsupported."));
  EXPECT_THAT(said[1], HasSubstr("Agrees: 1 of 1 outputs with a float64 reference"));
  EXPECT_THAT(said[1], HasSubstr("1 of 1 peaks of memory with their plans, to 1 %"));
  EXPECT_EQ(said[2],
            "Does not agree: times with the cost model, by 20 % in the median and 20 % at worst.");
}

TEST(Conclusion, ACaseWithoutAResultIsNoDisagreement) {
  const Values good = ok_case(7, 1000, 0.5);
  for (const char* status : {"oom", "unsupported", "timeout"}) {
    Values failed = good;
    failed["case_id"] = "failed";
    failed["status"] = status;
    const std::vector<std::string> said = conclusion(run_of(cases_of({good, failed})));
    EXPECT_EQ(said[2], "Does not agree: nothing that was compared.");
    EXPECT_THAT(said[0], HasSubstr(fmt::format("1 {}", status)));
  }
}

TEST(Conclusion, AWrongOutputAndAnUnplannedPeakAreDisagreements) {
  Values good = ok_case(7, 1000, 0.5);
  good["device_peak_bytes"] = "1000";
  good["predicted_device_peak_bytes"] = "1020";
  Values wrong = good;
  wrong["case_id"] = "wrong";
  wrong["status"] = "incorrect";
  const std::vector<std::string> said = conclusion(run_of(cases_of({good, wrong})));
  EXPECT_THAT(said[1], HasSubstr("1 of 2 outputs"));
  EXPECT_THAT(said[1], ::testing::Not(HasSubstr("memory")));
  EXPECT_EQ(said[2], "Does not agree: 1 of 2 outputs; 1 of 1 peaks of memory.");
}

TEST(Conclusion, OfModelledCasesSaysThatNothingWasTimed) {
  Values values = ok_case(7, 1000, 0.5);
  values["ranks"] = "model";
  EXPECT_THAT(conclusion(run_of(cases_of({values})))[0],
              HasSubstr("were predicted by the cost model, and nothing was timed"));
}

TEST(Conclusion, OfARunWithoutCasesIsOneSentence) {
  EXPECT_THAT(conclusion(run_of(no_cases())), ::testing::ElementsAre("No case was run."));
}

}  // namespace
}  // namespace qb
