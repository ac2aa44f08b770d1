// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/quantities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

double value(std::string_view name, std::vector<FormulaValue> arguments) {
  return quantity(name, arguments);
}

TEST(Quantities, AreThoseOfTheVerbs) {
  EXPECT_EQ(value("covers", {exactly(7), std::string("0 1 3")}), 1.0);
  EXPECT_EQ(value("covers", {exactly(7), std::string("0 1 2")}), 0.0);
  // Case study 1 of CQS-Attention: N = 10, W = 7; the longest subsequence holds 5 tokens.
  EXPECT_EQ(value("longest_subsequence", {exactly(7), exactly(10)}), 5.0);
  EXPECT_EQ(value("held_tokens", {exactly(7), exactly(10), std::string("0 1 3"), exactly(3)}), 5.0);
  EXPECT_EQ(value("held_tokens", {exactly(7), exactly(10), std::string("0 1 3"), exactly(6)}), 4.0);
  EXPECT_NEAR(value("asymptotic_responsibility_ratio", {exactly(3), std::string("0 1")}), 2.9675,
              5e-5);
  // Ring Attention, table 2: 312 TFLOP/s over 300 GB/s.
  EXPECT_NEAR(value("min_block_tokens", {exactly(312e12), exactly(300e9)}), 1040.0, 1e-9);
}

// A chain and its pipelined form hand on one state a worker, an all-gather sends to all others.
TEST(Quantities, CountTheStatesOfAScan) {
  const auto sent = [](const std::string& scan, double workers) {
    return value("scan_sent_states", {scan, exactly(workers)});
  };
  EXPECT_EQ(sent("chain", 64), 1.0);
  EXPECT_EQ(sent("all_scan", 64), 1.0);
  EXPECT_EQ(sent("all_gather", 64), 63.0);
  EXPECT_EQ(sent("tree", 64), 6.0);
  EXPECT_EQ(sent("all_gather", 1), 0.0);
  EXPECT_THAT([&] { (void)sent("lasp", 64); }, ThrowsMessage<UsageError>(HasSubstr("scan 'lasp'")));
  EXPECT_THAT([&] { (void)sent("chain", 0); },
              ThrowsMessage<UsageError>(HasSubstr("1 worker or more, not 0")));
}

// decoder_forecast_test.cpp has the numbers.
TEST(Quantities, ForecastADecoder) {
  const FormulaValue decoder = std::string("llama3_405b_fp8");
  const auto prefill = [&](const std::string& variant, double tensor) {
    return value("prefill_s",
                 {decoder, variant, exactly(1), exactly(tensor), exactly(128e3), exactly(0),
                  exactly(600e12), exactly(540e12), exactly(360e9), exactly(26.1e9)});
  };
  EXPECT_NEAR(prefill("pass_kv", 8), 42.218, 0.001);
  EXPECT_NEAR(prefill("pass_q", 16), 28.853, 0.001);
  EXPECT_THROW((void)prefill("pass_kv", 3), Unsupported);
  EXPECT_THAT([&] { (void)prefill("pass_v", 8); },
              ThrowsMessage<UsageError>(HasSubstr("ring variant 'pass_v'")));
  EXPECT_NEAR(value("decode_s", {decoder, exactly(4), exactly(8), exactly(128e3), exactly(2.4e12),
                                 exactly(154e-6), exactly(32.3e-6), exactly(81.1e-6), exactly(0)}),
              70.15e-3, 1e-5);
  EXPECT_NEAR(value("decoder_device_bytes", {decoder, exactly(1), exactly(8), exactly(128e3)}),
              68.50e9, 0.01e9);
}

TEST(Quantities, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT([] { (void)value("cover", {}); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean 'covers'?")));
  EXPECT_THAT([] { (void)value("covers", {exactly(7)}); },
              ThrowsMessage<UsageError>(
                  HasSubstr("covers(workers, interest_set) takes 2 arguments, not 1")));
}

TEST(Quantities, LengthsAreReadAsPapersPrintThem) {
  EXPECT_EQ(tokens_of_label("512"), 512.0);
  EXPECT_EQ(tokens_of_label("16k"), 16384.0);
  EXPECT_EQ(tokens_of_label("128K"), 131072.0);
  EXPECT_EQ(tokens_of_label("1M"), 1048576.0);
  EXPECT_THROW((void)tokens_of_label("long"), UsageError);
}

}  // namespace
}  // namespace qb
