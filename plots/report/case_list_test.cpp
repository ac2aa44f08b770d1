// SPDX-License-Identifier: Apache-2.0
#include "plots/report/case_list.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The part of a page between the row of one case and that of the next.
std::string part_of(const std::string& html, const std::string& case_id) {
  const auto at = html.find("<tbody id=\"case-" + case_id + "\"");
  return at == std::string::npos ? "" : html.substr(at, html.find("</tbody>", at) - at);
}

CsvTable samples_of(const std::string& case_id) {
  CsvTable samples(
      {"case_id", "repeat", "warmup", "disturbed_by", "wall_time_s", "critical_path_s"});
  samples.append({"other", "0", "0", "", "1", "1"});
  samples.append({case_id, "0", "1", "waiting", "0.9", "0.5"});
  samples.append({case_id, "0", "0", "", "0.02", "0.01"});
  samples.append({case_id, "1", "0", "stolen", "0.04", "0.03"});
  return samples;
}

TEST(CaseList, WhatDiffersIsAColumnAndWhatIsFixedIsSaidOnce) {
  const std::string html = case_list_html(case_study_2(10), {});
  EXPECT_THAT(html, HasSubstr("Every case has kernel = materialized, device = cpu"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" data-keys=\"workers workers\" "
                              "class=\"number\">W</th>"));
  EXPECT_THAT(html, Not(HasSubstr("data-label=\"kernel\"")));
  EXPECT_THAT(html, Not(HasSubstr("data-keys=\"kv_len")))
      << "as many keys as tokens is not a difference of its own";
  EXPECT_LT(html.find("data-keys=\"workers"), html.find("data-keys=\"status\""));
}

TEST(CaseList, HasEveryCaseInTheOrderOfItsParameters) {
  const std::string html = case_list_html(case_study_2(10), {});
  EXPECT_THAT(html, HasSubstr("<caption>45 cases;"));
  EXPECT_LT(html.find("case-000700001000"), html.find("case-000700004900"));
  EXPECT_LT(html.find("case-000700004900"), html.find("case-003100001000"));
}

TEST(CaseList, ARowHasItsStatusMarkedAndItsValuesForSorting) {
  const std::string row = part_of(case_list_html(case_study_2(10), {}), "000700001000");
  EXPECT_THAT(row, HasSubstr("<td class=\"good\" data-label=\"status\" data-value=\"ok\">ok</td>"));
  EXPECT_THAT(row, HasSubstr("data-label=\"N\" data-value=\"1000\">1,000</td>"));
}

TEST(CaseList, ACaseOpensToItsRepeats) {
  CaseFiles files{.samples = samples_of("000700001000"), .folder = "..", .logs = {}};
  const std::string html = case_list_html(case_study_2(10), files);
  const std::string row = part_of(html, "000700001000");
  EXPECT_THAT(row, HasSubstr("<details><summary>"));
  EXPECT_THAT(row, HasSubstr("repeat 1: 30.00 ms, disturbed by stolen"));
  EXPECT_THAT(row, Not(HasSubstr("500.00 ms"))) << "warm-ups are not counted";
  EXPECT_THAT(row, HasSubstr("without 1 warm-up"));
  EXPECT_THAT(row, HasSubstr("<a href=\"../samples.csv\">samples.csv</a>, lines 3 to 5."));
  EXPECT_THAT(part_of(html, "000700002000"), Not(HasSubstr("<svg")));
}

TEST(CaseList, ALogIsLinkedWhereThereIsOne) {
  CaseFiles files{.samples = {}, .folder = "..", .logs = {"000700001000"}};
  const std::string html = case_list_html(case_study_2(10), files);
  EXPECT_THAT(part_of(html, "000700001000"), HasSubstr("href=\"../logs/000700001000.log\""));
  EXPECT_THAT(part_of(html, "000700002000"), Not(HasSubstr("logs/")));
}

TEST(CaseList, NeighboursDifferInOneParameter) {
  const std::string row = part_of(case_list_html(case_study_2(10), {}), "000700002000");
  EXPECT_THAT(row, HasSubstr("<li>N: <a href=\"#case-000700001000\">1,000</a> ← <b>2,000</b> → "
                             "<a href=\"#case-000700003000\">3,000</a></li>"));
  EXPECT_THAT(row, HasSubstr("<li>W: <a href=\"#case-000400002000\">4</a> ← <b>7</b> → "
                             "<a href=\"#case-000800002000\">8</a></li>"));
}

TEST(CaseList, AnAlgorithmThatGoesWithTheWorkersTellsNothing) {
  const CsvTable cases = case_study_2(10);
  EXPECT_THAT(telling_columns(standing_rows(cases)), ElementsAre("workers", "n_tokens"));
}

TEST(CaseList, AFailedCaseHasItsMessageEscaped) {
  CsvTable cases = case_study_2(10);
  add_case(cases, failed_case(7, 77, "crashed", "signal 11 in <kernel>"));
  const std::string row = part_of(case_list_html(cases, {}), "000700000077");
  EXPECT_THAT(row, HasSubstr("class=\"bad\" data-label=\"status\""));
  EXPECT_THAT(row, HasSubstr("signal 11 in &lt;kernel&gt;"));
}

TEST(CaseList, APlanIsACommandOfTheParametersThatAreNotTheUsualOnes) {
  CsvTable cases = no_cases();
  Values values = ok_case(7, 1000, 0.4);
  values["mask"] = "{sliding_window: {left: 8, right: 7}}";
  values["interest_set"] = "0,1,3";
  add_case(cases, values);
  EXPECT_EQ(plan_command(all_rows(cases)[0]),
            "qb plan --algorithm cqs --n-tokens 1000 --workers 7 --interest-set '0,1,3' --mask "
            "'{sliding_window: {left: 8, right: 7}}' --q-heads 8 --dtype f16 --kernel "
            "materialized");
}

TEST(CaseList, ALayerHasNoPlanCommand) {
  CsvTable cases = no_cases();
  Values values = ok_case(1, 1000, 1.0);
  values["workload"] = "transformer_layer";
  add_case(cases, values);
  EXPECT_EQ(plan_command(all_rows(cases)[0]), "");
}

TEST(CaseList, WhatAnotherProgramComputedHasNoPlanCommand) {
  CsvTable cases = no_cases();
  Values values = ok_case(1, 1000, 1.0);
  values["kernel"] = "torch_sdpa";
  add_case(cases, values);
  EXPECT_EQ(plan_command(all_rows(cases)[0]), "");
}

TEST(CaseList, ACaseThatCannotBePlannedHasNoPlanCommand) {
  CsvTable cases = no_cases();
  add_case(cases, failed_case(2, 1000, "unsupported", "cqs needs three workers"));
  EXPECT_THAT(case_list_html(cases, {}), Not(HasSubstr("qb plan")));
}

TEST(CaseList, WithoutCasesThereIsNone) { EXPECT_EQ(case_list_html(no_cases(), {}), ""); }

}  // namespace
}  // namespace qb
