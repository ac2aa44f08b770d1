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

void go_on(const SearchState&, int) {}

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

TEST(MinimumSets, SaysHowFarItIsAfterEachTask) {
  SearchState state{40, {}};
  std::size_t calls = 0;
  search_size(state, 7, 1, [&](const SearchState& now, int size) {
    EXPECT_EQ(size, 7);
    EXPECT_EQ(now.sizes.at(size).played, ++calls);
  });
  EXPECT_EQ(calls, state.sizes.at(7).tasks);
  EXPECT_GT(calls, 1u);
  const auto stop = [](const SearchState&, int) { throw std::runtime_error("stopped"); };
  EXPECT_THROW(search_size(state, 8, 4, stop), std::runtime_error);
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
