// SPDX-License-Identifier: Apache-2.0
// Self-distillation decides which group pairs of its quorum each worker keeps: its responsibility.
//
// `published` is the rule of CQS-Attention: among the pairs of I with one difference the first one
// stays, and where W is even only half of the workers keep the pair W/2 apart. `balanced` chooses
// which pair stays so that the largest responsibility is smallest (balance.cpp), and shares each
// block W/2 apart between the two workers that hold it. Both are exact covers.
//
// Adding k to every residue changes no difference, so all workers keep the same pairs of I, moved
// by k. They are found once in O(m^2); a worker's own list costs O(W).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/words.h"
#include "interest_sets/sets/interest_set.h"

namespace qb {

enum class Distillation { published, balanced };

QB_WORDS(Distillation, "distillation", published, balanced);

// Worker k computes the groups (first + k) mod W and (second + k) mod W of two residues of I.
struct ResiduePair {
  int first = 0;
  int second = 0;
  bool opposite = false;  // 2 (second - first) = 0 mod W: two workers hold each block
  friend bool operator==(const ResiduePair&, const ResiduePair&) = default;
};

// Returns the pairs of I, in the order of its combinations, one for each difference mod W (either
// sign): the first one, or the one that balances. This and the functions below throw
// std::invalid_argument unless the residues are distinct and in [0, W), as verify() ensures.
[[nodiscard]] std::vector<ResiduePair> kept_residue_pairs(
    const InterestSet& set, Distillation distillation = Distillation::published);

// choices: all pairs of I, by difference; first_pairs: the published choice. The result keeps the
// order of the differences and is never worse by asymptotic_responsibility_ratio().
[[nodiscard]] std::vector<ResiduePair> balanced_pairs(
    int modulus, std::span<const std::vector<ResiduePair>> choices,
    const std::vector<ResiduePair>& first_pairs);

// Says which part of a block a worker computes: all of it, or one half where two workers hold it.
enum class Share { whole, lower, upper };

// An unordered pair of different group indices, first < second.
struct GroupPair {
  int first = 0;
  int second = 0;
  Share share = Share::whole;
  friend bool operator==(const GroupPair&, const GroupPair&) = default;
};

// Returns what worker k computes besides its diagonal block (k, k): the kept pairs moved by k, each
// in both directions. The pair W/2 apart gives the same groups at worker k + W/2: with `published`,
// workers with k < W/2 keep it; with `balanced`, they keep the lower share and the others the upper
// one. Throws std::out_of_range unless 0 <= worker < W.
[[nodiscard]] std::vector<GroupPair> distill(const InterestSet& set, int worker,
                                             Distillation distillation = Distillation::published);
// Does the same for pairs that are known.
[[nodiscard]] std::vector<GroupPair> distill(int modulus, std::span<const ResiduePair> pairs,
                                             int worker, Distillation distillation);

// Applies CQS to a matrix product C = A B (supplement F of CQS-Attention): of W groups the first
// row_groups are of rows of A, the others of columns of B, and a kept pair is a task, one block of
// C, only where it has one of each. Returns each worker's blocks, with the published rule. Throws
// UsageError unless 1 <= row_groups < W.
[[nodiscard]] std::vector<std::vector<GroupPair>> product_blocks(const InterestSet& set,
                                                                 int row_groups);

// With n_tokens = q W + r, the first W - r groups hold q tokens and the last r hold q + 1.
[[nodiscard]] std::int64_t group_tokens(std::int64_t n_tokens, int groups, int group);

// Returns the responsibility of each worker: n_k^2 + 2 * sum of n_a n_b over its kept pairs,
// counted once where it has only a share. Throws UsageError where N < W, or where N is so large
// that a responsibility does not fit 63 bits (about 3e9 sqrt(W)).
[[nodiscard]] std::vector<std::int64_t> responsibilities(
    const InterestSet& set, std::int64_t n_tokens,
    Distillation distillation = Distillation::published);

// Returns RR = N^2 / max responsibility.
[[nodiscard]] double responsibility_ratio(const InterestSet& set, std::int64_t n_tokens,
                                          Distillation distillation = Distillation::published);

struct ResponsibilityRow {
  std::int64_t n_tokens = 0;
  double ratio = 0.0;
};
// Returns RR at every N in [from, to], W <= from. One more token changes one group, so that each
// further row costs only O(W). Throws UsageError as responsibilities() does, and where from > to.
[[nodiscard]] std::vector<ResponsibilityRow> responsibility_rows(
    const InterestSet& set, std::int64_t from, std::int64_t to,
    Distillation distillation = Distillation::published);

// Returns the mean of RR over the integers N in [40 W, 41 W), the published figure of merit.
[[nodiscard]] double asymptotic_responsibility_ratio(
    const InterestSet& set, Distillation distillation = Distillation::published);
// Does the same for pairs that are known.
[[nodiscard]] double asymptotic_responsibility_ratio(int modulus,
                                                     std::span<const ResiduePair> pairs,
                                                     Distillation distillation);

// Returns the most local tokens of a worker (its material list) at each N in [40 W, 41 W).
[[nodiscard]] std::vector<std::int64_t> longest_subsequences(
    const InterestSet& set, Distillation distillation = Distillation::published);

}  // namespace qb
