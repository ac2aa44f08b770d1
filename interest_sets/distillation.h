// Self-distillation and responsibility: which group pairs of its quorum each worker keeps.
//
// Adding k to every residue changes no difference, so all workers keep the same pairs of I, moved
// by k. They are found once in O(m^2); a worker's own list costs O(W).
#pragma once

#include <cstdint>
#include <vector>

#include "interest_sets/interest_set.h"

namespace qb {

// Two residues of I whose groups (first + k) mod W and (second + k) mod W worker k computes.
struct ResiduePair {
  int first = 0;
  int second = 0;
  bool opposite = false;  // 2 (second - first) = 0 mod W: workers with k < W/2 only
  friend bool operator==(const ResiduePair&, const ResiduePair&) = default;
};

// The pairs of I, in the order of its combinations, whose difference mod W (either sign) is new.
// Here and below the residues must be distinct and in [0, W), as verify() ensures, else
// std::invalid_argument.
[[nodiscard]] std::vector<ResiduePair> kept_residue_pairs(const InterestSet& set);

// An unordered pair of different group indices, first < second.
struct GroupPair {
  int first = 0;
  int second = 0;
  friend bool operator==(const GroupPair&, const GroupPair&) = default;
};

// Worker k walks the pairs of S_k in the order of I's combinations, each written (smaller, larger)
// group index; it keeps a pair when the difference mod W (either sign) is new to it. When the two
// signs are equal (2 * difference = W) the pair is kept by workers with k < W/2 only. Kept pairs
// are computed in both directions; the diagonal block (k, k) comes on top. Throws std::out_of_range
// unless 0 <= worker < W.
[[nodiscard]] std::vector<GroupPair> distill(const InterestSet& set, int worker);

// Tokens of group g when n_tokens are dealt to W groups: the first W - r hold q, the last r q + 1.
[[nodiscard]] std::int64_t group_tokens(std::int64_t n_tokens, int groups, int group);

// Responsibility of each worker: n_k^2 + 2 * sum of n_a n_b over its kept pairs. Throws UsageError
// where N < W, or where N is so large that a responsibility leaves 63 bits (about 3e9 sqrt(W)).
[[nodiscard]] std::vector<std::int64_t> responsibilities(const InterestSet& set,
                                                         std::int64_t n_tokens);

// RR = N^2 / max responsibility.
[[nodiscard]] double responsibility_ratio(const InterestSet& set, std::int64_t n_tokens);

struct ResponsibilityRow {
  std::int64_t n_tokens = 0;
  double ratio = 0.0;
};
// RR at every N in [from, to], W <= from. One more token changes one group, so that each further
// row costs O(W) only. Throws UsageError as responsibilities() does, and where from > to.
[[nodiscard]] std::vector<ResponsibilityRow> responsibility_rows(const InterestSet& set,
                                                                 std::int64_t from,
                                                                 std::int64_t to);

// Mean of RR over the integers N in [40 W, 41 W): the published figure of merit.
[[nodiscard]] double asymptotic_responsibility_ratio(const InterestSet& set);

}  // namespace qb
