// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/search/minimum_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/status.h"
#include "base/testing/sanitized.h"
#include "interest_sets/sets/known_sets.h"

namespace qb {
namespace {

using testing::Contains;
using testing::ElementsAre;

void go_on(const SearchState&, const PlayedTask&) {}

TEST(MinimumSets, AreKnownForSevenWorkers) {
  EXPECT_THAT(minimum_interest_sets(7),
              ElementsAre(InterestSet{7, {0, 1, 3}}, InterestSet{7, {0, 1, 5}}));
}

TEST(MinimumSets, ThePublishedSetsAreAmongThem) {
  for (int workers = 3; workers <= (testing_support::kSanitized ? 50 : 65); ++workers) {
    InterestSet published = published_interest_set(workers).value();
    std::sort(published.residues.begin(), published.residues.end());
    EXPECT_THAT(minimum_interest_sets(workers), Contains(published)) << workers;
  }
}

// phi(31) / 3 = 10 translates of the perfect difference sets of order 5 contain 0 and 1.
TEST(MinimumSets, ThirtyOneHasThePerfectSetsOnly) {
  const auto sets = minimum_interest_sets(31);
  EXPECT_EQ(sets.size(), 10u);
  for (const InterestSet& set : sets) EXPECT_EQ(set.residues.size(), 6u);
}

TEST(MinimumSets, RefusesWhatTheSearchCannotEnd) {
  for (int workers : {-1, 0, 2, kMostExhaustiveWorkers + 1, 1057})
    EXPECT_THROW((void)minimum_interest_sets(workers), UsageError) << workers;
  for (int workers : {-1, 0, 2, 258, 1057}) {
    SearchState state{workers, {}};
    EXPECT_THROW(search_size(state, 5, 1, go_on), UsageError) << workers;
  }
  SearchState state{7, {}};
  EXPECT_THROW(search_size(state, 1, 1, go_on), UsageError);
}

// The published sizes are the least: no smaller set covers.
TEST(MinimumSets, HaveThePublishedSizes) {
  for (int workers = 66; workers <= 76; ++workers) {
    const auto published = published_interest_set(workers)->residues.size();
    SearchState state{workers, {}};
    search_size(state, static_cast<int>(published) - 1, 1, go_on);
    EXPECT_TRUE(state.sizes.begin()->second.found.empty()) << workers;
  }
}

TEST(MinimumSets, ManyThreadsFindWhatOneFinds) {
  SearchState one{40, {}};
  SearchState four{40, {}};
  EXPECT_EQ(search_minimum(one, 1, go_on), 8);
  EXPECT_EQ(search_minimum(four, 4, go_on), 8);
  EXPECT_EQ(one.sizes.at(8).found, four.sizes.at(8).found);
  EXPECT_TRUE(four.sizes.at(7).found.empty());
}

TEST(MinimumSets, AStoppedSearchGoesOnFromItsJournal) {
  SearchState whole{40, {}};
  ASSERT_EQ(search_minimum(whole, 1, go_on), 8);
  std::string journal = journal_head(whole);
  int sittings = 0;
  for (int size = 0; size == 0; ++sittings) {
    // The writer is stopped in the middle of a line each time.
    SearchState state = parse_journal(journal + "8 3", "mine");
    int left = 150;
    try {
      size = search_minimum(state, 1, [&](const SearchState& now, const PlayedTask& played) {
        journal += journal_line(now, played);
        if (--left == 0) throw std::runtime_error("stopped");
      });
    } catch (const std::runtime_error&) {
      continue;
    }
    ASSERT_LT(sittings, 20);
  }
  EXPECT_GE(sittings, 5);
  const SearchState read = parse_journal(journal, "mine");
  EXPECT_EQ(read.sizes.at(8).found, whole.sizes.at(8).found);
  EXPECT_EQ(read.sizes.at(8).tasks_played(), read.sizes.at(8).played.size());
}

TEST(MinimumSets, AForeignJournalIsASentence) {
  for (const auto& [text, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"", "mine: a search journal begins with `search W`"},
           {"hello\n", "mine:1: a search journal begins with `search W`"},
           {"search 7\n3 0\n", "mine:2: there is no task 0 of size 3 above"},
           {"search 7\nsize 3 2\n3 1: 0 1 2\n",
            "mine:3: interest set 0,1,2 is invalid for W = 7: no two residues differ by 3"},
           {"search 7\nsize 3 x\n", "mine:2: 'x' is not a whole number"}}) {
    try {
      (void)parse_journal(text, "mine");
      FAIL() << text;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), sentence);
    }
  }
  SearchState other = parse_journal("search 40\nsize 7 3\n", "mine");
  EXPECT_THROW(search_size(other, 7, 1, go_on), UsageError);
}

TEST(MinimumSets, AChecksumTellsListsApart) {
  const auto sets = minimum_interest_sets(31);
  EXPECT_EQ(checksum(sets), checksum(minimum_interest_sets(31)));
  EXPECT_NE(checksum(sets), checksum(std::span(sets).first(9)));
  // This is the FNV-1a hash of "0 1 3\n0 1 5\n", computed elsewhere.
  EXPECT_EQ(checksum(minimum_interest_sets(7)), 0x3d4fe9e932135963u);
}

}  // namespace
}  // namespace qb
