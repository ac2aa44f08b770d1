// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

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

TEST(GradientError, EachGradientHasAPanelAndEachWorkerCountALine) {
  const Figure figure = gradient_error_figure(
      scheme_table({with_errors("dense", 1, 512, 0.01), with_errors("dense", 1, 1024, 0.02),
                    with_errors("cqs", 7, 512, 0.03)}));
  EXPECT_EQ(figure.columns, 3);
  EXPECT_THAT(titles(figure), ElementsAre("dQ, bf16", "dK", "dV"));
  const Series& dense = series_named(figure.panels.at(1), "dense, W = 1");
  ASSERT_EQ(dense.points.size(), 2u);
  EXPECT_DOUBLE_EQ(dense.points[0].x, 512.0);
  EXPECT_DOUBLE_EQ(dense.points[0].y, 0.02);
  EXPECT_DOUBLE_EQ(dense.points[1].y, 0.04);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[2], "cqs, W = 7").points.at(0).y, 0.12);
  EXPECT_THAT(figure.notes.at(1), HasSubstr("uses 24 % of it: dV of cqs, W = 7, N = 512, bf16"));
}

TEST(GradientError, EachTypeHasARow) {
  EXPECT_EQ(gradient_error_figure(scheme_table({with_errors("ring", 4, 512, 0.01),
                                                with_errors("ring", 4, 512, 1e-6, "f32")}))
                .panels.size(),
            6u);
}

TEST(GradientError, WithoutGradientsThereIsASentence) {
  EXPECT_THAT(gradient_error_figure(scheme_table({scheme_case("ring", 2, 1000, 0.5)})).empty_reason,
              HasSubstr("no case has gradients"));
}

}  // namespace
}  // namespace qb
