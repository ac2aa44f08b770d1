#include "interest_sets/minimum_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "harness/base/status.h"

namespace qb {
namespace {

using testing::Contains;
using testing::ElementsAre;

// All subsets of Z_W with 0 and 1, by bit mask, tested with the verifier's own definition.
std::vector<InterestSet> minimum_by_brute_force(int modulus) {
  std::vector<InterestSet> best;
  for (std::uint32_t mask = 3; mask < (1u << modulus); mask += 4) {
    InterestSet set{.modulus = modulus, .residues = {}};
    for (int residue = 0; residue < modulus; ++residue)
      if (mask >> residue & 1u) set.residues.push_back(residue);
    if (!best.empty() && set.residues.size() > best.front().residues.size()) continue;
    if (first_uncovered_difference(set)) continue;
    if (!best.empty() && set.residues.size() < best.front().residues.size()) best.clear();
    best.push_back(std::move(set));
  }
  std::sort(best.begin(), best.end(),
            [](const InterestSet& a, const InterestSet& b) { return a.residues < b.residues; });
  return best;
}

TEST(MinimumSets, EqualBruteForceForSmallW) {
  for (int workers = 3; workers <= 16; ++workers)
    EXPECT_EQ(minimum_interest_sets(workers), minimum_by_brute_force(workers)) << workers;
}

TEST(MinimumSets, AreKnownForSevenWorkers) {
  EXPECT_THAT(minimum_interest_sets(7),
              ElementsAre(InterestSet{7, {0, 1, 3}}, InterestSet{7, {0, 1, 5}}));
}

TEST(MinimumSets, ThePublishedSetsAreAmongThem) {
  for (int workers = 3; workers <= 37; ++workers) {
    InterestSet published = published_interest_set(workers).value();
    std::sort(published.residues.begin(), published.residues.end());
    EXPECT_THAT(minimum_interest_sets(workers), Contains(published)) << workers;
  }
}

// 10 translates with 0 and 1 of the perfect difference sets of order 5: phi(31) / 3.
TEST(MinimumSets, ThirtyOneHasThePerfectSetsOnly) {
  const auto sets = minimum_interest_sets(31);
  EXPECT_EQ(sets.size(), 10u);
  for (const InterestSet& set : sets) EXPECT_EQ(set.residues.size(), 6u);
}

TEST(MinimumSets, RefusesWhatTheSearchCannotEnd) {
  for (int workers : {-1, 0, 2, kMostExhaustiveWorkers + 1, 1057})
    EXPECT_THROW((void)minimum_interest_sets(workers), UsageError) << workers;
}

}  // namespace
}  // namespace qb
