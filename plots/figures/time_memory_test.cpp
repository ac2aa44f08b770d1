#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Values held(const std::string& algorithm, int workers, double seconds, double mib) {
  return scheme_case(algorithm, workers, 1024, seconds,
                     {{"device_peak_bytes", to_text(mib * 1024 * 1024)}});
}

TEST(TimeMemory, ASchemeIsAMarkAndTheStepsLeadAlongThoseThatNoneBeatsInBoth) {
  const Figure figure = time_memory_figure(
      scheme_table({held("zigzag", 4, 0.25, 4), held("cqs", 4, 0.6, 8), held("ring", 4, 0.5, 2)}));
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  const Series& ring = series_named(panel, "ring");
  EXPECT_EQ(ring.draw, Draw::points);
  EXPECT_EQ(ring.style, algorithm_style("ring"));
  EXPECT_DOUBLE_EQ(ring.points.at(0).x, 2.0);
  EXPECT_DOUBLE_EQ(ring.points[0].y, 500.0);
  EXPECT_DOUBLE_EQ(ring.points[0].high, 550.0);
  const auto& front = series_named(panel, "none is better in both").points;
  ASSERT_EQ(front.size(), 2u) << "cqs is slower than ring and needs more";
  EXPECT_DOUBLE_EQ(front[0].x, 2.0);
  EXPECT_DOUBLE_EQ(front[1].x, 4.0);
  EXPECT_DOUBLE_EQ(front[1].y, 250.0);
}

TEST(TimeMemory, EachWorkerCountHasAPanel) {
  const Figure figure = time_memory_figure(
      scheme_table({held("ring", 4, 0.5, 2), held("cqs", 4, 0.6, 8), held("ring", 8, 0.5, 2),
                    held("cqs", 8, 0.6, 8), held("ring", 16, 0.6, 8)}));
  EXPECT_THAT(titles(figure), ElementsAre(HasSubstr("W = 4"), HasSubstr("W = 8")));
}

TEST(TimeMemory, OfPassesThatRanAloneAndTogetherTheLatterAreDrawn) {
  std::vector<Values> cases;
  for (const char* pass : {"forward", "backward", "both"})
    for (const char* algorithm : {"ring", "cqs"}) {
      cases.push_back(held(algorithm, 4, 0.5, 2));
      cases.back()["pass"] = pass;
      cases.back()["case_id"] += pass;
      if (cases.size() < 3) cases.back()["n_samples"] = "3";
    }
  const Figure figure = time_memory_figure(scheme_table(cases));
  EXPECT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(figure.notes[0], HasSubstr("of 5 repeats")) << "those of the rows that are drawn";
  EXPECT_THAT(figure.notes[0], Not(HasSubstr("points")));
  EXPECT_THAT(figure.notes, Contains("Both passes together; scheme_passes has each."));
}

TEST(TimeMemory, OneSchemeIsASentence) {
  EXPECT_THAT(time_memory_figure(scheme_table({held("ring", 4, 0.5, 2)})).empty_reason,
              HasSubstr("no two schemes"));
}

}  // namespace
}  // namespace qb
