#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;

Values checked(const std::string& kernel, const char* mask, const char* error, const char* naive,
               const char* tolerance) {
  Values values = ok_case(1, 1000, 1.0);
  values["case_id"] += kernel + mask;
  values["kernel"] = kernel;
  values["mask"] = mask;
  values["max_error"] = error;
  values["naive_error"] = naive;
  values["tolerance"] = tolerance;
  return values;
}

TEST(KernelError, OfEachLengthTheWorstCaseIsDrawnBesideNaiveAndTolerance) {
  const Figure figure =
      kernel_error_figure(cases_of({checked("flash", "full", "0.0001", "0.0004", "0.002"),
                                    checked("flash", "causal", "0.0003", "0.0002", "0.001"),
                                    checked("torch_sdpa", "full", "0.0002", "0.0004", "0.002")}));
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  EXPECT_EQ(panel.title, "f16");
  EXPECT_TRUE(panel.y.log);
  ASSERT_EQ(series_named(panel, "flash").points.size(), 1u);
  EXPECT_DOUBLE_EQ(series_named(panel, "flash").points[0].y, 0.0003);
  EXPECT_DOUBLE_EQ(series_named(panel, "torch_sdpa").points.at(0).y, 0.0002);
  EXPECT_DOUBLE_EQ(series_named(panel, "naive, same type").points.at(0).y, 0.0004);
  EXPECT_DOUBLE_EQ(series_named(panel, "least tolerance").points.at(0).y, 0.001);
}

TEST(KernelError, EachTypeHasAPanel) {
  Values other = checked("flash", "full", "0.0001", "0.0004", "0.002");
  other["case_id"] += "f32";
  other["dtype"] = "f32";
  EXPECT_THAT(titles(kernel_error_figure(
                  cases_of({checked("flash", "full", "0.0001", "0.0004", "0.002"), other}))),
              ElementsAre("f16", "f32"));
}

TEST(KernelError, WithoutErrorsThereIsASentence) {
  EXPECT_EQ(kernel_error_figure(cases_of({checked("flash", "full", "", "", "")})).empty_reason,
            "no case has an error against the float64 reference");
}

}  // namespace
}  // namespace qb
