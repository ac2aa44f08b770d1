// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/papers/testing/fake_measurements.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::FakeMeasurements;
using testing_support::paper_of;

std::vector<PublishedAnswer> answers(const Paper& paper, const Measurements& measurements) {
  const Library library;
  return answers_to(library, paper, paper.tables[0], measurements);
}

std::string claim(const std::string& rest, const std::string& kind = "exact") {
  return "    claims:\n      - {name: c, kind: " + kind + ", published: value, " + rest + "}\n";
}

constexpr const char* kColumns = "{n: key, value: value}";

TEST(Answers, ExactValuesAgreeToThePrintedDigitAreOneUnitOffOrContradict) {
  const auto verdict = [](const std::string& printed) {
    return answers(paper_of(kColumns, claim("ours: n / 3"), "n,value\n5," + printed + "\n"),
                   FakeMeasurements())
        .at(0)
        .verdict;
  };
  EXPECT_EQ(verdict("1.67").answer, Answer::agrees);
  EXPECT_EQ(verdict("1.66").answer, Answer::within) << "truncated";
  EXPECT_EQ(verdict("1.64").answer, Answer::contradicts);
  EXPECT_EQ(verdict("1.64").text(), "contradicts: 1.64 published, 1.667 follows");
}

TEST(Answers, ARowWithoutThePublishedCellHasNone) {
  EXPECT_THAT(answers(paper_of(kColumns, claim("ours: n"), "n,value\n5,\n"), FakeMeasurements()),
              IsEmpty());
}

TEST(Answers, WhereChoosesRows) {
  const auto all =
      answers(paper_of(kColumns, claim("ours: n, where: n > 5"), "n,value\n5,5\n6,6\n"),
              FakeMeasurements());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].row, 1u);
}

TEST(Answers, WhatIsNotThereIsSaid) {
  const auto text = [](const std::string& rest, const std::string& kind) {
    return answers(paper_of(kColumns, claim(rest, kind), "n,value\n5,5\n"), FakeMeasurements())
        .at(0)
        .verdict.text();
  };
  EXPECT_EQ(text("needs: [training, many_gpus]", "absolute"),
            "not measured: needs training steps, eight GPUs or more");
  EXPECT_EQ(text("run: smoke, ours: ours.wall_time_median_s", "absolute"),
            "not measured: needs a run of smoke");
  EXPECT_EQ(text("device: impossible, ours: model.critical_path_median_s", "modelled"),
            "not comparable because 33 heads do not divide among 8 workers");
  EXPECT_EQ(text("device: missing, ours: model.critical_path_median_s", "modelled"),
            "not measured: needs data/devices/missing.csv");
}

TEST(Answers, TheModelIsGradedWithinAFactorButNotByWhatItWasMadeFrom) {
  FakeMeasurements measurements;
  measurements.predicted = 8.0;
  const std::string rest = claim(
      "device: a100, ours: model.critical_path_median_s, within: 2 x, because: so", "modelled");
  const auto verdict = [&](const std::string& more, const std::string& csv) {
    return answers(paper_of(kColumns, more + rest, csv), measurements).at(0).verdict;
  };
  EXPECT_EQ(verdict("", "n,value\n1,5.0\n").text(), "modelled within 2 x (so)");
  EXPECT_EQ(verdict("", "n,value\n1,3.0\n").answer, Answer::contradicts);
  EXPECT_EQ(verdict("    input_of: [a100]\n", "n,value\n1,5.0\n").answer, Answer::not_comparable);
  const std::string some = "    input_of: [{device: a100, where: n = 1}]\n";
  EXPECT_EQ(verdict(some, "n,value\n1,5.0\n").answer, Answer::not_comparable);
  EXPECT_EQ(verdict(some, "n,value\n2,5.0\n").answer, Answer::modelled) << "kept out of the fit";
}

// A run of n_tokens 1 to 3 whose times are `seconds`.
CsvTable run_of(const std::vector<std::string>& seconds, const std::string& disturbed_by = "") {
  CsvTable run({"status", "n_tokens", "wall_time_median_s", "disturbed_by"});
  for (std::size_t i = 0; i < seconds.size(); ++i)
    run.append({"ok", std::to_string(i + 1), seconds[i], i == 0 ? disturbed_by : ""});
  return run;
}

std::string shape(const std::string& rest) {
  return claim("run: smoke, match: {n_tokens: n}, ours: ours.wall_time_median_s, x: n, " + rest,
               "shape");
}

TEST(Answers, AShapeIsJudgedOnceForAllPointsOfItsCurve) {
  const std::string csv = "n,value\n1,1.0\n2,2.0\n3,4.0\n";
  FakeMeasurements measurements;
  const auto verdicts = [&](const std::string& rest) {
    std::vector<Answer> found;
    for (const PublishedAnswer& answer :
         answers(paper_of(kColumns, shape(rest), csv), measurements))
      found.push_back(answer.verdict.answer);
    return found;
  };
  measurements.runs["smoke"] = run_of({"10", "25", "30"});
  EXPECT_THAT(verdicts("rule: order, level: 0"),
              ElementsAre(Answer::shape_agrees, Answer::shape_agrees, Answer::shape_agrees));
  measurements.runs["smoke"] = run_of({"10", "25", "15"});
  EXPECT_THAT(verdicts("rule: order, level: 0"),
              ElementsAre(Answer::contradicts, Answer::contradicts, Answer::contradicts));
  measurements.runs["smoke"] = run_of({"10", "25", "30"}, "neighbours");
  EXPECT_THAT(verdicts("rule: order, level: 0"),
              ElementsAre(Answer::disturbed, Answer::disturbed, Answer::disturbed));
}

TEST(Answers, ADisturbedRepeatHasTheErrorOfAnyOther) {
  FakeMeasurements measurements;
  CsvTable run({"status", "n_tokens", "relative_l2_error", "disturbed_by"});
  for (const char* n : {"1", "2"}) run.append({"ok", n, n, "neighbours"});
  measurements.runs["smoke"] = run;
  const std::string of_errors = claim(
      "run: smoke, match: {n_tokens: n}, ours: ours.relative_l2_error, x: n, rule: order, "
      "level: 0",
      "shape");
  for (const PublishedAnswer& answer :
       answers(paper_of(kColumns, of_errors, "n,value\n1,1.0\n2,2.0\n"), measurements))
    EXPECT_EQ(answer.verdict.answer, Answer::shape_agrees);
}

TEST(Answers, WhatAnotherRunMayTurnRoundIsLeftOpen) {
  FakeMeasurements measurements;
  const auto verdict_of = [&](double last) {
    CsvTable run({"status", "n_tokens", "wall_time_median_s", "wall_time_low95_s",
                  "wall_time_high95_s", "disturbed_by"});
    for (const auto& [n, seconds] : {std::pair("1", 10.0), std::pair("2", last)})
      run.append({"ok", n, std::to_string(seconds), std::to_string(0.98 * seconds),
                  std::to_string(1.02 * seconds), ""});
    measurements.runs["smoke"] = run;
    const auto all =
        answers(paper_of(kColumns, shape("rule: order, level: 0"), "n,value\n1,1.0\n2,2.0\n"),
                measurements);
    return all.at(0).verdict.answer;
  };
  EXPECT_EQ(verdict_of(8.5), Answer::not_comparable) << "intervals apart, but less than runs are";
  EXPECT_EQ(verdict_of(7.0), Answer::contradicts);
}

TEST(Answers, ASingleRepeatReachesBeyondItselfAndAModelDoesNot) {
  FakeMeasurements measurements;
  const auto verdict_of = [&](const std::string& ranks) {
    CsvTable run({"status", "n_tokens", "ranks", "wall_time_median_s", "wall_time_low95_s",
                  "wall_time_high95_s", "disturbed_by"});
    run.append({"ok", "1", ranks, "10", "", "", ""});
    run.append({"ok", "2", ranks, "8.5", "", "", ""});
    measurements.runs["smoke"] = run;
    const auto all =
        answers(paper_of(kColumns, shape("rule: order, level: 0"), "n,value\n1,1.0\n2,2.0\n"),
                measurements);
    return all.at(0).verdict.answer;
  };
  EXPECT_EQ(verdict_of("serial"), Answer::not_comparable);
  EXPECT_EQ(verdict_of("model"), Answer::contradicts);
}

TEST(Answers, APointThatTheRunLacksIsNotMeasured) {
  FakeMeasurements measurements;
  measurements.runs["smoke"] = run_of({"10", "25"});
  const auto all =
      answers(paper_of(kColumns, shape("rule: order, level: 0"), "n,value\n1,1.0\n2,2.0\n9,4.0\n"),
              measurements);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].verdict.answer, Answer::shape_agrees);
  EXPECT_EQ(all[2].verdict.text(), "not measured: needs such a case in smoke");
}

TEST(Answers, SlopesAndCrossingsAreJudgedWithinAFactor) {
  FakeMeasurements measurements;
  const auto verdict = [&](const std::string& rest, const std::string& csv) {
    return answers(paper_of(kColumns, shape(rest), csv), measurements).at(0).verdict.answer;
  };
  const std::string square = "n,value\n1,1.0\n2,4.0\n3,9.0\n";
  measurements.runs["smoke"] = run_of({"7", "29", "62"});
  EXPECT_EQ(verdict("rule: exponent, within: 10 %, because: b", square), Answer::shape_agrees);
  measurements.runs["smoke"] = run_of({"7", "14", "21"});
  EXPECT_EQ(verdict("rule: exponent, within: 10 %, because: b", square), Answer::contradicts);
  measurements.runs["smoke"] = run_of({"0.5", "2", "3"});
  EXPECT_EQ(verdict("rule: crossover, level: 1.5, within: 2 x, because: b", square),
            Answer::shape_agrees);
  measurements.runs["smoke"] = run_of({"2", "3", "4"});
  EXPECT_EQ(verdict("rule: crossover, level: 1.5, within: 2 x, because: b", square),
            Answer::contradicts)
      << "ours never crosses";
}

TEST(Answers, CellsOfAnotherTableAreThoseWithTheSameKeys) {
  Library library;
  library.push_back(
      read_paper("title: Other\ncite: Somebody\ntables:\n  - file: other.csv\n    title: O\n"
                 "    headline: value\n    columns: {n: key, method: key, value: value}\n",
                 "other.yaml", [](const std::string& file) {
                   return CsvTable::parse("n,method,value\n5,a,1.5\n5,b,9\n6,a,2.50\n", file);
                 }));
  const auto cells = [](const std::string& file) {
    return file == "t.csv" ? CsvTable::parse("n,value\n5,1.5\n6,2.4\n7,1\n", file)
                           : CsvTable::parse("n,method,value\n", file);
  };
  const Paper paper = read_paper(
      "title: A\ncite: S\ntables:\n  - file: t.csv\n    title: T\n    headline: value\n    "
      "columns: {n: key, value: "
      "value}\n" +
          claim("ours: 'other.value[method=a]'", "same_as"),
      "paper.yaml", cells);
  const auto all = answers_to(library, paper, paper.tables[0], FakeMeasurements());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].verdict.answer, Answer::agrees);
  EXPECT_EQ(all[1].verdict.answer, Answer::within);
  EXPECT_EQ(all[2].verdict.text(), "not measured: needs a cell that is empty")
      << "no row has that key";
}

}  // namespace
}  // namespace qb
