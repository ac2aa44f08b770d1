// SPDX-License-Identifier: Apache-2.0
// For tests only: random plans of all strategies one after another, from a seed that is printed.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>

#include "harness/plan/testing/brute_force.h"

namespace qb {

[[nodiscard]] inline std::string describe(const Plan& plan) {
  const Shape& s = plan.problem.shape;
  std::ostringstream text;
  text << plan.algorithm << " W=" << plan.workers.size() << " b=" << s.batch << " h=" << s.q_heads
       << " g=" << s.kv_heads << " n=" << s.q_len << " m=" << s.kv_len << " d=" << s.head_dim << " "
       << word(plan.problem.dtype) << " " << to_string(plan.problem.mask)
       << " segments=" << plan.problem.mask.segments.size()
       << " sinks=" << plan.problem.sinks.size() << " " << word(plan.pass);
  return text.str();
}

namespace testing_support {

// Calls attempt(plan, random) for `rounds` random plans, until an ASSERT in it fails, which shows
// the seed and the plan. Returns how many strategies came up: all of them in 250 rounds. In a
// backward pass rounds go by without a plan, since some strategies have none.
template <class Attempt>
std::size_t for_random_plans(int rounds, Attempt attempt,
                             std::uint64_t seed = std::random_device{}(),
                             Pass pass = Pass::forward) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::map<std::string, int> seen;
  for (int round = 0; round < rounds && !testing::Test::HasFatalFailure(); ++round) {
    const std::optional<Plan> plan = random_plan(random, pass);
    if (!plan) continue;
    ++seen[plan->algorithm];
    SCOPED_TRACE(testing::Message() << "round " << round << ": " << describe(*plan));
    attempt(*plan, random);
  }
  return seen.size();
}

// Returns the plan for inputs of a random type; its other options are the default ones.
inline Plan in_random_type(const Plan& plan, std::mt19937_64& random) {
  const DType dtypes[] = {DType::f16, DType::bf16, DType::f32};
  Problem problem = plan.problem;
  problem.dtype = dtypes[random() % 3];
  if (plan.result != Result::root && plan.pass == Pass::forward)
    problem.partials = dtypes[random() % 3];
  StrategyOptions options;
  options.workers = static_cast<int>(plan.workers.size());
  options.pass = plan.pass;
  if (random() % 2 == 0) options.keys.text("helix_exchange") = "reduce_scatter";
  return make_plan(plan.algorithm, problem, options);
}

}  // namespace testing_support
}  // namespace qb
