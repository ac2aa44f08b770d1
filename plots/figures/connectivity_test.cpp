// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <vector>

namespace qb {
namespace {

Connectivity pattern(const char* mask, const std::vector<const char*>& allowed) {
  Connectivity out{
      mask, 8, 0.25,
      CsvTable({"worker", "q_begin", "q_end", "k_begin", "k_end", "allowed", "offset"})};
  for (std::size_t i = 0; i < allowed.size(); ++i)
    out.rectangles.append({"0", i == 0 ? "2" : "4", i == 0 ? "4" : "6", "2", "6", allowed[i], "0"});
  return out;
}

TEST(Connectivity, EachPatternIsASquareOfAllItsTokensInItsColour) {
  std::vector<Connectivity> patterns = {
      pattern("{block_local: {block: 4}}", {"cells"}),
      pattern("{global: {tokens: 1}}", {"cells", "some"}), pattern("causal", {"all"}),
      pattern("{all_of: [causal, {global: {tokens: 1}}]}", {"cells"})};
  patterns[2].kept_share = 0.5;
  const Figure figure = connectivity_figure(patterns);
  ASSERT_EQ(figure.panels.size(), 4u);
  EXPECT_TRUE(figure.square);
  EXPECT_EQ(figure.panels[0].title, "block_local: 25 % kept");
  EXPECT_EQ(figure.panels[3].title, "causal global: 25 % kept");
  // The axis spans the tokens, not only the drawn ones.
  EXPECT_EQ(figure.panels[0].x.tics.back().value, 8.0);
  EXPECT_TRUE(figure.panels[0].y.reversed);
  EXPECT_EQ(figure.panels[0].series.at(0).style.colour, pattern_style("block_local").colour);
  ASSERT_EQ(figure.panels[1].series.size(), 2u);
  EXPECT_EQ(figure.panels[1].series[1].style.colour, lightened(pattern_style("global").colour));
  EXPECT_THAT(figure.notes[0], ::testing::HasSubstr("pale"));
  EXPECT_THAT(figure.notes[1], ::testing::HasSubstr("{global: {tokens: 1}}; causal; "));
  EXPECT_EQ(figure.title, "Patterns keep 25 to 50 % of all pairs of 8 tokens");
}

TEST(Connectivity, OfSinglePairsNothingIsPale) {
  const std::vector<Connectivity> patterns = {pattern("{block_local: {block: 4}}", {"cells"})};
  EXPECT_EQ(connectivity_figure(patterns).notes[0], "Coloured: the query sees the key.");
}

}  // namespace
}  // namespace qb
