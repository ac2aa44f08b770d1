// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/selector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/source_root.h"
#include "base/status.h"

namespace qb {
namespace {

// The paper's 4 hosts of Llama 3 405B, with 800 TFLOP/s and 400 Gb/s per GPU.
Prefill llama(std::int64_t new_tokens, std::int64_t cached_tokens) {
  return {.new_tokens = new_tokens,
          .cached_tokens = cached_tokens,
          .workers = 4,
          .q_heads = 128,
          .kv_heads = 8,
          .element_bytes = 2,
          .compute_flop_per_s = 800e12,
          .link_byte_per_s = 50e9};
}

std::vector<SelectorSample> published_table_4() {
  std::ifstream file(source_path("data/published/context_parallel_table_4_pass_kv_vs_pass_q.csv"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const CsvTable table = CsvTable::parse(text, "table 4");
  std::vector<SelectorSample> samples;
  for (std::size_t row = 0; row < table.size(); ++row)
    samples.push_back({llama(static_cast<std::int64_t>(table.number(row, "new_tokens")),
                             static_cast<std::int64_t>(table.number(row, "cached_tokens"))),
                       1e-3 * table.number(row, "pass_kv_ttft_ms"),
                       1e-3 * table.number(row, "pass_q_ttft_ms")});
  return samples;
}

TEST(Selector, Algorithm1TakesPassKvFromEitherBound) {
  // W C NKV e / (2 NH B) = 4000 tokens; 2 NKV / NH = 1/8.
  EXPECT_EQ(choose_algorithm_1(llama(4000, 1'000'000)), RingVariant::pass_kv);
  EXPECT_EQ(choose_algorithm_1(llama(3999, 1'000'000)), RingVariant::pass_q);
  EXPECT_EQ(choose_algorithm_1(llama(100, 700)), RingVariant::pass_kv);
  EXPECT_EQ(choose_algorithm_1(llama(100, 701)), RingVariant::pass_q);
}

TEST(Selector, Algorithm5LowersTheMissRateByTheAllToAll) {
  // T = 2000 lowers 1/8 by 4 T B / (W C e) = 1/16.
  EXPECT_EQ(choose_algorithm_5(llama(2000, 29'000)), RingVariant::pass_kv);
  EXPECT_EQ(choose_algorithm_5(llama(2000, 31'000)), RingVariant::pass_q);
  EXPECT_EQ(choose_algorithm_1(llama(2000, 29'000)), RingVariant::pass_q);
  // Algorithm 5 chooses pass-KV whenever Algorithm 1 does.
  for (std::int64_t t = 1; t < 200'000; t = t * 3 / 2 + 1)
    for (std::int64_t p = 0; p < 10'000'000; p = p * 2 + 1)
      if (choose_algorithm_1(llama(t, p)) == RingVariant::pass_kv) {
        ASSERT_EQ(choose_algorithm_5(llama(t, p)), RingVariant::pass_kv) << t << ' ' << p;
      }
}

TEST(Selector, PublishedTable4CrossesBetween5And10Percent) {
  for (const SelectorSample& sample : published_table_4())
    EXPECT_EQ(sample.best(),
              sample.prefill.miss_rate() < 0.06 ? RingVariant::pass_q : RingVariant::pass_kv)
        << sample.prefill.miss_rate();
}

TEST(Selector, Algorithm1OnPublishedTable4IsWrongOnlyWhereItHardlyMatters) {
  const SelectorScore score = score_selector(published_table_4(), choose_algorithm_1);
  EXPECT_EQ(score.q_best_kv_chosen, 2u);  // 3.25 and 5 %
  EXPECT_EQ(score.kv_best_q_chosen, 0u);
  EXPECT_NEAR(score.max_regret, 1298.92 / 1280.1 - 1.0, 1e-9);
  const SelectorScore always_q =
      score_selector(published_table_4(), [](const Prefill&) { return RingVariant::pass_q; });
  EXPECT_EQ(always_q.kv_best_q_chosen, 10u);
  EXPECT_NEAR(always_q.max_regret, 9666.62 / 8697.27 - 1.0, 1e-9);
}

TEST(Selector, ScoresCountEveryCellAndTheCostOfWrongChoices) {
  const std::vector<SelectorSample> samples = {
      {llama(1, 0), 1.0, 2.0}, {llama(2, 0), 3.0, 2.0}, {llama(3, 0), 1.0, 1.0}};
  const SelectorScore score =
      score_selector(samples, [](const Prefill&) { return RingVariant::pass_kv; });
  EXPECT_EQ(score.kv_best_kv_chosen, 2u);  // pass-KV wins a tie
  EXPECT_EQ(score.q_best_kv_chosen, 1u);
  EXPECT_DOUBLE_EQ(score.accuracy(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(score.max_regret, 0.5);
  EXPECT_DOUBLE_EQ(score.mean_regret, 0.5 / 3.0);
  EXPECT_TRUE(std::isnan(score_selector({}, choose_algorithm_1).accuracy()));
}

}  // namespace
}  // namespace qb
