// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <set>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values distilled(int workers, const char* mask, const char* distillation, double seconds,
                 const char* pairs) {
  Values values =
      scheme_case("cqs", workers, 1000, seconds,
                  {{"mask", mask}, {"distillation", distillation}, {"critical_path_pairs", pairs}});
  values["case_id"] += distillation;
  return values;
}

TEST(DistillationGain, HasAPanelAMaskAndThePairsBesideTheGain) {
  const Figure figure = distillation_gain_figure(scheme_table(
      {distilled(4, "full", "published", 0.4, "500"), distilled(4, "full", "balanced", 0.3, "400"),
       distilled(4, "causal", "published", 0.2, "200"),
       distilled(4, "causal", "balanced", 0.2, "180")}));
  EXPECT_THAT(titles(figure), ElementsAre("causal mask", "full mask"));
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "cqs").points.at(0).y, 0.75);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "cqs, pairs").points.at(0).y, 0.8);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "cqs, pairs").points.at(0).y, 0.9);
  EXPECT_EQ(figure.title,
            "Balanced self-distillation is faster than published in 1 of 2 pairs (0.75 of its "
            "time), slower in 0");
}

TEST(DistillationGain, DisturbedPairsAreInNoTitle) {
  Values spoilt = distilled(4, "full", "published", 0.4, "500");
  spoilt["disturbed_by"] = "stolen";
  EXPECT_EQ(
      distillation_gain_figure(scheme_table({spoilt, distilled(4, "full", "balanced", 0.3, "400")}))
          .title,
      "Balanced over published self-distillation");
}

TEST(DistillationGain, ModelledTimesAreToldApartByTheModelsError) {
  const auto title_of = [](double error) {
    std::vector<Values> rows = {distilled(4, "full", "published", 0.4, "500"),
                                distilled(4, "full", "balanced", 0.3, "400")};
    for (Values& values : rows) values["ranks"] = "model";
    PlottedRun run(scheme_table(rows));
    run.model_grade = [=] { return ModelGrade{.forward = {error}}; };
    return distillation_gain_figure(run).title;
  };
  EXPECT_THAT(title_of(1.2), HasSubstr("faster than published in 1 of 1 pair"));
  EXPECT_THAT(title_of(1.5), HasSubstr("faster than published in 0 of 1 pair, slower in 0"));
}

TEST(DistillationGain, WithoutBothThereIsASentence) {
  EXPECT_THAT(
      distillation_gain_figure(scheme_table({distilled(4, "full", "published", 0.4, "500")}))
          .empty_reason,
      HasSubstr("both distillations"));
  EXPECT_FALSE(distillation_gain_figure(no_cases()).empty_reason.empty());
}

// The committed figure: the title's numbers are those of its intervals.
TEST(DistillationGain, CommittedTitleCountsTheIntervals) {
  const CommittedFigure figure("cqs_balanced", "distillation_gain");
  std::set<double> faster;
  int slower = 0;
  int all = 0;
  for (const Mark& mark : figure.marks()) {
    if (!(mark.low <= mark.high)) continue;
    ++all;
    if (mark.high < 1.0) faster.insert(mark.y);
    slower += mark.low > 1.0 ? 1 : 0;
  }
  EXPECT_EQ(figure.title(),
            fmt::format("Balanced self-distillation is faster than published in {} of {} pairs "
                        "({:.3g} to {:.3g} of its time), slower in {}",
                        faster.size(), all, *faster.begin(), *faster.rbegin(), slower));
}

}  // namespace
}  // namespace qb
