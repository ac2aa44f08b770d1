// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values with_errors(const std::string& algorithm, int workers, std::int64_t n_tokens, double error,
                   const char* dtype = "bf16") {
  Values values =
      scheme_case(algorithm, workers, n_tokens, 0.5, {{"pass", "backward"}, {"dtype", dtype}});
  values["case_id"] += dtype;
  double times = 1.0;
  for (const char* gradient : {"d_q", "d_k", "d_v"}) {
    values[std::string(gradient) + "_relative_l2_error"] = to_text(error * times);
    values[std::string(gradient) + "_max_error"] = to_text(error * times);
    values[std::string(gradient) + "_tolerance"] = "0.5";
    times *= 2.0;
  }
  return values;
}

TEST(GradientError, EachGradientHasAPanelWithARowForEachWorkerCountAtTheLongestSequence) {
  const Figure figure = gradient_error_figure(
      scheme_table({with_errors("dense", 1, 512, 0.01), with_errors("dense", 1, 1024, 0.02),
                    with_errors("cqs", 7, 1024, 0.03), with_errors("cqs", 7, 1024, 1e-6, "f32")}));
  EXPECT_EQ(figure.columns, 3);
  EXPECT_THAT(titles(figure), ElementsAre("dQ", "dK", "dV"));
  const Series& bf16 = series_named(figure.panels.at(1), "bf16");
  ASSERT_EQ(bf16.points.size(), 2u);
  EXPECT_DOUBLE_EQ(bf16.points[0].x, 0.04);
  EXPECT_EQ(figure.panels[1].y.tics.at(1).label, "cqs, W = 7");
  EXPECT_DOUBLE_EQ(bf16.points[1].y, 0.875) << "types stand beside one another";
  EXPECT_DOUBLE_EQ(bf16.points[1].x, 0.06);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[2], "f32").points.at(0).y, 1.125);
  EXPECT_EQ(figure.title,
            "At N = 1,024 gradients are off by at most 1.2e-01 in bf16, 4.0e-06 in f32");
  EXPECT_THAT(figure.notes.at(0), HasSubstr("Not drawn: 1 of 4 cases"));
}

TEST(GradientError, SumsThatTravelNarrowerAreDrawnAndTheTitleLeavesThemOut) {
  Values rounded = with_errors("ring", 16, 1024, 0.5);
  rounded["gradient_dtype"] = "bf16";
  rounded["case_id"] += "rounded";
  EXPECT_EQ(
      gradient_error_figure(scheme_table({with_errors("ring", 4, 1024, 0.01), rounded})).title,
      "At N = 1,024 gradients are off by at most 4.0e-02 in bf16, where sums travel in f32");
}

TEST(GradientError, AnErrorBelowTheRoundingOfItsTypeIsExplained) {
  const auto notes_of = [](double error) {
    return gradient_error_figure(scheme_table({with_errors("dense", 1, 512, error)})).notes;
  };
  EXPECT_THAT(notes_of(1e-4), ::testing::Contains(HasSubstr("results stay f32")));
  EXPECT_THAT(notes_of(0.1), ::testing::Not(::testing::Contains(HasSubstr("results stay f32"))));
}

TEST(GradientError, WithoutGradientsThereIsASentence) {
  EXPECT_THAT(gradient_error_figure(scheme_table({scheme_case("ring", 2, 1000, 0.5)})).empty_reason,
              HasSubstr("no case has gradients"));
}

// The committed figure: the title has the largest error of each type in the rows whose sums travel
// as float32; those that travel narrower lose more.
TEST(GradientError, CommittedTitleHasTheLargestErrorOfEachTypeWhereSumsTravelInF32) {
  const CommittedFigure figure("gradient_error", "gradient_error");
  const std::map<double, std::string> rows = figure.tics("1", "y");
  std::map<std::string, double> in_f32;  // by type
  std::map<std::string, double> narrower;
  for (const Mark& mark : figure.marks()) {
    const bool sent = rows.at(std::round(mark.y)).find("sums sent in") != std::string::npos;
    double& most = (sent ? narrower : in_f32)[mark.series];
    most = std::fmax(most, mark.x);
  }
  std::vector<std::string> said;
  for (const auto& [type, error] : in_f32) {
    EXPECT_GT(narrower.at(type), error) << type;
    said.push_back(fmt::format("{:.1e} in {}", error, type));
  }
  EXPECT_EQ(figure.title(),
            fmt::format("At N = 8,192 gradients are off by at most {}, where sums travel in f32",
                        listed(said)));
}

}  // namespace
}  // namespace qb
