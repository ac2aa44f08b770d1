// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/search/cover_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

#include "base/testing/sanitized.h"
#include "interest_sets/search/minimum_sets.h"

namespace qb {
namespace {

using testing::ElementsAre;

bool before(const InterestSet& a, const InterestSet& b) { return a.residues < b.residues; }

// Returns all m-subsets of Z_W with 0 and 1 by bit mask, tested with the verifier's own definition.
std::vector<InterestSet> covers_by_brute_force(int modulus, int size) {
  std::vector<InterestSet> covers;
  for (std::uint32_t mask = 3; mask < (1u << modulus); mask += 4) {
    if (std::popcount(mask) != size) continue;
    InterestSet set{modulus, {}};
    for (int residue = 0; residue < modulus; ++residue)
      if ((mask >> residue & 1u) != 0) set.residues.push_back(residue);
    if (!first_uncovered_difference(set)) covers.push_back(std::move(set));
  }
  std::sort(covers.begin(), covers.end(), before);
  return covers;
}

// Searches depth first over ascending residues with the counting bound alone: slower, and simple.
class PlainSearch {
 public:
  PlainSearch(int modulus, int size) : modulus_(modulus), size_(size) { extend({0, 1}, bit(1)); }
  std::vector<InterestSet> found;

 private:
  [[nodiscard]] std::uint64_t bit(int apart) const {
    return std::uint64_t{1} << std::min(apart, modulus_ - apart);
  }
  void extend(const std::vector<int>& chosen, std::uint64_t covered) {
    const int have = static_cast<int>(chosen.size());
    if (modulus_ / 2 - std::popcount(covered) > (size_ * (size_ - 1) - have * (have - 1)) / 2)
      return;
    if (have == size_) {
      found.push_back({modulus_, chosen});
      return;
    }
    for (int next = chosen.back() + 1; next < modulus_; ++next) {
      std::uint64_t with_next = covered;
      for (int residue : chosen) with_next |= bit(next - residue);
      std::vector<int> longer = chosen;
      longer.push_back(next);
      extend(longer, with_next);
    }
  }
  int modulus_;
  int size_;
};

std::vector<InterestSet> searched(int modulus, int size) {
  SearchState state{modulus, {}};
  search_size(state, size, 2, [](const auto&, const auto&) {});
  return sets_of_orbits(modulus, state.sizes.at(size).found);
}

TEST(CoverSearch, FindsEveryCoverOfEverySizeForSmallW) {
  for (int workers = 3; workers <= 15; ++workers)
    for (int size = 2; size <= std::min(workers, 7); ++size)
      ASSERT_EQ(searched(workers, size), covers_by_brute_force(workers, size))
          << "W = " << workers << ", m = " << size;
}

TEST(CoverSearch, AgreesWithAPlainSearchWhereBruteForceEnds) {
  for (int workers = 16; workers <= (testing_support::kSanitized ? 32 : 40); ++workers)
    for (int size = 4; size <= (workers <= 26 ? 7 : 6); ++size)
      ASSERT_EQ(searched(workers, size), PlainSearch(workers, size).found)
          << "W = " << workers << ", m = " << size;
  if (testing_support::kSanitized) return;
  for (int workers : {36, 38, 39, 43})
    ASSERT_EQ(searched(workers, 8), PlainSearch(workers, 8).found) << workers;
}

// Above W = 129 the classes of differences need a second word.
TEST(CoverSearch, FindsThePerfectDifferenceSetsOfOneHundredAndThirtyThree) {
  const InterestSet singer{133, {0, 1, 3, 12, 20, 34, 38, 81, 88, 94, 104, 109}};
  ASSERT_FALSE(first_uncovered_difference(singer));
  // phi(133) / 3 translates of multiples contain 0 and 1: the multipliers are the powers of 11.
  const auto orbit = orbit_with_zero_and_one(singer);
  EXPECT_EQ(orbit.size(), 36u);
  EXPECT_EQ(searched(133, 12), orbit);
}

TEST(CoverSearch, HasNoTaskThatCannotBePlayed) {
  for (const auto& [workers, size] : std::vector<std::pair<int, int>>{{23, 6}, {30, 7}, {60, 9}}) {
    const auto search = cover_search(workers, size);
    std::uint64_t nodes = 0;
    for (std::size_t task = 0; task < search->tasks(); ++task)
      EXPECT_NO_THROW((void)search->run(task, &nodes));
    EXPECT_GT(nodes, search->tasks());
  }
}

TEST(AffineOrbit, IsClosedAndHasOneRepresentative) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int modulus = std::uniform_int_distribution(5, 60)(random);
    std::vector<int> all(static_cast<std::size_t>(modulus));
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin() + 2, all.end(), random);
    const InterestSet set{modulus, {all.begin(), all.begin() + 5}};
    const auto orbit = orbit_with_zero_and_one(set);
    ASSERT_FALSE(orbit.empty());
    const InterestSet first = orbit_representative(set);
    EXPECT_EQ(orbit.front(), first);
    for (const InterestSet& image : orbit) {
      EXPECT_EQ(orbit_representative(image), first);
      EXPECT_EQ(orbit_with_zero_and_one(image), orbit);
    }
  }
}

TEST(AffineOrbit, InvertsUnitsAndLeavesTheOthers) {
  for (int modulus : {3, 8, 30, 64, 97}) {
    const auto inverse = unit_inverses(modulus);
    for (int x = 0; x < modulus; ++x) {
      const int y = inverse[static_cast<std::size_t>(x)];
      if (std::gcd(x, modulus) == 1)
        EXPECT_EQ(x * y % modulus, 1);
      else
        EXPECT_EQ(y, 0);
    }
  }
}

TEST(TripleTypes, AreConstantOnOrbitsAndForbidTheEarlierOnes) {
  for (int modulus : {7, 12, 31, 64, 97, 150}) {
    const TripleTypes types(modulus);
    std::mt19937 random(3);
    std::uniform_int_distribution<int> residue(0, modulus - 1);
    for (int round = 0; round < 300; ++round) {
      const int a = residue(random), b = residue(random), c = residue(random);
      if (a == b || b == c || a == c) continue;
      const int type = types.of(a, b, c);
      EXPECT_EQ(types.of(c, a, b), type);
      int unit = residue(random);
      while (std::gcd(unit, modulus) != 1) unit = residue(random);
      const int shift = residue(random);
      const auto moved = [&](int x) { return (x * unit + shift) % modulus; };
      EXPECT_EQ(types.of(moved(a), moved(b), moved(c)), type);
      for (int bound = 0; bound < types.count(); ++bound) {
        ResidueBits forbidden;
        types.forbid(bound, a, b, forbidden);
        EXPECT_EQ(forbidden[static_cast<std::size_t>(c)], type < bound);
      }
    }
    for (int type = 0; type < types.count(); ++type)
      EXPECT_EQ(types.of(0, 1, types.third(type)), type);
  }
}

}  // namespace
}  // namespace qb
