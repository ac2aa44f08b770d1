// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "plots/figures/figures.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;

Values with_error(const std::string& algorithm, const std::string& lse, const std::string& scale,
                  const std::string& error, const std::string& status = "ok") {
  Values values = ok_case(4, 512, 1.0);
  values["case_id"] = algorithm + lse + scale;
  values["algorithm"] = algorithm;
  values["lse"] = lse;
  values["scale"] = scale;
  values["head_dim"] = "64";
  values["inputs"] = "tied";
  values["relative_l2_error"] = error;
  values["status"] = status;
  return values;
}

TEST(ScoreError, OneNumberLosesWithTheScoreWhatTwoKeep) {
  const Figure figure = score_error_figure(
      cases_of({with_error("cqs", "one", "1", "1e-6"), with_error("cqs", "two", "1", "2e-7"),
                with_error("cqs", "one", "1000", "1e-3", "incorrect"),
                with_error("cqs", "two", "1000", "2e-7"), with_error("ring", "one", "1", "3e-7")}));
  const Panel& panel = figure.panels.at(0);
  const Series& one = series_named(panel, "cqs");
  ASSERT_EQ(one.points.size(), 2u) << "an incorrect case has an error too";
  EXPECT_DOUBLE_EQ(one.points[1].x, 8000.0);
  EXPECT_DOUBLE_EQ(one.points[1].y, 1e-3);
  const Series& two = series_named(panel, "cqs, LSE as two numbers");
  EXPECT_LT(two.points.at(1).y, one.points[1].y);
  EXPECT_NE(two.style.dash, one.style.dash);
  EXPECT_EQ(series_named(panel, "ring").points.size(), 1u);
  EXPECT_THAT(figure.notes, ::testing::Contains(::testing::HasSubstr("All keys of a head")));
  EXPECT_EQ(
      figure.title,
      "At a score of 8e+03 outputs are off by up to 1.0e-03 if the LSE travels as one number, "
      "2.0e-07 as two");
}

TEST(ScoreError, WithoutAScaleThereIsNoFigure) {
  EXPECT_FALSE(score_error_figure(cases_of({ok_case(1, 512, 1.0)})).empty_reason.empty());
}

Values of_workers(int workers, const char* dtype, const char* error) {
  Values values = ok_case(workers, 512, 1.0);
  values["case_id"] += dtype;
  values["dtype"] = dtype;
  values["relative_l2_error"] = error;
  return values;
}

TEST(ErrorByWorkers, ALineATypeAgainstW) {
  const Figure figure = error_by_workers_figure(
      cases_of({of_workers(1, "f16", "2e-4"), of_workers(7, "f16", "1e-4"),
                of_workers(1, "bf16", "1e-3"), of_workers(7, "bf16", "1.5e-3")}));
  const Series& line = series_named(figure.panels.at(0), "f16");
  EXPECT_DOUBLE_EQ(line.points.at(1).x, 7.0);
  EXPECT_DOUBLE_EQ(line.points.at(1).y, 1e-4);
  EXPECT_EQ(figure.title, "The output's error is 0.5 to 1.5 times that of one worker, whatever W");
}

TEST(ErrorByWorkers, OneWorkerCountIsASentence) {
  EXPECT_FALSE(
      error_by_workers_figure(cases_of({of_workers(1, "f16", "1e-4")})).empty_reason.empty());
}

// The committed figure: splitting costs no accuracy, and the title has the range.
TEST(ErrorByWorkers, CommittedErrorsStayWithinATenthAboveOneWorkers) {
  const CommittedFigure figure("relative_error", "error_by_workers");
  std::set<double> ratios;
  for (const auto& [type, line] : figure.lines("1")) {
    ASSERT_EQ(line.begin()->first, 1.0);
    ASSERT_GE(line.size(), 8u);
    for (const auto& [workers, error] : line) {
      EXPECT_LE(error, 1.1 * line.begin()->second) << type << " at W = " << workers;
      if (workers > 1.0) ratios.insert(error / line.begin()->second);
    }
  }
  EXPECT_EQ(figure.title(),
            fmt::format("The output's error is {:.3g} to {:.3g} times that of one worker, whatever "
                        "W",
                        *ratios.begin(), *ratios.rbegin()));
  EXPECT_THAT(figure.notes(), ::testing::Contains(::testing::HasSubstr("results stay f32")));
}

// The committed figure: as one number the error grows with the score, as two it stays, and the
// title has the largest of both at the largest score.
TEST(ScoreError, CommittedErrorsGrowAsOneNumberAndStayAsTwo) {
  const CommittedFigure figure("large_scores", "score_error");
  std::map<bool, double> largest_of;  // by whether the LSE travels as two numbers
  for (const auto& [name, line] : figure.lines("1")) {
    const double growth = line.rbegin()->second / line.begin()->second;
    const bool two = name.ends_with("two numbers");
    const bool keeps = two || name == "ring";  // a ring sends no LSE
    EXPECT_EQ(growth > 100.0, !keeps) << name << " grows " << growth << " times";
    EXPECT_EQ(line.rbegin()->first, 1e8) << name;
    largest_of[two] = std::fmax(largest_of[two], line.rbegin()->second);
  }
  EXPECT_EQ(figure.title(),
            fmt::format("At a score of 1e+08 outputs are off by up to {:.1e} if the "
                        "LSE travels as one number, {:.1e} as two",
                        largest_of[false], largest_of[true]));
}

TEST(ErrorByWorkers, CasesThatDifferInMoreThanWorkersAreNotJoinedByALine) {
  std::vector<Values> rows;
  for (const char* head_dim : {"64", "128"})
    for (const int workers : {1, 7}) {
      rows.push_back(of_workers(workers, "f16", "2e-4"));
      rows.back()["head_dim"] = head_dim;
      rows.back()["case_id"] += head_dim;
    }
  const Figure figure = error_by_workers_figure(cases_of(rows));
  ASSERT_EQ(figure.panels.at(0).series.size(), 2u);
  for (const Series& line : figure.panels[0].series) EXPECT_EQ(line.points.size(), 2u);
}

}  // namespace
}  // namespace qb
