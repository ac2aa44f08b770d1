#include "interest_sets/distillation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "harness/base/status.h"

namespace qb {
namespace {

// Whether worker k keeps `pair`; see the half rule of distill().
bool keeps(const ResiduePair& pair, int worker, int modulus) {
  return !pair.opposite || 2 * worker < modulus;
}

void require_distinct_residues(const InterestSet& set) {
  std::vector<int> sorted = set.residues;
  std::sort(sorted.begin(), sorted.end());
  const bool in_range = sorted.empty() || (sorted.front() >= 0 && sorted.back() < set.modulus);
  if (!in_range || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
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

// Tokens of each group and responsibility of each worker, as N grows by one token at a time.
class Workload {
 public:
  Workload(const InterestSet& set, std::int64_t n_tokens)
      : modulus_(set.modulus), n_tokens_(n_tokens), pairs_(kept_residue_pairs(set)) {
    require_tokens(modulus_, n_tokens);
    for (int group = 0; group < modulus_; ++group)
      tokens_.push_back(group_tokens(n_tokens, modulus_, group));
    for (int worker = 0; worker < modulus_; ++worker) {
      std::int64_t load = tokens(worker) * tokens(worker);
      for (const ResiduePair& pair : pairs_)
        if (keeps(pair, worker, modulus_))
          load += 2 * tokens(pair.first + worker) * tokens(pair.second + worker);
      loads_.push_back(load);
    }
  }

  // From N = qW + r to N + 1: group W - 1 - r is the next to hold q + 1 tokens.
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
    return {n_tokens_,
            n * n / static_cast<double>(*std::max_element(loads_.begin(), loads_.end()))};
  }

 private:
  [[nodiscard]] std::int64_t tokens(int residue) const {
    return tokens_[static_cast<std::size_t>(residue % modulus_)];
  }

  // The worker for which one group of `pair` gains a token and `partner` is the other residue.
  void grow_pair(const ResiduePair& pair, int shift, int partner) {
    const int worker = (shift + modulus_) % modulus_;
    if (keeps(pair, worker, modulus_))
      loads_[static_cast<std::size_t>(worker)] += 2 * tokens(partner + worker);
  }

  int modulus_;
  std::int64_t n_tokens_;
  std::vector<ResiduePair> pairs_;
  std::vector<std::int64_t> tokens_;
  std::vector<std::int64_t> loads_;
};

}  // namespace

std::vector<ResiduePair> kept_residue_pairs(const InterestSet& set) {
  const int modulus = set.modulus;
  require_distinct_residues(set);
  std::vector<bool> seen(static_cast<std::size_t>(modulus / 2 + 1), false);
  std::vector<ResiduePair> pairs;
  for (std::size_t i = 0; i < set.residues.size(); ++i)
    for (std::size_t j = i + 1; j < set.residues.size(); ++j) {
      const int apart = std::abs(set.residues[j] - set.residues[i]);
      const int difference = std::min(apart, modulus - apart);
      if (seen[static_cast<std::size_t>(difference)]) continue;
      seen[static_cast<std::size_t>(difference)] = true;
      pairs.push_back({set.residues[i], set.residues[j], 2 * difference == modulus});
    }
  return pairs;
}

std::vector<GroupPair> distill(const InterestSet& set, int worker) {
  if (worker < 0 || worker >= set.modulus) throw std::out_of_range("no such worker");
  std::vector<GroupPair> kept;
  for (const ResiduePair& pair : kept_residue_pairs(set)) {
    if (!keeps(pair, worker, set.modulus)) continue;
    const int a = (pair.first + worker) % set.modulus;
    const int b = (pair.second + worker) % set.modulus;
    kept.push_back({std::min(a, b), std::max(a, b)});
  }
  return kept;
}

std::int64_t group_tokens(std::int64_t n_tokens, int groups, int group) {
  const std::int64_t larger_groups = n_tokens % groups;
  return n_tokens / groups + (group >= groups - larger_groups ? 1 : 0);
}

std::vector<std::int64_t> responsibilities(const InterestSet& set, std::int64_t n_tokens) {
  return Workload(set, n_tokens).loads();
}

double responsibility_ratio(const InterestSet& set, std::int64_t n_tokens) {
  return Workload(set, n_tokens).row().ratio;
}

std::vector<ResponsibilityRow> responsibility_rows(const InterestSet& set, std::int64_t from,
                                                   std::int64_t to) {
  if (from > to)
    throw UsageError(fmt::format("the range of N runs backwards: from {} to {}", from, to));
  require_tokens(set.modulus, to);
  Workload workload(set, from);
  std::vector<ResponsibilityRow> rows = {workload.row()};
  while (rows.back().n_tokens < to) {
    workload.add_token();
    rows.push_back(workload.row());
  }
  return rows;
}

double asymptotic_responsibility_ratio(const InterestSet& set) {
  const std::int64_t workers = set.modulus;
  double sum = 0.0;
  for (const ResponsibilityRow& row : responsibility_rows(set, 40 * workers, 41 * workers - 1))
    sum += row.ratio;
  return sum / static_cast<double>(workers);
}

}  // namespace qb
