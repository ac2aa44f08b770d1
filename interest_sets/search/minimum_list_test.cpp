// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/search/minimum_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "base/testing/sanitized.h"
#include "interest_sets/testing/minimum_lists.h"

namespace qb {
namespace {

using testing::HasSubstr;
using namespace testing_support;

TEST(MinimumList, StoresEveryMinimumSetToSixtyFour) {
  int workers = 3;
  for (const MinimumList& list : minimum_lists()) {
    ASSERT_EQ(list.modulus, workers++);
    const auto sets = sets_of_orbits(list.modulus, list.representatives);
    EXPECT_EQ(sets.size(), list.sets) << list.modulus;
    EXPECT_EQ(checksum(sets), list.checksum) << list.modulus;
    EXPECT_EQ(std::ssize(sets.front().residues), list.size);
    EXPECT_EQ(list.size, proved_lower_bound(list.modulus));
    verify(sets.front());
    verify(sets.back());
  }
  EXPECT_EQ(workers, 65);
}

TEST(MinimumList, HoldsWhatTheSearchFinds) {
  for (const MinimumList& list : minimum_lists()) {
    if (list.modulus > 39 && list.modulus < 58) continue;
    EXPECT_EQ(sets_of_orbits(list.modulus, list.representatives),
              minimum_interest_sets(list.modulus))
        << list.modulus;
  }
}

TEST(MinimumList, RecordsAreReadAsTheyAreWritten) {
  for (const MinimumList& list : minimum_lists()) {
    const auto again = parse_minimum_lists(compact_record(list), "mine");
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].representatives, list.representatives);
    EXPECT_EQ(again[0].checksum, list.checksum);
    EXPECT_EQ(again[0].sets, list.sets);
  }
}

TEST(MinimumList, ABadRecordIsASentence) {
  const auto error_of = [](const char* text) -> std::string {
    try {
      (void)parse_minimum_lists(text, "mine");
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(error_of("7 3 1 2:\n"), "mine:1: a record begins with W m orbits sets checksum");
  EXPECT_EQ(error_of("1\n"), "mine:1: a record begins with W m orbits sets checksum");
  EXPECT_EQ(error_of("7 3 1 2 zz:\n"), "mine:1: 'zz' is not a checksum");
  EXPECT_EQ(error_of("7 3 1 2 ab:\n!\n"), "mine:2: '!' is not a gap");
  EXPECT_THAT(error_of("7 3 2 2 ab:\n1\n"), HasSubstr("has 1 representatives, not 2"));
}

TEST(StoredSearches, ExcludeWhatThePublishedTableNeedsExcluded) {
  EXPECT_EQ(proved_lower_bound(7), 3);
  EXPECT_EQ(proved_lower_bound(64), 9);
  EXPECT_EQ(proved_lower_bound(96), 12);
  EXPECT_EQ(proved_lower_bound(133), 12);
  EXPECT_EQ(proved_lower_bound(1024), least_conceivable_size(1024));
}

// The record of a search equals what the search gives; the cheap ones are repeated here.
TEST(StoredSearches, ComeOutAgain) {
  int searched = 0;
  for (const SearchRecord& record : stored_searches()) {
    if (record.cpu_s > (testing_support::kSanitized ? 0.02 : 0.1)) continue;
    SearchState state{record.modulus, {}};
    search_size(state, record.size, 1, [](const auto&, const auto&) {});
    const auto& found = state.sizes.at(record.size).found;
    EXPECT_EQ(std::ssize(found), record.orbits) << record.modulus << " " << record.size;
    EXPECT_EQ(std::ssize(sets_of_orbits(record.modulus, found)), record.sets);
    ++searched;
  }
  EXPECT_GT(searched, testing_support::kSanitized ? 8 : 20);
}

}  // namespace
}  // namespace qb
