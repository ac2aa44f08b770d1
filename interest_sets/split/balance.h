// Balanced self-distillation: which of the pairs with one difference to keep.
//
// Problem: N = qW + r, the last r groups hold a token more. A worker's responsibility is q^2 W +
// 2 q (tokens more among its pairs' groups, the own group counted once) + O(W), so with equal
// groups all are equal and the rest is how evenly the r larger groups fall on the kept pairs. The
// pairs are the same for all workers, moved by k, so there is one choice for each difference that
// I has more than once.
//
// Approach: from the published choice, change one pair at a time while the mean over r of the
// largest responsibility falls; each trial moves two terms of every worker. No choice holds a
// residue that the published one does not.
#pragma once

#include <vector>

#include "interest_sets/split/distillation.h"

namespace qb {

// `first_pairs`: the published choice. The order of the differences stays. Never worse by
// asymptotic_responsibility_ratio().
[[nodiscard]] std::vector<ResiduePair> balanced_pairs(const InterestSet& set,
                                                      std::vector<ResiduePair> first_pairs);

}  // namespace qb
