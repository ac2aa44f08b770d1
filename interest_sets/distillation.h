// Self-distillation and responsibility: which group pairs of its quorum each worker keeps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interest_sets/interest_set.h"

namespace qb {

// An unordered pair of different group indices, first < second.
struct GroupPair {
  int first = 0;
  int second = 0;
  friend bool operator==(const GroupPair&, const GroupPair&) = default;
};

// Worker k walks the pairs of S_k in the order of I's combinations, each written (smaller, larger)
// group index; it keeps a pair when the difference mod W (either sign) is new to it. When the two
// signs are equal (2 * difference = W) the pair is kept by workers with k < W/2 only. Kept pairs
// are computed in both directions; the diagonal block (k, k) comes on top.
[[nodiscard]] std::vector<GroupPair> distill(const InterestSet& set, int worker);

// Tokens of group g when n_tokens are dealt to W groups: the first W - r hold q, the last r q + 1.
[[nodiscard]] std::int64_t group_tokens(std::int64_t n_tokens, int groups, int group);

// Responsibility of each worker: n_k^2 + 2 * sum of n_a n_b over its kept pairs.
[[nodiscard]] std::vector<std::int64_t> responsibilities(const InterestSet& set,
                                                         std::int64_t n_tokens);

// RR = N^2 / max responsibility.
[[nodiscard]] double responsibility_ratio(const InterestSet& set, std::int64_t n_tokens);

// Mean of RR over the integers N in [40 W, 41 W): the published figure of merit.
[[nodiscard]] double asymptotic_responsibility_ratio(const InterestSet& set);

}  // namespace qb
