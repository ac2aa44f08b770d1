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

TEST(Selector, RefittedToPublishedTable4ItIsAlwaysRight) {
  const auto samples = published_table_4();
  ASSERT_EQ(samples.size(), 14u);
  const LogLinearSelector fitted = fit_appendix_d(samples);
  const SelectorScore score =
      score_selector(samples, [&](const Prefill& p) { return fitted.choose(p); });
  EXPECT_EQ(score.accuracy(), 1.0);
  EXPECT_EQ(score.max_regret, 0.0);
  EXPECT_EQ(score.q_best_q_chosen, 4u);
  EXPECT_EQ(score.kv_best_kv_chosen, 10u);
  EXPECT_GE(score_appendix_d_left_out(samples).accuracy(), 12.0 / 14.0);
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

// Known coefficients make the choices; T and P vary separately, so both slopes count.
std::vector<SelectorSample> chosen_by(const LogLinearSelector& truth) {
  std::vector<SelectorSample> samples;
  for (std::int64_t t = 64; t <= 65536; t *= 2)
    for (std::int64_t p = 0; p <= 1 << 20; p = p * 2 + 512) {
      const bool kv = truth.choose(llama(t, p)) == RingVariant::pass_kv;
      samples.push_back({llama(t, p), kv ? 1.0 : 2.0, kv ? 2.0 : 1.0});
    }
  return samples;
}

TEST(Selector, TheFitFindsTheLineThatMadeTheChoices) {
  const LogLinearSelector truth{1.0, 2.0, -3.0};
  const auto samples = chosen_by(truth);
  const LogLinearSelector fitted = fit_appendix_d(samples);
  EXPECT_NEAR(fitted.beta / fitted.alpha, 2.0, 0.2);
  EXPECT_NEAR(fitted.gamma / fitted.alpha, -3.0, 0.6);
  EXPECT_EQ(score_selector(samples, [&](const Prefill& p) { return fitted.choose(p); }).accuracy(),
            1.0);
  const LogLinearSelector again = fit_appendix_d(samples);
  EXPECT_EQ(again.alpha, fitted.alpha);
  EXPECT_EQ(again.gamma, fitted.gamma);
}

// Newton's first whole step would make the loss of these four larger: it has to be halved.
TEST(Selector, TheFitGoesDownhillWhereAWholeStepWouldNot) {
  const std::vector<SelectorSample> samples = {{llama(1, 1000), 2.0, 1.0},
                                               {llama(2, 10'000'000), 1.0, 2.0},
                                               {llama(512, 1000), 1.0, 2.0},
                                               {llama(512, 0), 2.0, 1.0}};
  const LogLinearSelector fitted = fit_appendix_d(samples);
  EXPECT_NEAR(fitted.alpha, 4.122451, 1e-5);
  EXPECT_NEAR(fitted.beta, -3.160555, 1e-5);
  EXPECT_NEAR(fitted.gamma, -27.460089, 1e-4);
}

TEST(Selector, DegenerateDataStillFit) {
  const std::vector<SelectorSample> one = {{llama(100, 0), 2.0, 1.0}};
  EXPECT_EQ(fit_appendix_d(one).choose(llama(100, 0)), RingVariant::pass_q);
  const std::vector<SelectorSample> contradicting = {{llama(100, 0), 2.0, 1.0},
                                                     {llama(100, 0), 1.0, 2.0}};
  EXPECT_TRUE(std::isfinite(fit_appendix_d(contradicting).gamma));
  std::vector<SelectorSample> all_kv;
  for (std::int64_t t = 1; t < 1000; t *= 3) all_kv.push_back({llama(t, 1000), 1.0, 2.0});
  const LogLinearSelector fitted = fit_appendix_d(all_kv);
  EXPECT_EQ(fitted.choose(llama(1, 1000)), RingVariant::pass_kv);
}

TEST(Selector, ImpossibleMeasurementsAreRefused) {
  EXPECT_THROW((void)fit_appendix_d({}), UsageError);
  const auto refused = [](const SelectorSample& sample) {
    EXPECT_THROW((void)fit_appendix_d({&sample, 1}), UsageError);
  };
  refused({llama(0, 10), 1.0, 1.0});
  refused({llama(10, -1), 1.0, 1.0});
  refused({llama(10, 10), 0.0, 1.0});
  refused({llama(10, 10), 1.0, 0.0});
  refused({llama(10, 10), 1.0, std::nan("")});
  const SelectorSample sample{llama(10, 10), 1.0, 1.0};
  EXPECT_THROW((void)score_appendix_d_left_out({&sample, 1}), UsageError);
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
