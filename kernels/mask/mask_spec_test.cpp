// SPDX-License-Identifier: Apache-2.0
#include "kernels/mask/mask_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "kernels/testing/mask_fixtures.h"

namespace qb {
namespace {

using mask_fixtures::block_local;
using mask_fixtures::global_tokens;
using mask_fixtures::list;
using mask_fixtures::mask_of;
using mask_fixtures::number;
using mask_fixtures::real;
using mask_fixtures::sliding_window;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Returns the rows of a mask as text, `x` for an allowed pair.
std::vector<std::string> picture(const Mask& mask, std::int64_t q_len, std::int64_t kv_len) {
  std::vector<std::string> rows;
  for (std::int64_t q = 0; q < q_len; ++q) {
    rows.emplace_back();
    for (std::int64_t k = 0; k < kv_len; ++k) rows.back() += mask.allows(q, k) ? 'x' : '.';
  }
  return rows;
}

void expect_picture(const PatternNode& node, const std::vector<std::string>& expected) {
  const auto n = static_cast<std::int64_t>(expected.size());
  EXPECT_EQ(picture(mask_of(node, n, n), n, n), expected) << MaskSpec(node).text();
}

TEST(MaskSpec, PatternsAreThoseOfThePapers) {
  expect_picture(block_local(2), {"xx...", "xx...", "..xx.", "..xx.", "....x"});
  expect_picture(sliding_window(2, 1), {"xx...", "xxx..", "xxxx.", ".xxxx", "..xxx"});
  expect_picture(sliding_window(-1, 0), {"x...", "xx..", "xxx.", "xxxx"});
  expect_picture({"variable_window", {list("sizes", {1, 3})}, {}},
                 {"x...", ".xxx", ".xxx", ".xxx"});
  expect_picture(
      {"dilated_window", {number("left", 2), number("right", 1), number("dilation", 2)}, {}},
      {"x.x...", ".x.x..", "x.x.x.", ".x.x.x", "x.x.x.", ".x.x.x"});
  expect_picture(global_tokens(1), {"xxxx", "x...", "x...", "x..."});
  expect_picture({"global", {list("indices", {3, 1})}, {}}, {".x.x", "xxxx", ".x.x", "xxxx"});
  expect_picture({"strided", {number("stride", 3)}, {}},
                 {"xxxx..x", "xxxxx..", "xxxxxx.", "xxxxxxx", ".xxxxxx", "..xxxxx", "x..xxxx"});
  expect_picture({"fixed", {number("block", 3), number("summary", 1)}, {}},
                 {"xxx..x", "xxx..x", "xxx..x", "..xxxx", "..xxxx", "..xxxx"});
  expect_picture({"longformer", {number("left", 1), number("right", 1), number("tokens", 1)}, {}},
                 {"xxxxx", "xxx..", "xxxx.", "x.xxx", "x..xx"});
  expect_picture({"all_of", {}, {{"causal"}, sliding_window(1, 1)}},
                 {"x...", "xx..", ".xx.", "..xx"});
  expect_picture({"any_of", {}, {block_local(2), global_tokens(1)}},
                 {"xxxx", "xx..", "x.xx", "x.xx"});
}

TEST(MaskSpec, QueriesTakeTheLastPositions) {
  EXPECT_EQ(picture(mask_of(sliding_window(1, 0), 2, 5), 2, 5),
            (std::vector<std::string>{"..xx.", "...xx"}));
  EXPECT_EQ(picture(mask_of(block_local(3), 2, 5), 2, 5),
            (std::vector<std::string>{"...xx", "...xx"}));
  // There are more queries than keys: the first ones come before the sequence.
  EXPECT_EQ(picture(mask_of(block_local(3), 3, 2), 3, 2),
            (std::vector<std::string>{"..", "xx", "xx"}));
}

TEST(MaskSpec, RandomKeepsItsShareOfEveryBlockRow) {
  const Mask mask = mask_of({"random", {real("fraction", 0.3), number("block", 4)}, {}}, 80, 80);
  for (std::int64_t q = 0; q < 80; ++q) {
    EXPECT_EQ(mask.keys_of(q, 80), 24) << "row " << q;
    for (std::int64_t k = 0; k < 80; ++k)
      EXPECT_EQ(mask.allows(q, k), mask.allows(q / 4 * 4, k / 4 * 4));
  }
  const Mask other = mask_of(
      {"random", {real("fraction", 0.3), number("block", 4), number("seed", 2)}, {}}, 80, 80);
  EXPECT_NE(picture(mask, 80, 80), picture(other, 80, 80));
}

TEST(MaskSpec, TextIsCanonical) {
  EXPECT_EQ(MaskSpec(MaskKind::causal).text(), "causal");
  const MaskSpec spec(PatternNode{"any_of",
                                  {},
                                  {global_tokens(5),
                                   {"sliding_window", {number("right", 4), number("left", 3)}, {}},
                                   {"random", {real("fraction", 0.1), number("block", 64)}, {}}}});
  EXPECT_EQ(spec.text(),
            "{any_of: [{global: {tokens: 5}}, {sliding_window: {left: 3, right: 4}}, "
            "{random: {fraction: 0.1, block: 64}}]}");
  EXPECT_EQ(MaskSpec(PatternNode{"causal"}), MaskSpec(MaskKind::causal));
  EXPECT_EQ(spec.mask(9, 9), spec.mask(9, 9));
  EXPECT_NE(spec.mask(9, 9), spec.mask(8, 9));
}

void expect_refusal(const PatternNode& node, std::int64_t n, const std::string& message) {
  EXPECT_THAT([&] { (void)mask_of(node, n, n); }, ThrowsMessage<UsageError>(HasSubstr(message)));
}

TEST(MaskSpec, WhatCannotBeIsRefusedWithTheReason) {
  expect_refusal({"sliding_windw"}, 9,
                 "unknown mask 'sliding_windw'; did you mean 'sliding_window'?");
  expect_refusal({"block_local", {number("blok", 4)}, {}}, 9,
                 "mask block_local: unknown key 'blok'; did you mean 'block'?");
  expect_refusal({"bigbird", {number("left", 4)}, {}}, 9, "needs one of tokens and indices");
  expect_refusal({"sliding_window", {number("left", 4)}, {}}, 9,
                 "mask sliding_window: needs right; its keys are left, right");
  expect_refusal(block_local(0), 9, "block must be at least 1, got 0");
  EXPECT_NO_THROW((void)MaskSpec(sliding_window(0, 0)).mask(9, 9)) << "each token sees itself";
  expect_refusal(sliding_window(-2, 0), 9, "left must be at least -1, got -2");
  expect_refusal({"variable_window", {list("sizes", {4, 0, 5})}, {}}, 9,
                 "sizes must be at least 1, got 0");
  expect_refusal({"variable_window", {list("sizes", {9223372036854775807, 2})}, {}}, 9,
                 "more than any sequence has; make it smaller");
  expect_refusal(sliding_window(9223372036854775807, 0), 9, "-1 has no end");
  expect_refusal({"variable_window", {list("sizes", {4, 4})}, {}}, 9,
                 "the sizes add up to 8 and not to the 9 tokens");
  expect_refusal(
      {"dilated_window", {number("left", 1), number("right", 1), number("dilation", 9)}, {}}, 9,
      "a dilation of 9 reaches beyond the 9 tokens");
  expect_refusal(global_tokens(9), 9, "9 global tokens of the 9 there are");
  expect_refusal({"global", {list("indices", {2, 11})}, {}}, 9, "index 11 is beyond the 9 tokens");
  expect_refusal({"global", {list("indices", {2}), number("tokens", 1)}, {}}, 9, "got both");
  expect_refusal({"global", {number("indices", 2)}, {}}, 9, "indices must be a list");
  for (const double fraction : {0.0, -0.1, 1.5})
    expect_refusal({"random", {real("fraction", fraction)}, {}}, 9,
                   "fraction must be above 0 and at most 1");
  expect_refusal({"fixed", {number("block", 4), number("summary", 5)}, {}}, 9,
                 "a summary of 5 tokens does not fit a block of 4");
  expect_refusal({"all_of", {}, {block_local(2), global_tokens(2)}}, 9,
                 "takes causal and one other pattern");
  expect_refusal({"any_of"}, 9, "needs at least one pattern");
  expect_refusal({"any_of", {}, {{"lokal"}}}, 9, "unknown mask 'lokal'");
}

}  // namespace
}  // namespace qb
