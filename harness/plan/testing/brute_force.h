// SPDX-License-Identifier: Apache-2.0
// For tests only: expands a plan to its N x N pairs, to compare with the checker over groups.
#pragma once

#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "harness/plan/plan.h"
#include "harness/plan/strategies/strategy.h"
#include "kernels/testing/mask_fixtures.h"

namespace qb::testing_support {

// Returns the pairs (per head) over all steps of a worker: its responsibility.
inline std::int64_t worker_pairs(const Plan& plan, const Worker& worker) {
  std::int64_t pairs = 0;
  for (const Step& step : worker.steps)
    for (const PairTask& task : step.tasks) pairs += task_pairs(plan, task);
  return pairs;
}

// Returns true if a task computes key j of its key group for query i of its query group.
inline bool computes(const Plan& plan, const PairTask& task, std::int64_t i, std::int64_t j) {
  if (task.allowed == Allowed::all) return true;
  if (task.allowed == Allowed::causal) return j <= i + task.offset;
  return plan.problem.mask.allows(plan.q_groups[static_cast<std::size_t>(task.q_group)].token(i),
                                  plan.kv_groups[static_cast<std::size_t>(task.kv_group)].token(j));
}

// Returns how many times each (query, key) pair is computed for a head; row-major q_len x kv_len.
inline std::vector<int> pair_counts(const Plan& plan, std::int64_t head = 0) {
  const auto n_keys = static_cast<std::size_t>(plan.problem.shape.kv_len);
  std::vector<int> counts(static_cast<std::size_t>(plan.problem.shape.q_len) * n_keys, 0);
  for (const Worker& worker : plan.workers.all()) {
    for (const Step& step : worker.steps) {
      for (const PairTask& task : step.tasks) {
        if (head < task.heads.begin || head >= task.heads.end) continue;
        const TokenGroup& q = plan.q_groups[static_cast<std::size_t>(task.q_group)];
        const TokenGroup& k = plan.kv_groups[static_cast<std::size_t>(task.kv_group)];
        for (std::int64_t i = 0; i < q.count; ++i)
          for (std::int64_t j = 0; j < k.count; ++j)
            if (computes(plan, task, i, j))
              ++counts[static_cast<std::size_t>(q.token(i)) * n_keys +
                       static_cast<std::size_t>(k.token(j))];
      }
    }
  }
  return counts;
}

// Returns true if for every head each pair that the mask allows is computed once, and no other.
inline bool covers_exactly_once(const Plan& plan) {
  const std::int64_t n_keys = plan.problem.shape.kv_len;
  for (std::int64_t head = 0; head < plan.problem.shape.q_heads; ++head) {
    const std::vector<int> counts = pair_counts(plan, head);
    for (std::int64_t q = 0; q < plan.problem.shape.q_len; ++q)
      for (std::int64_t k = 0; k < n_keys; ++k)
        if (counts[static_cast<std::size_t>(q * n_keys + k)] !=
            (plan.problem.mask.allows(q, k) ? 1 : 0))
          return false;
  }
  return true;
}

inline Problem square_problem(std::int64_t n_tokens, MaskKind mask) {
  return make_problem({1, 2, 1, n_tokens, n_tokens, 8, 8}, mask, DType::f32, 1);
}

inline std::int64_t draw(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

inline bool is_grid(std::string_view algorithm) {
  return algorithm == "grid" || algorithm == "usp" || algorithm == "mesh";
}

// Returns a grid of so many workers that leaves out its columns.
inline GridShape any_grid(int workers, std::mt19937_64& random) {
  const auto divisor_of = [&](int whole) {
    int part = 0;
    do part = static_cast<int>(draw(random, 1, whole));
    while (whole % part != 0);
    return part;
  };
  const int heads = divisor_of(workers);
  return {heads, divisor_of(workers / heads), 0};
}

// Draws unequal lengths: single tokens among longer sequences, with and without a cache.
inline std::vector<Sequence> random_sequences(std::mt19937_64& random, std::int64_t most_new) {
  std::vector<Sequence> sequences;
  for (std::int64_t i = draw(random, 1, 5); i > 0; --i)
    sequences.push_back({random() % 2 == 0 ? 0 : draw(random, 0, 60),
                         random() % 4 == 0 ? 1 : draw(random, 1, most_new)});
  return sequences;
}

// Draws odd sizes, head groups, masks and patterns, and packed sequences where they are taken.
inline Problem random_problem_for(std::string_view algorithm, std::mt19937_64& random) {
  Shape shape;
  const bool heads_split = algorithm == "ulysses";
  shape.batch = algorithm == "decode" ? 1 : draw(random, 1, 2);
  shape.kv_heads = heads_split ? draw(random, 1, 6) : draw(random, 1, 3);
  shape.q_heads = shape.kv_heads * draw(random, 1, 3);
  shape.head_dim = draw(random, 1, 20);
  shape.value_dim = random() % 4 == 0 ? draw(random, 1, 20) : shape.head_dim;
  const auto mask = random() % 3 == 0 ? MaskKind::full : MaskKind::causal;
  const bool packs =
      algorithm != "flash_decoding" && algorithm != "tree_decode" && algorithm != "helix";
  if (packs && random() % 2 == 0) {
    const std::int64_t most_new = algorithm != "decode" ? 40 : (mask == MaskKind::full ? 1 : 5);
    const std::vector<Sequence> sequences = random_sequences(random, most_new);
    return make_packed_problem(shape, mask, DType::f32, random(), sequences);
  }
  shape.q_len = draw(random, 1, algorithm == "decode" ? 5 : 70);
  if (algorithm == "decode")
    shape.kv_len = shape.q_len + draw(random, 0, 60);
  else
    shape.kv_len = random() % 3 == 0 ? draw(random, 1, 90) : shape.q_len;
  if (random() % 2 == 0 && shape.kv_len > 1)
    return make_problem(shape, MaskSpec(mask_fixtures::random_pattern(random, shape.kv_len)),
                        DType::f32, random());
  return make_problem(shape, mask, DType::f32, random());
}

// Makes a plan of any strategy for 1 to 9 workers. A strategy that refuses a problem is asked about
// others, so that all come up about equally often. Returns nullopt if it refuses them all.
inline std::optional<Plan> random_plan(std::mt19937_64& random, Pass pass = Pass::forward) {
  constexpr int kMostTries = 30;
  const auto known = strategies();
  const Strategy& strategy = known[random() % known.size()];
  for (int tries = 0; tries < kMostTries; ++tries) {
    Problem problem = random_problem_for(strategy.name, random);
    if (problem.mask.segments.empty() && random() % 5 == 0)
      problem.resident_keys = draw(random, 0, problem.shape.kv_len);
    // Every third has sinks, of every size beside the scores.
    for (std::int64_t h = random() % 3 == 0 ? 0 : problem.shape.q_heads; h < problem.shape.q_heads;
         ++h)
      problem.sinks.push_back(static_cast<float>(random() % 1000) / 100.0F - 5.0F);
    StrategyOptions options;
    options.pass = pass;
    options.workers = strategy.name == "dense" ? 1 : static_cast<int>(draw(random, 1, 9));
    if (random() % 2 == 0) options.new_key_owner = NewKeyOwner::fixed;
    if (random() % 2 == 0 && takes_interest_set(strategy.name))
      options.distillation = Distillation::balanced;
    if (strategy.name == "helix" && random() % 2 == 0)
      options.keys.text("helix_exchange") = "reduce_scatter";
    if (strategy.name == "grid" || strategy.name == "usp" || strategy.name == "helix")
      options.keys.text("grid_heads") = std::to_string(draw(random, 0, 4));
    if (strategy.name == "grid" || strategy.name == "mesh" || strategy.name == "double_ring" ||
        strategy.name == "rectangular")
      options.keys.text("grid_rows") = std::to_string(draw(random, 0, 4));
    if (is_grid(strategy.name) || strategy.name == "double_ring")
      options.keys.text("grid_layout") =
          std::array{"zigzag", "striped", "contiguous"}[random() % 3];
    try {
      return make_plan(strategy.name, problem, options);
    } catch (const Unsupported&) {
      continue;
    }
  }
  return std::nullopt;
}

}  // namespace qb::testing_support
