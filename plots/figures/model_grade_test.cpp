// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "plots/figures/figures.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

CsvTable graded(const std::string& rows) {
  return CsvTable::parse("algorithm,device,published_over_predicted_time,case\n" + rows, "g");
}

TEST(ModelGrade, AnAlgorithmHasItsCasesByDeviceAndTheBestKnownIsOnTop) {
  const Figure figure = model_grade_figure(
      graded("zigzag,a100,1.5,z1\nring,a100,1.1,r1\nring,h800,0.8,r2\nzigzag,a100,0.5,z2\n"));
  EXPECT_EQ(figure.name, "model_grade");
  const Panel& panel = figure.panels.at(0);
  EXPECT_TRUE(panel.x.log);
  ASSERT_EQ(panel.y.tics.size(), 2u);
  EXPECT_EQ(panel.y.tics[0].label, "ring");
  EXPECT_EQ(series_named(panel, "zigzag, a100").points.size(), 2u);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring, h800").points.at(0).x, 0.8);
  EXPECT_DOUBLE_EQ(series_named(panel, "published = predicted").points.at(0).x, 1.0);
  EXPECT_THAT(figure.notes.at(0), HasSubstr("a factor of 1.38 in the median of 4, and of 2.00 at "
                                            "worst: z2."));
  EXPECT_EQ(figure.finding,
            "By algorithm, the median of published / predicted time lies between 0.950 (ring) and "
            "1.00 (zigzag).");
}

TEST(ModelGrade, WithoutARowThereIsNothingToDraw) {
  EXPECT_THAT(model_grade_figure(graded("")).empty_reason, HasSubstr("no published"));
}

}  // namespace
}  // namespace qb
