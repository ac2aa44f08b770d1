#include "plots/pattern_names.h"

#include <gmock/gmock.h>

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(PatternNames, MasksOfOneKindAreNamedWithTheirParameters) {
  const auto names =
      mask_names({"causal", "{block_local: {block: 16}}", "{sliding_window: {left: 4, right: 4}}",
                  "{sliding_window: {left: 8, right: 8}}"});
  EXPECT_EQ(names.at("causal"), "causal");
  EXPECT_EQ(names.at("{block_local: {block: 16}}"), "block_local");
  EXPECT_EQ(names.at("{sliding_window: {left: 8, right: 8}}"), "sliding_window, left: 8, right: 8");
}

TEST(PatternNames, ArgumentsAreThoseOfOnePattern) {
  EXPECT_THAT(pattern_arguments("{random: {fraction: 0.1, block: 64}}"),
              ElementsAre(Pair("block", "64"), Pair("fraction", "0.1")));
  EXPECT_THAT(pattern_arguments("{longformer: {left: 1, right: -1, indices: [0, 9]}}"),
              ElementsAre(Pair("indices", "[0, 9]"), Pair("left", "1"), Pair("right", "-1")));
  EXPECT_THAT(pattern_arguments("{variable_window: {sizes: [1, 2, 3]}}"),
              ElementsAre(Pair("sizes", "[1, 2, 3]")));
}

TEST(PatternNames, WordsAndUnionsHaveNoArguments) {
  EXPECT_THAT(pattern_arguments("full"), IsEmpty());
  EXPECT_THAT(pattern_arguments("{all_of: [causal, {global: {tokens: 5}}]}"), IsEmpty());
  EXPECT_EQ(pattern_kind("{all_of: [causal, {global: {tokens: 5}}]}"), "all_of");
  EXPECT_EQ(pattern_kind("causal"), "causal");
  EXPECT_EQ(pattern_kind(""), "");
}

}  // namespace
}  // namespace qb
