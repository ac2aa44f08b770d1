// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

// Makes 10 decode steps that end at 1000 keys.
Values steps(const std::string& algorithm, int workers, double seconds, const Values& more = {}) {
  Values all = {{"kv_len", "1000"}};
  for (const auto& [column, value] : more) all[column] = value;
  return scheme_case(algorithm, workers, 10, seconds, all);
}

TEST(DecodeAttention, TimeIsOfOneStepWithItsParts) {
  const Figure figure = decode_attention_figure(scheme_table(
      {steps("dense", 1, 0.08),
       steps("tree_decode", 2, 0.05,
             {{"compute_median_s", "0.03"}, {"exposed_communication_median_s", "0.01"}})}));
  ASSERT_EQ(figure.panels.size(), 4u);
  const Panel& panel = figure.panels[0];
  EXPECT_DOUBLE_EQ(series_named(panel, "dense").points.at(0).y, 8.0);
  const Point wall = series_named(panel, "tree_decode").points.at(0);
  EXPECT_DOUBLE_EQ(wall.x, 2.0);
  EXPECT_DOUBLE_EQ(wall.y, 5.0);
  EXPECT_DOUBLE_EQ(wall.low, 4.5);
  EXPECT_EQ(figure.panels[2].title, "computing");
  EXPECT_DOUBLE_EQ(series_named(figure.panels[2], "tree_decode").points.at(0).y, 3.0);
  EXPECT_EQ(figure.panels[3].title, "exposed communication");
  EXPECT_DOUBLE_EQ(series_named(figure.panels[3], "tree_decode").points.at(0).y, 1.0);
}

TEST(DecodeAttention, TheBaseIsTheOwnCaseOfOneWorkerAndElseDense) {
  const Figure figure =
      decode_attention_figure(scheme_table({steps("dense", 1, 0.08), steps("tree_decode", 4, 0.02),
                                            steps("decode", 1, 0.1), steps("decode", 4, 0.05)}));
  const Panel& panel = figure.panels.at(1);
  EXPECT_DOUBLE_EQ(series_named(panel, "tree_decode").points.at(0).y, 0.25);
  const auto& decode = series_named(panel, "decode").points;
  EXPECT_DOUBLE_EQ(decode.at(0).y, 1.0);
  EXPECT_DOUBLE_EQ(decode.at(1).y, 0.5);
}

TEST(DecodeAttention, PublishedShapesOfTheSameBatchAreRelativeToOneRank) {
  const Figure figure = decode_attention_figure(
      scheme_table({steps("decode", 1, 0.1), steps("decode", 1, 0.1, {{"batch", "4"}}),
                    steps("decode", 1, 0.1, {{"batch", "3"}})}));
  ASSERT_EQ(figure.panels.size(), 12u) << "four quantities of three batches";
  const Series& op = series_named(figure.panels.at(1), "published: attention op");
  EXPECT_TRUE(op.published);
  ASSERT_EQ(op.points.size(), 3u);
  EXPECT_EQ(op.points[0].y, 1.0);
  EXPECT_EQ(op.points[2].x, 4.0);
  EXPECT_DOUBLE_EQ(op.points[2].y, 14.7 / 38.9);
  EXPECT_THROW(static_cast<void>(series_named(figure.panels.at(5), "published: pass-Q")),
               std::out_of_range)
      << "nothing is published of a batch of three";
  EXPECT_DOUBLE_EQ(series_named(figure.panels.at(9), "published: pass-Q").points.at(1).y,
                   136.6 / 60.1);
}

TEST(DecodeAttention, KeysAndBatchAreRowsOfPanels) {
  const Figure figure = decode_attention_figure(
      scheme_table({steps("decode", 2, 0.1), steps("decode", 2, 0.2, {{"batch", "4"}}),
                    steps("decode", 2, 0.2, {{"kv_len", "2000"}})}));
  ASSERT_EQ(figure.panels.size(), 12u);
  EXPECT_EQ(figure.panels[0].title, "1,000 keys, B = 1, threads, no link limit");
  EXPECT_EQ(figure.panels[4].title, "1,000 keys, B = 4, threads, no link limit");
  EXPECT_EQ(figure.panels[8].title, "2,000 keys, B = 1, threads, no link limit");
}

TEST(DecodeAttention, DenseAloneIsNoDecoding) {
  EXPECT_THAT(decode_attention_figure(scheme_table({steps("dense", 1, 0.08)})).empty_reason,
              HasSubstr("tree_decode"));
  EXPECT_THAT(decode_attention_figure(case_study_2(10)).empty_reason, HasSubstr("tree_decode"));
}

}  // namespace
}  // namespace qb
