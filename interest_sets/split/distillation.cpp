// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/split/distillation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>

#include "base/status.h"

namespace qb {
namespace {

// Returns how often worker k computes n_a n_b of `pair`: 2 for both directions, 1 for a share.
std::int64_t weight(const ResiduePair& pair, int worker, int modulus, Distillation distillation) {
  if (!pair.opposite) return 2;
  if (distillation == Distillation::balanced) return 1;
  return 2 * worker < modulus ? 2 : 0;
}

void require_distinct_residues(const InterestSet& set) {
  std::vector<int> sorted = set.residues;
  std::ranges::sort(sorted);
  const bool in_range = sorted.empty() || (sorted.front() >= 0 && sorted.back() < set.modulus);
  if (!in_range || std::ranges::adjacent_find(sorted) != sorted.end())
    throw std::invalid_argument("not a set of residues: " + to_string(set));
}

void require_tokens(int workers, std::int64_t n_tokens) {
  if (n_tokens < workers)
    throw UsageError(fmt::format("N = {} tokens leave some of the W = {} workers without a group",
                                 n_tokens, workers));
  // A worker has its diagonal and at most W/2 pairs, each counted twice.
  const std::int64_t largest_group = n_tokens / workers + 1;
  std::int64_t bound = 0;
  if (__builtin_mul_overflow(largest_group, largest_group, &bound) ||
      __builtin_mul_overflow(bound, std::int64_t{workers} + 1, &bound))
    throw UsageError(fmt::format("N = {} tokens: the pair count leaves 63 bits", n_tokens));
}

// Keeps the groups' tokens and the workers' responsibilities, as N grows by one token at a time.
class GrowingLoads {
 public:
  GrowingLoads(int modulus, std::span<const ResiduePair> pairs, Distillation distillation,
               std::int64_t n_tokens)
      : modulus_(modulus), n_tokens_(n_tokens), pairs_(pairs), distillation_(distillation) {
    require_tokens(modulus_, n_tokens);
    for (int group = 0; group < modulus_; ++group)
      tokens_.push_back(group_tokens(n_tokens, modulus_, group));
    for (int worker = 0; worker < modulus_; ++worker) {
      std::int64_t load = tokens(worker) * tokens(worker);
      for (const ResiduePair& pair : pairs_)
        load += weight(pair, worker, modulus_, distillation_) * tokens(pair.first + worker) *
                tokens(pair.second + worker);
      loads_.push_back(load);
    }
  }

  // Goes from N = qW + r to N + 1: group W - 1 - r is the next to hold q + 1 tokens.
  void add_token() {
    const int group = modulus_ - 1 - static_cast<int>(n_tokens_ % modulus_);
    loads_[static_cast<std::size_t>(group)] += 2 * tokens(group) + 1;
    for (const ResiduePair& pair : pairs_) {
      grow_pair(pair, group - pair.first, pair.second);
      grow_pair(pair, group - pair.second, pair.first);
    }
    ++tokens_[static_cast<std::size_t>(group)];
    ++n_tokens_;
  }

  [[nodiscard]] const std::vector<std::int64_t>& loads() const { return loads_; }

  [[nodiscard]] ResponsibilityRow row() const {
    const auto n = static_cast<double>(n_tokens_);
    return {n_tokens_, n * n / static_cast<double>(*std::ranges::max_element(loads_))};
  }

 private:
  [[nodiscard]] std::int64_t tokens(int residue) const {
    return tokens_[static_cast<std::size_t>(residue % modulus_)];
  }

  // Updates the worker for which one group of `pair` gains a token; `partner` is the other residue.
  void grow_pair(const ResiduePair& pair, int shift, int partner) {
    const int worker = (shift + modulus_) % modulus_;
    loads_[static_cast<std::size_t>(worker)] +=
        weight(pair, worker, modulus_, distillation_) * tokens(partner + worker);
  }

  int modulus_;
  std::int64_t n_tokens_;
  std::span<const ResiduePair> pairs_;
  Distillation distillation_;
  std::vector<std::int64_t> tokens_;
  std::vector<std::int64_t> loads_;
};

// Returns the pairs of I by difference mod W, of either sign, in the order of its combinations.
std::vector<std::vector<ResiduePair>> pairs_by_difference(const InterestSet& set) {
  const int modulus = set.modulus;
  std::map<int, std::size_t> places;
  std::vector<std::vector<ResiduePair>> pairs;
  for (std::size_t i = 0; i < set.residues.size(); ++i)
    for (std::size_t j = i + 1; j < set.residues.size(); ++j) {
      const int apart = std::abs(set.residues[j] - set.residues[i]);
      const int difference = std::min(apart, modulus - apart);
      const auto [place, fresh] = places.emplace(difference, pairs.size());
      if (fresh) pairs.emplace_back();
      pairs[place->second].push_back({set.residues[i], set.residues[j], 2 * difference == modulus});
    }
  return pairs;
}

}  // namespace

std::vector<ResiduePair> kept_residue_pairs(const InterestSet& set, Distillation distillation) {
  require_distinct_residues(set);
  const auto choices = pairs_by_difference(set);
  std::vector<ResiduePair> first;
  for (const std::vector<ResiduePair>& choice : choices) first.push_back(choice.front());
  if (distillation == Distillation::published) return first;
  return balanced_pairs(set.modulus, choices, first);
}

std::vector<GroupPair> distill(int modulus, std::span<const ResiduePair> pairs, int worker,
                               Distillation distillation) {
  if (worker < 0 || worker >= modulus) throw std::out_of_range("no such worker");
  std::vector<GroupPair> kept;
  kept.reserve(pairs.size());
  for (const ResiduePair& pair : pairs) {
    if (weight(pair, worker, modulus, distillation) == 0) continue;
    const int a = (pair.first + worker) % modulus;
    const int b = (pair.second + worker) % modulus;
    Share share = Share::whole;
    if (pair.opposite && distillation == Distillation::balanced)
      share = 2 * worker < modulus ? Share::lower : Share::upper;
    kept.push_back({std::min(a, b), std::max(a, b), share});
  }
  return kept;
}

std::vector<GroupPair> distill(const InterestSet& set, int worker, Distillation distillation) {
  return distill(set.modulus, kept_residue_pairs(set, distillation), worker, distillation);
}

std::vector<std::vector<GroupPair>> product_blocks(const InterestSet& set, int row_groups) {
  if (row_groups < 1 || row_groups >= set.modulus)
    throw UsageError(fmt::format("{} row groups of W = {}: both matrices need a group", row_groups,
                                 set.modulus));
  std::vector<std::vector<GroupPair>> blocks;
  for (int worker = 0; worker < set.modulus; ++worker) {
    blocks.push_back(distill(set, worker));
    std::erase_if(blocks.back(), [&](const GroupPair& pair) {
      return pair.first >= row_groups || pair.second < row_groups;
    });
  }
  return blocks;
}

std::int64_t group_tokens(std::int64_t n_tokens, int groups, int group) {
  const std::int64_t larger_groups = n_tokens % groups;
  return n_tokens / groups + (group >= groups - larger_groups ? 1 : 0);
}

std::vector<std::int64_t> responsibilities(const InterestSet& set, std::int64_t n_tokens,
                                           Distillation distillation) {
  const auto pairs = kept_residue_pairs(set, distillation);
  return GrowingLoads(set.modulus, pairs, distillation, n_tokens).loads();
}

double responsibility_ratio(const InterestSet& set, std::int64_t n_tokens,
                            Distillation distillation) {
  const auto pairs = kept_residue_pairs(set, distillation);
  return GrowingLoads(set.modulus, pairs, distillation, n_tokens).row().ratio;
}

std::vector<ResponsibilityRow> responsibility_rows(const InterestSet& set, std::int64_t from,
                                                   std::int64_t to, Distillation distillation) {
  if (from > to)
    throw UsageError(fmt::format("the range of N runs backwards: from {} to {}", from, to));
  require_tokens(set.modulus, to);
  const auto pairs = kept_residue_pairs(set, distillation);
  GrowingLoads growing(set.modulus, pairs, distillation, from);
  std::vector<ResponsibilityRow> rows = {growing.row()};
  while (rows.back().n_tokens < to) {
    growing.add_token();
    rows.push_back(growing.row());
  }
  return rows;
}

double asymptotic_responsibility_ratio(int modulus, std::span<const ResiduePair> pairs,
                                       Distillation distillation) {
  GrowingLoads growing(modulus, pairs, distillation, 40 * std::int64_t{modulus});
  double sum = growing.row().ratio;
  for (int i = 1; i < modulus; ++i) {
    growing.add_token();
    sum += growing.row().ratio;
  }
  return sum / static_cast<double>(modulus);
}

double asymptotic_responsibility_ratio(const InterestSet& set, Distillation distillation) {
  return asymptotic_responsibility_ratio(set.modulus, kept_residue_pairs(set, distillation),
                                         distillation);
}

std::vector<std::int64_t> longest_subsequences(const InterestSet& set, Distillation distillation) {
  const int modulus = set.modulus;
  const auto pairs = kept_residue_pairs(set, distillation);
  std::vector<std::vector<int>> holders(static_cast<std::size_t>(modulus));
  std::vector<std::int64_t> tokens;
  for (int worker = 0; worker < modulus; ++worker) {
    std::set<int> groups = {worker};
    for (const GroupPair& pair : distill(modulus, pairs, worker, distillation))
      groups.insert({pair.first, pair.second});
    for (int group : groups) holders[static_cast<std::size_t>(group)].push_back(worker);
    tokens.push_back(40 * std::ssize(groups));
  }
  std::int64_t most = *std::ranges::max_element(tokens);
  std::vector<std::int64_t> longest = {most};
  for (int group = modulus - 1; group > 0; --group) {
    for (int worker : holders[static_cast<std::size_t>(group)])
      most = std::max(most, ++tokens[static_cast<std::size_t>(worker)]);
    longest.push_back(most);
  }
  return longest;
}

}  // namespace qb
