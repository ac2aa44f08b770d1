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
