// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/patterns.h"

#include <gmock/gmock.h>

namespace qb {
namespace {

TEST(PatternNames, MasksOfOneKindAreNamedWithTheirParameters) {
  const std::set<std::string> masks = {"causal", "{block_local: {block: 16}}",
                                       "{sliding_window: {left: 4, right: 4}}",
                                       "{sliding_window: {left: 8, right: 8}}"};
  EXPECT_EQ(mask_name("causal", masks), "causal");
  EXPECT_EQ(mask_name("{block_local: {block: 16}}", masks), "block_local");
  EXPECT_EQ(mask_name("{sliding_window: {left: 8, right: 8}}", masks),
            "sliding_window, left: 8, right: 8");
}

TEST(PatternNames, AWordIsItsOwnKind) {
  EXPECT_EQ(pattern_kind("{all_of: [causal, {global: {tokens: 5}}]}"), "all_of");
  EXPECT_EQ(pattern_kind("causal"), "causal");
  EXPECT_EQ(pattern_kind(""), "");
}

TEST(PatternNames, UnionsAndIntersectionsAreNamedByTheirMembers) {
  const std::string both = "{all_of: [causal, {longformer: {left: 3, right: 0, tokens: 2}}]}";
  const std::string either =
      "{any_of: [{global: {indices: [0, 3]}}, {all_of: [causal, {fixed: {block: 2, summary: "
      "1}}]}]}";
  EXPECT_EQ(mask_name(both, {both, either}), "causal longformer");
  EXPECT_EQ(mask_name(either, {both, either}), "global + causal fixed");
  const std::string other = "{all_of: [causal, {longformer: {left: 9, right: 0, tokens: 2}}]}";
  EXPECT_EQ(mask_name(other, {both, other}),
            "causal longformer, [causal, longformer: left: 9, right: 0, tokens: 2]");
}

}  // namespace
}  // namespace qb
