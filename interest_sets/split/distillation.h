// Self-distillation and responsibility: which group pairs of its quorum each worker keeps.
//
// `published` is the rule of CQS-Attention: of the pairs of I with one difference the first stays,
// and where W is even the pair W/2 apart goes to half of the workers. `balanced` chooses which pair
// stays so that the largest responsibility is least (balance.h), and shares each block W/2 apart
// between the two workers that hold it. Both are exact covers; neither holds a residue that the
// published rule does not.
//
// Adding k to every residue changes no difference, so all workers keep the same pairs of I, moved
// by k. They are found once in O(m^2); a worker's own list costs O(W).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
#include "interest_sets/sets/interest_set.h"

namespace qb {

enum class Distillation { published, balanced };

template <>
struct Words<Distillation> {
  static constexpr std::string_view what = "distillation";
  static constexpr std::pair<Distillation, std::string_view> table[] = {
      {Distillation::published, "published"}, {Distillation::balanced, "balanced"}};
};

// Two residues of I whose groups (first + k) mod W and (second + k) mod W worker k computes.
struct ResiduePair {
  int first = 0;
  int second = 0;
  bool opposite = false;  // 2 (second - first) = 0 mod W: each block falls to two workers
  friend bool operator==(const ResiduePair&, const ResiduePair&) = default;
};

// The pairs of I, in the order of its combinations, one for each difference mod W (either sign):
// the first one, or the one that balances. Here and below the residues must be distinct and in
// [0, W), as verify() ensures, else std::invalid_argument.
[[nodiscard]] std::vector<ResiduePair> kept_residue_pairs(
    const InterestSet& set, Distillation distillation = Distillation::published);

// Of a block that two workers hold, which part a worker computes: all, or one of two halves.
enum class Share { whole, lower, upper };

// An unordered pair of different group indices, first < second.
struct GroupPair {
  int first = 0;
  int second = 0;
  Share share = Share::whole;
  friend bool operator==(const GroupPair&, const GroupPair&) = default;
};

// What worker k computes beside its diagonal block (k, k): the kept pairs moved by k, each in both
// directions. The pair W/2 apart comes round to the same groups at worker k + W/2: published,
// workers with k < W/2 keep it; balanced, they keep the lower share and the others the upper one.
// Throws std::out_of_range unless 0 <= worker < W.
[[nodiscard]] std::vector<GroupPair> distill(const InterestSet& set, int worker,
                                             Distillation distillation = Distillation::published);
// The same for pairs that are known.
[[nodiscard]] std::vector<GroupPair> distill(int modulus, std::span<const ResiduePair> pairs,
                                             int worker, Distillation distillation);

// Tokens of group g when n_tokens are dealt to W groups: the first W - r hold q, the last r q + 1.
[[nodiscard]] std::int64_t group_tokens(std::int64_t n_tokens, int groups, int group);

// Responsibility of each worker: n_k^2 + 2 * sum of n_a n_b over its kept pairs, once where it has
// a share only. Throws UsageError where N < W, or where N is so large that a responsibility leaves
// 63 bits (about 3e9 sqrt(W)).
[[nodiscard]] std::vector<std::int64_t> responsibilities(
    const InterestSet& set, std::int64_t n_tokens,
    Distillation distillation = Distillation::published);

// RR = N^2 / max responsibility.
[[nodiscard]] double responsibility_ratio(const InterestSet& set, std::int64_t n_tokens,
                                          Distillation distillation = Distillation::published);

struct ResponsibilityRow {
  std::int64_t n_tokens = 0;
  double ratio = 0.0;
};
// RR at every N in [from, to], W <= from. One more token changes one group, so that each further
// row costs O(W) only. Throws UsageError as responsibilities() does, and where from > to.
[[nodiscard]] std::vector<ResponsibilityRow> responsibility_rows(
    const InterestSet& set, std::int64_t from, std::int64_t to,
    Distillation distillation = Distillation::published);

// Mean of RR over the integers N in [40 W, 41 W): the published figure of merit.
[[nodiscard]] double asymptotic_responsibility_ratio(
    const InterestSet& set, Distillation distillation = Distillation::published);
// The same for pairs that are known.
[[nodiscard]] double asymptotic_responsibility_ratio(int modulus,
                                                     std::span<const ResiduePair> pairs,
                                                     Distillation distillation);

// The largest number of local tokens of a worker (its material list), at each N in [40 W, 41 W).
[[nodiscard]] std::vector<std::int64_t> longest_subsequences(
    const InterestSet& set, Distillation distillation = Distillation::published);

}  // namespace qb
