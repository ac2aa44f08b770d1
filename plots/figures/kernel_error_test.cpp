// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/draw/draw.h"
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

TEST(KernelError, ALineJoinsCasesThatDifferInTheirLengthAloneAndHasItsTolerance) {
  Values one_thread = checked("flash", "64", "0.0003", "0.004");
  one_thread["threads"] = "1";
  one_thread["case_id"] += "one";
  const Figure figure =
      kernel_error_figure(cases_of({checked("flash", "64", "0.0004", "0.004"), one_thread,
                                    checked("flash", "128", "0.0003", "0.001")}));
  ASSERT_THAT(titles(figure), ElementsAre("f16, d = 64", "f16, d = 128"));
  const Panel& panel = figure.panels[0];
  EXPECT_TRUE(panel.y.log);
  EXPECT_DOUBLE_EQ(series_named(panel, "flash, 2 threads").points.at(0).y, 0.0004);
  EXPECT_DOUBLE_EQ(series_named(panel, "flash, 1 thread").points.at(0).y, 0.0003);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "flash, tolerance").points.at(0).y, 0.001);
  EXPECT_EQ(figure.finding,
            "The case that comes nearest to its tolerance uses 30 % of it: flash, f16, full mask, "
            "N = 1,000, d = 128.");
}

TEST(KernelError, AnOutputThatIsRoundedToANarrowTypeIsNotComparedWithOurs) {
  const Figure figure = kernel_error_figure(cases_of(
      {checked("flash", "64", "0.0001", "0.002"), checked("torch_sdpa", "64", "0.001", "0.002"),
       checked("torch_sdpa", "64", "0.0001", "0.002", "f32")}));
  const CsvTable csv = figure_csv(figure);
  for (const Row& row : all_rows(csv))
    EXPECT_FALSE(row.at("panel_title") == "f16" && row.at("series").starts_with("torch"));
  EXPECT_EQ(series_named(figure.panels.at(1), "torch_sdpa").points.size(), 1u);
  EXPECT_THAT(figure.notes,
              ::testing::Contains(::testing::HasSubstr(
                  "1 of 3 cases (output rounded to its type, where ours is float32)")));
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
