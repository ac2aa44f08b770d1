// SPDX-License-Identifier: Apache-2.0
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
#include <algorithm>
#include <set>

#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

// Larger W get less effort, because the numbers of pairs, remainders and workers grow together.
constexpr int kFewWorkers = 256;

// Holds twice the tokens above q that worker k has through its pairs, for each remainder r that is
// tried: a pair adds its weight times the number of its groups g >= W - r.
class Excess {
 public:
  explicit Excess(int modulus) : modulus_(modulus) {
    // Small W are tried with every remainder, larger ones with a sample of them.
    const int step = std::max(1, modulus / (modulus <= kFewWorkers ? 128 : 32));
    for (int r = 1; r < modulus; r += step) remainders_.push_back(r);
    sums_.assign(remainders_.size() * static_cast<std::size_t>(modulus), 0);
    add(0, 2);  // the diagonal block is (n + 1)^2 = n^2 + 2 n + 1
  }

  void add_pair(const ResiduePair& pair, int sign) {
    const int weight = sign * (pair.opposite ? 1 : 2);
    add(pair.first, weight);
    add(pair.second, weight);
  }

  // Returns the sum over the remainders of the largest excess.
  [[nodiscard]] std::int64_t cost() const {
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < remainders_.size(); ++i) {
      const auto begin = sums_.begin() + static_cast<std::ptrdiff_t>(i) * modulus_;
      cost += *std::max_element(begin, begin + modulus_);
    }
    return cost;
  }

 private:
  // The group of `residue` at worker k is larger when (residue + k) mod W >= W - r.
  void add(int residue, int weight) {
    for (std::size_t i = 0; i < remainders_.size(); ++i) {
      int* of_worker = sums_.data() + i * static_cast<std::size_t>(modulus_);
      const int from = modulus_ - remainders_[i] - residue;  // groups W - r .. W - 1
      const int to = modulus_ - residue;
      for (int worker = std::max(0, from); worker < to; ++worker) of_worker[worker] += weight;
      for (int worker = from + modulus_; worker < modulus_; ++worker) of_worker[worker] += weight;
    }
  }

  int modulus_;
  std::vector<int> remainders_;
  std::vector<int> sums_;  // sum for each remainder and worker
};

}  // namespace

std::vector<ResiduePair> balanced_pairs(int modulus,
                                        std::span<const std::vector<ResiduePair>> choices,
                                        const std::vector<ResiduePair>& first_pairs) {
  std::set<int> held = {0};  // by the diagonal block and the pairs
  for (const ResiduePair& pair : first_pairs) held.insert({pair.first, pair.second});
  std::vector<ResiduePair> kept = first_pairs;
  Excess excess(modulus);
  for (const ResiduePair& pair : kept) excess.add_pair(pair, 1);
  std::int64_t least = excess.cost();
  const int most_passes = modulus <= kFewWorkers ? 8 : 2;
  bool better = true;
  for (int pass = 0; better && pass < most_passes; ++pass) {
    better = false;
    for (std::size_t i = 0; i < kept.size(); ++i)
      for (const ResiduePair& other : choices[i]) {
        if (other == kept[i] || !held.contains(other.first) || !held.contains(other.second))
          continue;
        excess.add_pair(kept[i], -1);
        excess.add_pair(other, 1);
        const std::int64_t cost = excess.cost();
        if (cost < least) {
          least = cost;
          kept[i] = other;
          better = true;
        } else {
          excess.add_pair(other, -1);
          excess.add_pair(kept[i], 1);
        }
      }
  }
  const auto ratio = [&](const std::vector<ResiduePair>& pairs) {
    return asymptotic_responsibility_ratio(modulus, pairs, Distillation::balanced);
  };
  return ratio(kept) >= ratio(first_pairs) ? kept : first_pairs;
}

}  // namespace qb
