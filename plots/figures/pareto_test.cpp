// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

Values holds(const char* scheme, double seconds, const char* bytes) {
  return scheme_case(scheme, 8, 1000, seconds, {{"predicted_device_peak_bytes", bytes}});
}

TEST(Pareto, TheFrontierIsWhatNoOtherSchemeBeatsInBoth) {
  const Figure figure =
      pareto_figure(scheme_table({holds("ring", 0.2, "1048576"), holds("zigzag", 0.1, "2097152"),
                                  holds("ulysses", 0.15, "4194304")}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring").points.at(0).x, 1.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring").points.at(0).y, 200.0);
  EXPECT_EQ(series_named(panel, "beaten by none").points.size(), 2u);
  EXPECT_EQ(figure.title, "At W = 8 no scheme beats ring or zigzag in both memory and time");
}

TEST(Pareto, CrowdedClocksHaveNoFrontier) {
  PlottedRun run(scheme_table({holds("ring", 0.2, "1048576"), holds("zigzag", 0.1, "2097152")}));
  run.provenance.cores = 2;
  const Figure figure = pareto_figure(run);
  EXPECT_EQ(figure.title, "Time against memory of a device, threads on 2 cores");
  EXPECT_THROW((void)series_named(figure.panels.at(0), "beaten by none"), std::out_of_range);
}

TEST(Pareto, OneSchemeIsASentence) {
  EXPECT_THAT(pareto_figure(scheme_table({holds("ring", 0.2, "1048576")})).empty_reason,
              HasSubstr("no two schemes"));
}

// The committed figure: no mark is left of and below one of the frontier.
TEST(Pareto, CommittedFrontierIsBeatenByNone) {
  auto lines = CommittedFigure("scaling_model", "pareto").lines("1");
  ASSERT_GE(lines["beaten by none"].size(), 2u);
  for (const auto& [bytes, ms] : lines["beaten by none"])
    for (const auto& [scheme, marks] : lines)
      for (const auto& [other_bytes, other_ms] : marks)
        EXPECT_FALSE(other_bytes < bytes && other_ms < ms) << scheme;
}

}  // namespace
}  // namespace qb
