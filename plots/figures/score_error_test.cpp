// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plots/figures/figures.h"
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
}

TEST(ScoreError, WithoutAScaleThereIsNoFigure) {
  EXPECT_FALSE(score_error_figure(cases_of({ok_case(1, 512, 1.0)})).empty_reason.empty());
}

}  // namespace
}  // namespace qb
