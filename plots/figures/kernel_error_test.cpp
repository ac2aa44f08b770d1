// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;

Values checked(const std::string& kernel, const char* head_dim, const char* error,
               const char* tolerance, const char* dtype = "f16") {
  Values values = ok_case(1, 1000, 1.0);
  values["case_id"] += kernel + head_dim + dtype;
  values["kernel"] = kernel;
  values["head_dim"] = head_dim;
  values["dtype"] = dtype;
  values["max_error"] = error;
  values["tolerance"] = tolerance;
  return values;
}

TEST(KernelError, OfEachLengthTheCaseNearestToItsToleranceIsDrawnWithIt) {
  const Figure figure = kernel_error_figure(cases_of(
      {checked("flash", "64", "0.0004", "0.004"), checked("flash", "128", "0.0003", "0.001"),
       checked("torch_sdpa", "64", "0.0002", "0.002")}));
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  EXPECT_EQ(panel.title, "f16");
  EXPECT_TRUE(panel.y.log);
  ASSERT_EQ(series_named(panel, "flash").points.size(), 1u);
  EXPECT_DOUBLE_EQ(series_named(panel, "flash").points[0].y, 0.0003);
  EXPECT_DOUBLE_EQ(series_named(panel, "flash, tolerance").points.at(0).y, 0.001);
  EXPECT_DOUBLE_EQ(series_named(panel, "torch_sdpa").points.at(0).y, 0.0002);
  EXPECT_EQ(figure.notes.at(1),
            "The case that comes nearest to its tolerance uses 30 % of it: flash, f16, full mask, "
            "N = 1,000, d = 128.");
}

TEST(KernelError, EachTypeHasAPanel) {
  EXPECT_THAT(
      titles(kernel_error_figure(cases_of({checked("flash", "64", "0.0001", "0.002"),
                                           checked("flash", "64", "0.0001", "0.002", "f32")}))),
      ElementsAre("f16", "f32"));
}

TEST(KernelError, WithoutErrorsThereIsASentence) {
  EXPECT_EQ(kernel_error_figure(cases_of({checked("flash", "64", "", "")})).empty_reason,
            "no case has an error against the float64 reference");
}

}  // namespace
}  // namespace qb
