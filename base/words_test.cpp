// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace qb {
namespace {

TEST(Words, EveryStatusReadsBackAsItself) {
  for (const auto& [status, text] : kWords<Status>.rows) {
    EXPECT_EQ(word(status), text);
    EXPECT_EQ(parse_word<Status>(text), status);
  }
  EXPECT_EQ(parse_word<Status>("fine"), std::nullopt);
}

TEST(Words, NearestWordNeedsAPlausibleMisspelling) {
  const std::vector<std::string_view> known = {"n_tokens", "workers", "kernel"};
  EXPECT_EQ(nearest_word("n_token", known), "n_tokens");
  EXPECT_EQ(nearest_word("wrokers", known), "workers");
  EXPECT_EQ(nearest_word("xyzzy", known), "");
  EXPECT_EQ(nearest_word("kernel", {}), "");
  EXPECT_EQ(nearest_word("", known), "");
}

TEST(Words, HalfOfTheLettersMayDiffer) {
  const auto is_near = [](std::string_view text, std::string_view word) {
    return nearest_word(text, std::vector{word}) == word;
  };
  EXPECT_TRUE(is_near("abcd", "abxy"));   // two other letters
  EXPECT_FALSE(is_near("abcd", "axyz"));  // three
  EXPECT_FALSE(is_near("abcd", "xaby"));  // one more, one less, one other
  EXPECT_TRUE(is_near("abcd", "cd"));     // two less
  EXPECT_FALSE(is_near("abcd", "d"));
  EXPECT_TRUE(is_near("abcd", "xyabcd"));  // two more
  EXPECT_FALSE(is_near("abcd", "axbycdz"));
  EXPECT_TRUE(is_near("abcd", "bcde"));  // shifted: one less and one more
  EXPECT_EQ(nearest_word("cats", std::vector<std::string_view>{"cat", "cuts", "carts"}), "cat")
      << "the first of those that are equally near";
}

TEST(Words, UnknownWordListsAllWhereNothingIsNear) {
  const std::vector<std::string_view> known = {"dense", "cqs"};
  EXPECT_EQ(unknown_word("algorithm", "dnse", known),
            "unknown algorithm 'dnse'; did you mean 'dense'?");
  EXPECT_EQ(unknown_word("algorithm", "zzzzzzz", known),
            "unknown algorithm 'zzzzzzz'; known: dense, cqs");
}

}  // namespace
}  // namespace qb
