// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "plots/figures/figures.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;

Values layer_case(int n) {
  Values values = ok_case(1, n, 1.0);
  values["workload"] = "transformer_layer";
  return values;
}

// One repeat of a layer whose attention takes 97 % of the time; GELU takes none.
CsvTable one_repeat(const CsvTable& cases) {
  CsvTable parts({"case_id", "repeat", "warmup", "part", "flop", "time_s"});
  for (std::size_t row = 0; row < cases.size(); ++row)
    for (const auto& [part, seconds] :
         {std::pair{"qkv", "0.03"}, std::pair{"attention", "0.97"}, std::pair{"gelu", "0"}})
      parts.append({cases.text(row, "case_id"), "0", "0", part, "1", seconds});
  return parts;
}

TEST(LayerBars, PartsAreStackedInPercentAtPlacesThatAscend) {
  const CsvTable cases = cases_of({layer_case(2000), layer_case(1000)});
  const Panel panel = layer_shares_figure(with_parts(cases, one_repeat(cases))).panels.at(0);
  ASSERT_EQ(panel.x.tics.size(), 2u);
  EXPECT_EQ(panel.x.tics[0].label, "1000");
  const std::vector<Point>& attention = series_named(panel, "attention").points;
  ASSERT_EQ(attention.size(), 2u);
  EXPECT_NEAR(attention[0].low, 3.0, 1e-9) << "on top of the projection";
  EXPECT_NEAR(attention[0].high, 100.0, 1e-9);
  EXPECT_NEAR(attention[0].y, 97.0, 1e-9) << "y is the value, not the middle";
  EXPECT_DOUBLE_EQ(attention[1].x, 1.0);
  EXPECT_THROW((void)series_named(panel, "GELU"), std::out_of_range) << "0 % is not drawn";
}

TEST(LayerBars, OnlyPartsWithRoomHaveTheirNumber) {
  const CsvTable cases = cases_of({layer_case(1000)});
  const Panel panel = layer_shares_figure(with_parts(cases, one_repeat(cases))).panels.at(0);
  EXPECT_EQ(series_named(panel, "attention").points.at(0).text, "97");
  EXPECT_EQ(series_named(panel, "QKV projection").points.at(0).text, "");
}

TEST(LayerBars, PublishedOnesAreLighterAndDoNotMakeAFigure) {
  const CsvTable cases = cases_of({layer_case(1000)});
  const CsvTable parts = one_repeat(cases);
  PlottedRun run = with_parts(cases, parts);
  run.published = true;
  const Figure figure = layer_shares_figure(run);
  const Series& theirs = series_named(figure.panels.at(1), "published self-output");
  EXPECT_EQ(theirs.style.colour, lightened(0xE69F00));
  EXPECT_TRUE(theirs.published);
  EXPECT_TRUE(theirs.in_legend);
  EXPECT_NE(layer_shares_figure(with_parts(cases, CsvTable(parts.header()))).empty_reason, "");
}

}  // namespace
}  // namespace qb
