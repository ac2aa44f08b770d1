// Balanced self-distillation chooses which of the pairs with one difference a worker keeps.
//
// Problem: N = qW + r, each of the last r groups holds one more token. A worker's responsibility is
// q^2 W + 2 q (additional tokens in its pairs' groups, its own group counted once) + O(W), so what
// differs is how evenly the r larger groups fall on the kept pairs. All workers keep the same
// pairs, moved by k: there is one choice for each difference that I has more than once.
//
// Approach: start from the published choice and change one pair at a time while the mean over r of
// the largest responsibility falls; each trial changes two terms of every worker. No choice holds a
// residue that the published one does not.
#pragma once

#include <vector>

#include "interest_sets/split/distillation.h"

namespace qb {

// `first_pairs` is the published choice. The result keeps the order of the differences and is never
// worse by asymptotic_responsibility_ratio().
[[nodiscard]] std::vector<ResiduePair> balanced_pairs(const InterestSet& set,
                                                      std::vector<ResiduePair> first_pairs);

}  // namespace qb
