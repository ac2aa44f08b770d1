// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/sets/known_sets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/status.h"
#include "interest_sets/search/minimum_sets.h"

namespace qb {
namespace {

TEST(BestKnown, StoresAVerifiedSetForEveryWTo1024) {
  int workers = 112;
  for (const ListedSet& listed : stored_best_sets()) {
    EXPECT_EQ(listed.set.modulus, workers++);
    EXPECT_LE(static_cast<double>(listed.set.residues.size()),
              std::sqrt(1.5 * listed.set.modulus) + 2.0);
  }
  EXPECT_EQ(workers, 1025);
}

TEST(BestKnown, LabelsWhatIsProved) {
  EXPECT_EQ(known_interest_set(57).standing, Standing::singer);
  EXPECT_EQ(known_interest_set(133).standing, Standing::singer);
  EXPECT_EQ(known_interest_set(993).standing, Standing::singer);
  for (int workers = 3; workers <= 111; ++workers) {
    const KnownSet known = known_interest_set(workers);
    EXPECT_NE(known.standing, Standing::best_known) << workers;
    EXPECT_EQ(std::ssize(known.set.residues), known.lower_bound) << workers;
  }
  const KnownSet large = known_interest_set(1024);
  EXPECT_EQ(large.standing, Standing::best_known);
  EXPECT_LT(large.lower_bound, std::ssize(large.set.residues));
}

TEST(BestKnown, GivesASetForAnyW) {
  for (int workers : {3, 1025, 1056, 5000, 10303}) {
    const KnownSet known = known_interest_set(workers);
    EXPECT_EQ(known.set.modulus, workers);
    EXPECT_NO_THROW(verify(known.set));
    EXPECT_GE(std::ssize(known.set.residues), known.lower_bound);
  }
  EXPECT_THROW((void)known_interest_set(2), UsageError);
}

}  // namespace
}  // namespace qb
