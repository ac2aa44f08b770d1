// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values priced(const std::string& algorithm, std::int64_t n_tokens, double seconds,
              const char* modelled) {
  return scheme_case(algorithm, 4, n_tokens, seconds, {{"modelled_wall_time_s", modelled}});
}

// The model is right at 1024 tokens and wrong at 2048; both schemes have as many pairs.
CsvTable two_sets() {
  return scheme_table({priced("ring", 1024, 0.2, "0.3"), priced("zigzag", 1024, 0.1, "0.2"),
                       priced("ring", 2048, 0.4, "0.5"), priced("zigzag", 2048, 0.5, "0.4")});
}

TEST(SelectorRegret, AChoiceCostsItsTimeOverTheFastest) {
  const Figure figure = selector_regret_figure(two_sets());
  const Panel& panel = figure.panels.at(0);
  const auto& ring = series_named(panel, "ring").points;
  ASSERT_EQ(ring.size(), 2u) << "a mark a set of cases";
  EXPECT_DOUBLE_EQ(ring[0].x, 100.0);
  EXPECT_DOUBLE_EQ(ring[1].x, 0.0);
  EXPECT_FALSE(series_named(panel, "ring").thin) << "hollow marks are disturbed ones";
  const auto& model = series_named(panel, "by the model").points;
  EXPECT_DOUBLE_EQ(model.at(0).x, 0.0);
  EXPECT_DOUBLE_EQ(model.at(1).x, 25.0);
  const auto& medians = series_named(panel, "median").points;
  EXPECT_DOUBLE_EQ(medians.at(0).x, 12.5);
  EXPECT_EQ(figure.finding,
            "By rule, the median regret lies between 12.5 % (by the model) and 50.0 % (ring).");
}

TEST(SelectorRegret, RulesAreInTheOrderOfTheirMeansWhichTheNotesName) {
  const Figure figure = selector_regret_figure(two_sets());
  std::vector<std::string> names;
  for (const Axis::Tic& tic : figure.panels.at(0).y.tics) names.push_back(tic.label);
  EXPECT_THAT(names, ElementsAre("by the model", "zigzag", "by pairs", "ring"));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("by the model 12.5 %")));
}

TEST(SelectorRegret, TheMissRateDecidesBetweenKeysAndQueries) {
  const Values cached = {{"kv_len", "1000"}, {"q_heads", "16"}, {"kv_heads", "1"}};
  const Figure figure = selector_regret_figure(scheme_table(
      {scheme_case("pass_kv", 4, 100, 0.2, cached), scheme_case("pass_q", 4, 100, 0.1, cached),
       scheme_case("pass_kv", 4, 200, 0.3, cached), scheme_case("pass_q", 4, 200, 0.1, cached)}));
  // The bound is 12.5 %: pass_q at 10 %, pass_kv at 20 %.
  const auto& points = series_named(figure.panels.at(0), "by miss rate").points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_DOUBLE_EQ(points[0].x, 0.0);
  EXPECT_NEAR(points[1].x, 200.0, 1e-9);
}

TEST(SelectorRegret, ARuleThatSaysNothingOfSomeSetsNamesItsCount) {
  CsvTable cases = two_sets();
  add_case(cases, scheme_case("cqs", 8, 1024, 0.1));
  add_case(cases, scheme_case("ring", 8, 1024, 0.2));
  const Figure figure = selector_regret_figure(cases);
  EXPECT_EQ(series_named(figure.panels.at(0), "by the model (2/3)").points.size(), 2u);
}

TEST(SelectorRegret, OneSchemeIsASentence) {
  EXPECT_THAT(
      selector_regret_figure(scheme_table({scheme_case("ring", 4, 1024, 0.2)})).empty_reason,
      HasSubstr("no two schemes"));
}

}  // namespace
}  // namespace qb
