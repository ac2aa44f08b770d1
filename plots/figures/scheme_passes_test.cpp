// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values of_pass(const std::string& algorithm, int workers, const char* pass, const char* sent_bytes,
               std::int64_t n_tokens = 1000) {
  return scheme_case(
      algorithm, workers, n_tokens, 0.5,
      {{"pass", pass}, {"device_sent_bytes", sent_bytes}, {"device_peak_bytes", "2097152"}});
}

TEST(SchemePasses, EachPassHasARowOfPanelsAndTheForwardPassIsTheFirst) {
  std::vector<Values> rows;
  for (const char* pass : {"backward", "both", "forward"})
    for (const int workers : {2, 4})
      rows.push_back(of_pass("ring", workers, pass, workers == 2 ? "1048576" : "3145728"));
  rows.push_back(of_pass("burst", 2, "backward", "524288"));
  const Figure figure = scheme_passes_figure(scheme_table(rows));
  EXPECT_EQ(figure.columns, 3);
  EXPECT_THAT(titles(figure),
              ElementsAre("bytes sent, forward pass", "memory of the fullest device", "wall clock",
                          "bytes sent, backward pass", "memory of the fullest device", "wall clock",
                          "bytes sent, both passes", "memory of the fullest device", "wall clock"));
  const Series& sent = series_named(figure.panels.at(3), "ring");
  ASSERT_EQ(sent.points.size(), 2u);
  EXPECT_DOUBLE_EQ(sent.points[0].x, 2.0);
  EXPECT_DOUBLE_EQ(sent.points[1].y / sent.points[0].y, 3.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[5], "burst").points.at(0).y, 500.0);
}

TEST(SchemePasses, EachKindOfRanksHasItsClockAndOneHasTheBytes) {
  std::vector<Values> rows;
  for (const char* ranks : {"serial", "threads"})
    for (const char* algorithm : {"ring", "burst"}) {
      Values values = of_pass(algorithm, 2, "backward", "1048576");
      values["ranks"] = ranks;
      values["case_id"] += ranks;
      values["disturbed_by"] = "stolen";
      rows.push_back(values);
    }
  const Figure figure = scheme_passes_figure(scheme_table(rows));
  EXPECT_EQ(figure.columns, 4);
  EXPECT_THAT(titles(figure),
              ElementsAre("bytes sent, backward pass", "memory of the fullest device",
                          "wall clock, threads", "critical path, serial"));
  for (const Panel& panel : figure.panels) EXPECT_EQ(panel.series.size(), 2u) << panel.title;
  EXPECT_FALSE(series_named(figure.panels[0], "ring").points.at(0).disturbed);
  EXPECT_TRUE(series_named(figure.panels[2], "ring").points.at(0).disturbed);
}

TEST(SchemePasses, TheLongestSequenceThatHasABackwardPassIsDrawn) {
  const Figure figure = scheme_passes_figure(
      scheme_table({of_pass("ring", 2, "forward", "1", 9000), of_pass("ring", 2, "backward", "1"),
                    of_pass("ring", 2, "forward", "1"), of_pass("ring", 2, "backward", "1", 500)}));
  ASSERT_EQ(figure.panels.size(), 6u);
  EXPECT_EQ(series_named(figure.panels[2], "ring").points.size(), 1u);
}

TEST(SchemePasses, WithoutABackwardPassThereIsASentence) {
  EXPECT_THAT(scheme_passes_figure(scheme_table({scheme_case("ring", 2, 1000, 0.5)})).empty_reason,
              HasSubstr("no case of several workers has a backward pass"));
}

}  // namespace
}  // namespace qb
