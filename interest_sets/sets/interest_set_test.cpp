// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/sets/interest_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/status.h"
#include "interest_sets/sets/constructions.h"
#include "interest_sets/sets/known_sets.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class F>
std::string usage_message(F&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

std::string verdict(const InterestSet& set) {
  return usage_message([&] { verify(set); });
}

std::optional<int> first_uncovered_by_definition(const InterestSet& set) {
  std::set<int> covered;
  for (int x : set.residues)
    for (int y : set.residues) covered.insert(((y - x) % set.modulus + set.modulus) % set.modulus);
  for (int d = 1; d < set.modulus; ++d)
    if (!covered.contains(d)) return d;
  return std::nullopt;
}

TEST(InterestSet, NamesTheFirstUncoveredDifference) {
  EXPECT_EQ(first_uncovered_difference({7, {0, 1, 3}}), std::nullopt);
  EXPECT_EQ(first_uncovered_difference({8, {0, 1, 3}}), 4);
  EXPECT_EQ(first_uncovered_difference({9, {0, 1}}), 2);
  EXPECT_EQ(first_uncovered_difference({3, {}}), 1);
  EXPECT_EQ(first_uncovered_difference({2'000'000'000, {0, 1, 1'999'999'998}}), 4);
}

TEST(InterestSet, FirstUncoveredDifferenceFollowsTheDefinition) {
  std::mt19937 random(20250101);
  for (int trial = 0; trial < 2000; ++trial) {
    InterestSet set{.modulus = std::uniform_int_distribution(1, 40)(random), .residues = {}};
    const int size = std::uniform_int_distribution(0, 9)(random);
    for (int i = 0; i < size; ++i)
      set.residues.push_back(std::uniform_int_distribution(0, set.modulus - 1)(random));
    SCOPED_TRACE(testing::Message() << "seed 20250101, trial " << trial << ", W " << set.modulus
                                    << ", I " << to_string(set));
    EXPECT_EQ(first_uncovered_difference(set), first_uncovered_by_definition(set));
  }
}

TEST(InterestSet, VerifySaysWhatIsWrong) {
  EXPECT_NO_THROW(verify({7, {0, 1, 3}}));
  EXPECT_NO_THROW(verify({7, {3, 1, 0}}));
  EXPECT_THAT(verdict({2, {0, 1}}), HasSubstr("W >= 3"));
  EXPECT_THAT(verdict({7, {0, 1, 7}}), HasSubstr("residue 7 is outside 0..6"));
  EXPECT_THAT(verdict({7, {0, 1, -3}}), HasSubstr("residue -3 is outside 0..6"));
  EXPECT_THAT(verdict({7, {0, 1, 3, 1}}), HasSubstr("residue 1 occurs twice"));
  EXPECT_THAT(verdict({7, {1, 2, 4}}), HasSubstr("residue 0 is missing"));
  EXPECT_THAT(verdict({7, {0, 2, 3}}), HasSubstr("residue 1 is missing"));
  EXPECT_EQ(verdict({8, {0, 1, 3}}),
            "interest set 0,1,3 is invalid for W = 8: no two residues differ by 4");
}

TEST(InterestSet, ParsesCommasAndSpacesAndKeepsTheOrder) {
  EXPECT_THAT(parse_interest_set("0,1,3", 7).residues, ElementsAre(0, 1, 3));
  EXPECT_THAT(parse_interest_set(" 0 1\t3 ", 7).residues, ElementsAre(0, 1, 3));
  EXPECT_THAT(parse_interest_set("3 , 0,1", 7).residues, ElementsAre(3, 0, 1));
  EXPECT_EQ(parse_interest_set("0", 7).modulus, 7);
}

TEST(InterestSet, RefusesTextThatIsNoList) {
  for (const char* text : {"", "  ", ",", "0,", ",0", "0,,1", "0 x", "0,1.5", "0;1", "99999999999",
                           "[0,1]", "0x1", "--1"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(usage_message([&] { (void)parse_interest_set(text, 7); }),
                HasSubstr("is not a residue"));
  }
}

TEST(InterestSet, TextReadsBack) {
  const InterestSet set{50, {0, 1, 17, 26, 36, 39, 44, 46}};
  EXPECT_EQ(parse_interest_set(to_string(set), 50), set);
}

TEST(InterestSet, QuorumIsTheSetMovedByTheWorker) {
  const InterestSet set{7, {0, 1, 3}};
  EXPECT_THAT(quorum(set, 0), ElementsAre(0, 1, 3));
  EXPECT_THAT(quorum(set, 5), ElementsAre(5, 6, 1));
  EXPECT_THROW((void)quorum(set, 7), std::out_of_range);
  EXPECT_THROW((void)quorum(set, -1), std::out_of_range);
}

TEST(InterestSet, DefaultIsThePublishedSetWhereThereIsOne) {
  for (int workers = 3; workers <= 111; ++workers)
    EXPECT_EQ(default_interest_set(workers), published_interest_set(workers).value());
  EXPECT_EQ(default_interest_set(112), stored_best_sets().front().set);
  EXPECT_EQ(default_interest_set(1024), stored_best_sets().back().set);
  EXPECT_EQ(default_interest_set(1057), singer_order(1057) ? singer_set(1057) : ruler_set(1057));
  EXPECT_EQ(published_interest_set(2), std::nullopt);
  EXPECT_EQ(published_interest_set(112), std::nullopt);
  for (int workers : {2, 1, 0, -4}) EXPECT_THROW((void)default_interest_set(workers), UsageError);
}

}  // namespace
}  // namespace qb
