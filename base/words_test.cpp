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
