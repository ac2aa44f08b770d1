// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/spec/sweep.h"

#include <gtest/gtest.h>

#include "base/numbers.h"

namespace qb {
namespace {

const Place kPlace{"test", 0, 0};

Value integer(std::int64_t value) { return {to_text(value), kPlace}; }
Value text(std::string value) { return {std::move(value), kPlace}; }
Value nothing() { return {}; }

bool holds(const std::string& filter, const Value& value) {
  return parse_filter(filter, kPlace).holds(value);
}

TEST(Filter, ComparesNumbersAsNumbers) {
  EXPECT_TRUE(holds("n_tokens=1024", integer(1024)));
  EXPECT_TRUE(holds("n_tokens=1Ki", integer(1024)));
  EXPECT_FALSE(holds("n_tokens!=1Ki", integer(1024)));
  EXPECT_TRUE(holds("n_tokens<1000", integer(999)));
  EXPECT_FALSE(holds("n_tokens<1000", integer(1000)));
  EXPECT_TRUE(holds("n_tokens<=1000", integer(1000)));
  EXPECT_FALSE(holds("n_tokens>9", integer(9)));
  EXPECT_TRUE(holds("n_tokens>9", integer(10)));  // as text, 10 comes first
  EXPECT_TRUE(holds("n_tokens>=1e3", integer(1000)));
  EXPECT_TRUE(holds("n_tokens>0", integer(1)));  // 0 is not a valid n_tokens, but a valid bound
  EXPECT_TRUE(holds("scale<0.5", text("0.25")));
  EXPECT_TRUE(holds("scale=.25", text("0.25")));
  EXPECT_FALSE(holds("scale<.25", text("0.25")));
  EXPECT_FALSE(holds("scale>.25", text("0.25")));
  EXPECT_TRUE(holds("scale>=.25", text("0.25")));
  EXPECT_FALSE(holds("scale!=.25", text("0.25")));
  EXPECT_FALSE(holds("scale<=.25", text("0.5")));
}

TEST(Filter, KeepsAll63BitsOfSeeds) {
  EXPECT_FALSE(holds("seed=9223372036854775806", integer(9223372036854775807)));
  EXPECT_TRUE(holds("seed<9223372036854775807", integer(9223372036854775806)));
}

TEST(Filter, ComparesWordsAndSetsAsText) {
  EXPECT_TRUE(holds("algorithm=cqs", text("cqs")));
  EXPECT_FALSE(holds("algorithm=cqs", text("dense")));
  EXPECT_TRUE(holds("algorithm!=cqs", text("dense")));
  EXPECT_TRUE(holds("pass=both", text("both")));
  EXPECT_FALSE(holds("pass=backward", text("forward")));
  EXPECT_TRUE(holds("interest_set=0 1 3", text("0,1,3")));
}

TEST(Filter, ReadsAPatternAsSpecsDo) {
  const Value window = text("{sliding_window: {left: 8, right: 7}}");
  EXPECT_TRUE(holds("mask={sliding_window: {right: 7, left: 8}}", window));
  EXPECT_FALSE(holds("mask={sliding_window: {left: 8, right: 8}}", window));
  EXPECT_TRUE(holds("mask!=causal", window));
  EXPECT_THROW((void)holds("mask={sliding_window: {left: 8", window), UsageError);
}

TEST(Filter, NothingEqualsOnlyNothing) {
  EXPECT_TRUE(holds("memory_budget_bytes=", nothing()));
  EXPECT_FALSE(holds("memory_budget_bytes=", integer(5)));
  EXPECT_TRUE(holds("memory_budget_bytes!=", integer(5)));
  EXPECT_FALSE(holds("memory_budget_bytes<1GiB", nothing()));
  EXPECT_FALSE(holds("memory_budget_bytes>=1GiB", nothing()));
  EXPECT_TRUE(holds("memory_budget_bytes!=1GiB", nothing()));
  EXPECT_FALSE(holds("memory_budget_bytes!=", nothing()));
}

}  // namespace
}  // namespace qb
