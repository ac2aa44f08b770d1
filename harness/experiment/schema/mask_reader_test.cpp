// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(MaskReader, ReadsWordsPatternsAndUnions) {
  EXPECT_EQ(parse_mask("causal"), MaskSpec(MaskKind::causal));
  EXPECT_EQ(parse_mask("{random: {fraction: 0.1, seed: 3}}").text(),
            "{random: {fraction: 0.1, seed: 3}}");
  const char* const kLargestSeed = "{random: {fraction: 0.1, seed: 18446744073709551615}}";
  EXPECT_EQ(parse_mask(kLargestSeed).text(), kLargestSeed);
  const char* const kUnion =
      "{any_of: [{global: {tokens: 5}}, {sliding_window: {left: 4, right: 4}}, causal]}";
  EXPECT_EQ(parse_mask(kUnion).text(), kUnion);
  EXPECT_EQ(parse_mask("{variable_window: {sizes: [3, 4]}}").text(),
            "{variable_window: {sizes: [3, 4]}}");
}

TEST(MaskReader, WhatItWritesItReads) {
  Case c;
  c.mask = parse_mask(
      "{all_of: [causal, {bigbird: {left: 1, right: 2, indices: [0, 7], "
      "random_blocks: 1, block: 4}}]}");
  EXPECT_EQ(case_from_json(case_to_json(c)).mask, c.mask);
  EXPECT_EQ(parse_mask(c.mask.text()), c.mask);
  Case other = c;
  other.mask = parse_mask("{block_local: {block: 4}}");
  EXPECT_NE(case_id(c), case_id(other));
}

TEST(MaskReader, NamesWhatIsWrong) {
  const auto expect = [](const char* text, const char* message) {
    EXPECT_THAT([&] { (void)parse_mask(text, "--mask"); },
                ThrowsMessage<UsageError>(HasSubstr(message)));
  };
  expect("casual", "--mask: unknown mask 'casual'; did you mean 'causal'?");
  expect("{sliding_window: {left: 4, rigth: 4}}", "unknown key 'rigth'; did you mean 'right'?");
  expect("{sliding_window: {left: 1.5, right: 4}}", "left must be a whole number, got 1.5");
  expect("{sliding_window: {left: x, right: 4}}", "left of a mask must be a number");
  expect("{block_local: 16}", "block_local takes its parameters as a map");
  expect("{any_of: {global: {tokens: 5}}}", "any_of takes a list of masks");
  expect("{global: {tokens: 1}, block_local: {block: 2}}", "one pattern such as");
  for (const char* seed : {"18446744073709551616", "-1", "0.5"})
    expect(fmt::format("{{random: {{blocks: 1, seed: {}}}}}", seed).c_str(),
           "seed must be a whole number from 0 to 2^64 - 1, got ");
  expect("{random: {fraction: 2}}", "fraction must be above 0 and at most 1, got 2");
}

TEST(MaskReader, SpecsSweepMasksAndHoldThemAgainstTheLength) {
  const Spec spec =
      parse_spec("experiment: s\nn_tokens: 64\nsweep:\n  mask: [full, {block_local: {block: 8}}]\n",
                 "s.yaml", {});
  ASSERT_EQ(spec.cases.size(), 2u);
  EXPECT_EQ(spec.cases[1].mask.text(), "{block_local: {block: 8}}");
  EXPECT_EQ(parse_spec(spec.resolved_yaml, "r.yaml", {}).cases[1].mask, spec.cases[1].mask);
  EXPECT_THAT(
      [] {
        (void)parse_spec("experiment: s\nn_tokens: 64\nmask: {global: {tokens: 64}}\n", "s.yaml",
                         {});
      },
      ThrowsMessage<UsageError>(
          HasSubstr("s.yaml:3:7: mask global: 64 global tokens of the 64 there are")));
  EXPECT_EQ(parse_spec("experiment: s\nn_tokens: 64\n", "s.yaml",
                       {.set = {"mask={sliding_window: {left: 1, right: 1}}"}, .filter = {}})
                .cases[0]
                .mask.text(),
            "{sliding_window: {left: 1, right: 1}}");
}

}  // namespace
}  // namespace qb
