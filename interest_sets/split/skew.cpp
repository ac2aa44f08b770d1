// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/split/skew.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/status.h"

namespace qb {
namespace {

// Holds twice the pairs of groups of each worker, halves for shares.
struct Blocks {
  Blocks(const InterestSet& set, Distillation distillation)
      : of_worker(static_cast<std::size_t>(set.modulus)) {
    const auto pairs = kept_residue_pairs(set, distillation);
    for (int worker = 0; worker < set.modulus; ++worker)
      for (const GroupPair& pair : distill(set.modulus, pairs, worker, distillation))
        of_worker[static_cast<std::size_t>(worker)].push_back(
            {static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second),
             pair.share == Share::whole ? 2.0 : 1.0});
  }
  struct Block {
    std::size_t a;
    std::size_t b;
    double weight;
  };
  std::vector<std::vector<Block>> of_worker;

  template <class Size>
  [[nodiscard]] std::vector<double> times(const std::vector<Size>& sizes,
                                          std::span<const double> speeds) const {
    const auto size = [&](std::size_t group) { return static_cast<double>(sizes[group]); };
    std::vector<double> times;
    for (std::size_t worker = 0; worker < of_worker.size(); ++worker) {
      double load = size(worker) * size(worker);
      for (const Block& block : of_worker[worker])
        load += block.weight * size(block.a) * size(block.b);
      times.push_back(load / speeds[worker]);
    }
    return times;
  }
};

// The slope of the power mean of the times for the logarithm of each size, but for a factor.
std::vector<double> slopes(const Blocks& blocks, const std::vector<double>& sizes,
                           const std::vector<double>& times, std::span<const double> speeds,
                           double power) {
  const double most = std::ranges::max(times);
  std::vector<double> slope(sizes.size(), 0.0);
  for (std::size_t worker = 0; worker < sizes.size(); ++worker) {
    const double weight = std::pow(times[worker] / most, power - 1.0) / (speeds[worker] * most);
    slope[worker] += weight * 2.0 * sizes[worker] * sizes[worker];
    for (const Blocks::Block& block : blocks.of_worker[worker]) {
      const double product = weight * block.weight * sizes[block.a] * sizes[block.b];
      slope[block.a] += product;
      slope[block.b] += product;
    }
  }
  return slope;
}

// Returns sizes that sum to `total`, the best of the descent.
std::vector<double> descend(const Blocks& blocks, double total, std::span<const double> speeds) {
  const std::size_t n = speeds.size();
  std::vector<double> sizes(n, total / static_cast<double>(n));
  std::vector<double> best = sizes;
  double least = std::ranges::max(blocks.times(sizes, speeds));
  constexpr int kSteps = 4000;
  for (int step = 0; step < kSteps; ++step) {
    const double progress = static_cast<double>(step) / kSteps;
    const double power = 4.0 * std::pow(200.0, progress);
    const double rate = 0.02 * (1.0 - progress);
    const std::vector<double> times = blocks.times(sizes, speeds);
    const double most = std::ranges::max(times);
    if (most < least) {
      least = most;
      best = sizes;
    }
    std::vector<double> slope = slopes(blocks, sizes, times, speeds, power);
    // Only the shares matter: a factor common to all sizes is removed.
    double mean = 0.0;
    for (std::size_t group = 0; group < n; ++group) mean += slope[group] * sizes[group] / total;
    double steepest = 0.0;
    for (double& value : slope) {
      value -= mean;
      steepest = std::max(steepest, std::abs(value));
    }
    if (steepest == 0.0) break;
    for (std::size_t group = 0; group < n; ++group)
      sizes[group] *= std::exp(-rate * slope[group] / steepest);
    const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    for (double& size : sizes) size *= total / sum;
  }
  return best;
}

// Rounds to whole tokens: down, to at least 1, and the largest remainders up.
std::vector<std::int64_t> whole(const std::vector<double>& sizes, std::int64_t total) {
  std::vector<std::int64_t> tokens;
  std::vector<std::pair<double, std::size_t>> remainders;
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    tokens.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(sizes[group])));
    remainders.emplace_back(static_cast<double>(tokens.back()) - sizes[group], group);
  }
  std::ranges::sort(remainders);
  std::int64_t left = total - std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
  for (std::size_t i = 0; left > 0; i = (i + 1) % remainders.size(), --left)
    ++tokens[remainders[i].second];
  for (; left < 0; ++left) --*std::ranges::max_element(tokens);
  return tokens;
}

}  // namespace

std::vector<std::int64_t> skewed_group_sizes(const InterestSet& set, std::int64_t n_tokens,
                                             std::span<const double> speeds,
                                             Distillation distillation) {
  if (std::ssize(speeds) != set.modulus)
    throw UsageError(
        fmt::format("{} speeds for W = {} workers; give one each", speeds.size(), set.modulus));
  for (double speed : speeds)
    if (!(speed > 0.0)) throw UsageError(fmt::format("a speed is {}; it must be above 0", speed));
  if (n_tokens < set.modulus)
    throw UsageError(fmt::format("N = {} tokens leave some of the W = {} workers without a group",
                                 n_tokens, set.modulus));
  const Blocks blocks(set, distillation);
  std::vector<std::int64_t> equal;
  for (int group = 0; group < set.modulus; ++group)
    equal.push_back(group_tokens(n_tokens, set.modulus, group));
  const auto skewed = whole(descend(blocks, static_cast<double>(n_tokens), speeds), n_tokens);
  const auto slowest_s = [&](const auto& sizes) {
    return std::ranges::max(blocks.times(sizes, speeds));
  };
  return slowest_s(skewed) < slowest_s(equal) ? skewed : equal;
}

}  // namespace qb
