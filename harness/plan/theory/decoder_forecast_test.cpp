// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/decoder_forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const Decoder& llama() { return decoder_named("llama3_405b_fp8"); }

constexpr PrefillRates kPrefill{.product_flop_per_s = 600e12,
                                .attention_flop_per_s = 540e12,
                                .host_byte_per_s = 360e9,
                                .network_byte_per_s = 26.1e9};

DecoderTime prefill(const DecoderSplit& split, std::int64_t new_tokens,
                    std::int64_t cached_tokens = 0, RingVariant variant = RingVariant::pass_kv,
                    const PrefillRates& rates = kPrefill) {
  return prefill_time(llama(), split, variant, new_tokens, cached_tokens, rates);
}

TEST(DecoderForecast, CountsTheFlopOf405BillionParameters) {
  const DecoderTime one = prefill({1, 1}, 1000);
  const double parameters = one.products_s * kPrefill.product_flop_per_s / (2.0 * 1000.0);
  // 405.85e9 with the two tables of the vocabulary, which no layer multiplies by.
  EXPECT_NEAR(parameters, 401'646'551'040.0, 1.0);
  EXPECT_EQ(one.all_reduce_s, 0.0);
  EXPECT_EQ(one.rest_s, 0.0);
}

TEST(DecoderForecast, AttentionComputesThePairsOfThePlan) {
  constexpr std::int64_t kNew = 512;
  constexpr std::int64_t kCached = 1536;
  // Without a network only the steps are left.
  PrefillRates rates = kPrefill;
  rates.network_byte_per_s = 1e30;
  for (const int ranks : {1, 2, 4}) {
    const Problem problem =
        make_problem({1, 16, 1, kNew, kNew + kCached, 128, 128}, MaskKind::causal, DType::bf16, 0);
    const Plan plan = make_plan("pass_kv", problem, {ranks, {}});
    const auto pairs = static_cast<double>(model_work(plan, Kernel::reference).critical_path_pairs);
    const DecoderTime time = prefill({ranks, 8}, kNew, kCached, RingVariant::pass_kv, rates);
    const double flop = time.attention_s * rates.attention_flop_per_s / 126.0;
    EXPECT_NEAR(flop / (4.0 * 16.0 * 128.0 * pairs), 1.0, 1e-3) << ranks;
  }
}

TEST(DecoderForecast, HopsHideBehindStepsAndPassQReturnsItsPartials) {
  const DecoderSplit four{4, 8};
  const double all = prefill(four, 128000).attention_s;
  EXPECT_NEAR(prefill({1, 8}, 128000).attention_s / 4.0, all, 1e-9 * all);
  // At 1 % a step takes 155 us, and keys and values of 32,000 tokens 628 us on their way.
  const double kv = prefill(four, 1280, 126720).attention_s / 126.0;
  EXPECT_NEAR(kv, 154.6e-6 + 3 * 627.7e-6, 1e-6);
  // Queries of 320 tokens hide; their partial outputs, 960 x 16 x 129 x 2 bytes, follow.
  const double q = prefill(four, 1280, 126720, RingVariant::pass_q).attention_s / 126.0;
  EXPECT_NEAR(q, 4 * 154.6e-6 + 960 * 16 * 129 * 2 / 26.1e9, 1e-6);
}

TEST(DecoderForecast, AllReducesAreARingInAHostAndOneBetweenHostsForEachPart) {
  constexpr double kBytes = 128000.0 * 16384.0 * 2.0;
  const double in_host_s = 252 * 2.0 * 7.0 / 8.0 * kBytes / 360e9;
  EXPECT_NEAR(prefill({1, 8}, 128000).all_reduce_s, in_host_s, 1e-9);
  EXPECT_NEAR(prefill({2, 8}, 128000).all_reduce_s, in_host_s / 2.0, 1e-9);
  EXPECT_NEAR(prefill({1, 16}, 128000).all_reduce_s,
              in_host_s + 252 * 2.0 * 0.5 * kBytes / 8.0 / 26.1e9, 1e-9);
}

// Tables 6 and 7 of the paper; one host at 128K is what the rate of products was fitted to.
TEST(DecoderForecast, OfThePapersHostsIsWithinAFifthOfItsTimes) {
  struct Row {
    DecoderSplit split;
    std::int64_t tokens = 0;
    double published_s = 0.0;
    double by_hand_s = 0.0;
  };
  for (const Row& row : {Row{{1, 8}, 8000, 1.740, 1.721}, Row{{2, 8}, 8000, 0.999, 0.861},
                         Row{{1, 8}, 128000, 42.010, 42.218}, Row{{2, 8}, 128000, 21.042, 21.109},
                         Row{{4, 8}, 128000, 10.950, 10.555}, Row{{1, 16}, 128000, 29.917, 28.853},
                         Row{{1, 32}, 128000, 19.841, 22.170}}) {
    const double time_s = prefill(row.split, row.tokens).total_s();
    EXPECT_NEAR(time_s, row.by_hand_s, 0.002) << row.published_s;
    EXPECT_NEAR(time_s / row.published_s, 1.0, 0.2) << row.published_s;
  }
}

constexpr DecodeRates kDecode{.memory_byte_per_s = 2.4e12,
                              .layer_rest_s = 154e-6,
                              .hop_s = 32.3e-6,
                              .all_to_all_s = 81.1e-6,
                              .network_latency_s = 10e-6};

TEST(DecoderForecast, ATokenReadsTheWeightsAndTheCacheOnce) {
  const DecoderTime eight = decode_time(llama(), {1, 8}, 128000, kDecode);
  EXPECT_NEAR(eight.products_s, 24.881e-3, 1e-6);
  EXPECT_NEAR(eight.attention_s, 126 * 128000.0 * 512 / 2.4e12, 1e-9);
  EXPECT_EQ(eight.all_reduce_s, 0.0);
  EXPECT_NEAR(eight.total_s(), 47.73e-3, 1e-5);
  // Ranks add messages and take nothing away.
  const DecoderTime four = decode_time(llama(), {4, 8}, 128000, kDecode);
  EXPECT_NEAR(four.total_s() - eight.total_s(), 126 * (3 * 32.3e-6 + 81.1e-6), 1e-9);
  // Two hosts of one rank read half of the weights, but a whole key-value head each.
  const DecoderTime sixteen = decode_time(llama(), {1, 16}, 128000, kDecode);
  EXPECT_NEAR(sixteen.attention_s, eight.attention_s, 1e-12);
  EXPECT_NEAR(sixteen.total_s(), 40.55e-3, 1e-5);
}

TEST(DecoderForecast, FitsADeviceOf96GBOnlyWithAFeedForwardOfOneByte) {
  const double bytes = decoder_device_bytes(llama(), {1, 8}, 128000);
  EXPECT_NEAR(bytes, 68.50e9, 0.01e9);
  Decoder wide = llama();
  wide.feed_forward_weight_bytes = 2;
  EXPECT_GT(decoder_device_bytes(wide, {1, 8}, 128000), 96e9);
  EXPECT_NEAR(bytes - decoder_device_bytes(llama(), {4, 8}, 128000), 0.75 * 128000 * 126 * 512,
              1.0);
}

TEST(DecoderForecast, RefusesWhatCannotBe) {
  EXPECT_THAT(
      [] {
        (void)prefill({1, 12}, 1000);
      },
      ThrowsMessage<Unsupported>(HasSubstr("12 devices of a rank are not whole hosts of 8")));
  EXPECT_THAT(
      [] {
        (void)prefill({1, 3}, 1000);
      },
      ThrowsMessage<Unsupported>(HasSubstr("128 query heads do not divide among 3")));
  EXPECT_THROW((void)prefill({0, 8}, 1000), UsageError);
  EXPECT_THROW((void)prefill({1, 8}, 0), UsageError);
  EXPECT_THROW((void)prefill({1, 8}, 1000, 0, RingVariant::pass_kv, {}), UsageError);
  EXPECT_THROW((void)decode_time(llama(), {1, 8}, 1000, {}), UsageError);
  EXPECT_THAT([] { (void)decoder_named("llama3_405b"); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean 'llama3_405b_fp8'?")));
}

}  // namespace
}  // namespace qb
