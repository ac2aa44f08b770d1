// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/published_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/status.h"
#include "harness/plan/theory/sent_bytes.h"

namespace qb {
namespace {

std::map<Answer, int> verdicts(DenseCount count, double weight) {
  std::map<Answer, int> counted;
  for (const PublishedSpeedUp& row : published_speed_ups())
    ++counted[judge(max_speed_up(row.step, count, weight), row.printed).answer];
  return counted;
}

TEST(PublishedBounds, EveryPrintedSpeedUpIsRead) {
  std::map<std::string, int> rows;
  for (const PublishedSpeedUp& row : published_speed_ups()) ++rows[row.table];
  EXPECT_EQ(rows, (std::map<std::string, int>{
                      {"3", 21}, {"4", 20}, {"5", 12}, {"A.1", 80}, {"A.2", 16}, {"A.3", 41}}));
  const PublishedSpeedUp& first = published_speed_ups().front();
  EXPECT_EQ(first.step.tokens_per_worker, 4096.0);
  EXPECT_EQ(first.printed.text, "1.46");
}

// The layers alone leave 33 rows one unit too high with w = 1.25, and no w suits all rows.
TEST(PublishedBounds, LayersAloneGive157Of190AndTheRestOneUnitOff) {
  const auto counted = verdicts(DenseCount::layers, kLayersWeight);
  EXPECT_EQ(counted.at(Answer::agrees), 157);
  EXPECT_EQ(counted.at(Answer::within), 33);
  EXPECT_FALSE(counted.contains(Answer::contradicts));
  const WeightFit fit = fit_weight(published_speed_ups(), DenseCount::layers);
  EXPECT_EQ(fit.most_agreeing, 166u);
  EXPECT_NEAR(fit.least_squares, 1.232, 5e-4);
}

TEST(PublishedBounds, WithTheVocabularyAll190Agree) {
  EXPECT_EQ(verdicts(DenseCount::layers_and_vocabulary, kLayersAndVocabularyWeight),
            (std::map<Answer, int>{{Answer::agrees, 190}}));
  const WeightFit fit = fit_weight(published_speed_ups(), DenseCount::layers_and_vocabulary);
  EXPECT_EQ(fit.most_agreeing, 190u);
  EXPECT_NEAR(fit.from, 1.274, 1e-3);
  EXPECT_NEAR(fit.to, 1.2817, 1e-3);
  EXPECT_LT(fit.from, fit.least_squares);
  EXPECT_LT(fit.least_squares, fit.to);
  EXPECT_LT(fit.rms_difference, 0.01 / std::sqrt(12.0));  // rounding explains it
}

TEST(PublishedBounds, TheFitIsTheBestOfAScan) {
  for (const DenseCount count : {DenseCount::layers, DenseCount::layers_and_vocabulary}) {
    const WeightFit fit = fit_weight(published_speed_ups(), count);
    std::size_t most = 0;
    double best = 0.0;
    double least = HUGE_VAL;
    for (double weight = 0.5; weight < 2.5; weight += 1e-3) {
      double squares = 0.0;
      for (const PublishedSpeedUp& row : published_speed_ups())
        squares += std::pow(max_speed_up(row.step, count, weight) - row.printed.value, 2);
      if (squares < least) best = weight;
      least = std::min(least, squares);
      const auto counted = verdicts(count, weight);
      const auto agreeing = counted.find(Answer::agrees);
      if (agreeing != counted.end())
        most = std::max(most, static_cast<std::size_t>(agreeing->second));
    }
    EXPECT_LE(most, fit.most_agreeing);  // the best range may lie between two points of the scan
    EXPECT_EQ(verdicts(count, (fit.from + fit.to) / 2.0).at(Answer::agrees),
              static_cast<int>(fit.most_agreeing));
    EXPECT_NEAR(best, fit.least_squares, 1e-3);
  }
}

TEST(PublishedBounds, MinimumBlocksAgreeButForA100InfiniBand) {
  ASSERT_EQ(published_min_blocks().size(), 5u);
  for (const PublishedMinBlock& row : published_min_blocks()) {
    const double block =
        1e-3 * min_block_tokens(row.peak_flop_per_s, row.link_byte_per_s, 2, 1, 1, false);
    const bool agrees = row.host != "A100 InfiniBand";
    EXPECT_EQ(judge(block, row.block_kilotokens).answer == Answer::agrees, agrees) << row.host;
    EXPECT_EQ(judge(kBlocksPerWorker * block, row.sequence_kilotokens).answer == Answer::agrees,
              agrees)
        << row.host;
    if (!agrees) {
      EXPECT_NEAR(block, 24.96, 1e-9);
    }
  }
}

}  // namespace
}  // namespace qb
