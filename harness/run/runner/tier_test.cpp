// SPDX-License-Identifier: Apache-2.0
// Tensors in a memory tier are fetched by the step, held as long as the plan says, and rows written
// back once: what check() refuses is wrong when it runs, and what it accepts is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/testing/execute_fixtures.h"

namespace qb {
namespace {

Plan rectangular(const Problem& problem, int workers, int blocks) {
  StrategyOptions options{.workers = workers};
  options.keys.text("grid_rows") = std::to_string(blocks);
  return make_plan("rectangular", problem, options);
}

Problem tier_problem(std::int64_t n_tokens, MaskKind mask = MaskKind::causal) {
  return make_problem({1, 4, 2, n_tokens, n_tokens, 16, 16}, mask, DType::f32, 3);
}

// Returns whether the plan runs and its whole output is right.
bool fetches_right(const Plan& plan, Ranks ranks = Ranks::serial) {
  Trial trial(plan, heap_allocator());
  try {
    (void)trial.run(ranks, Kernel::flash, 1, heap_allocator());
  } catch (const std::logic_error&) {
    return false;
  }
  return trial.verify().correct;
}

// Damages one transfer or task of a plan.
void damage_fetch(Plan& plan, Random& random) {
  std::vector<Worker>& workers = plan.workers.spell_out();
  Worker& worker = workers[random() % workers.size()];
  const std::size_t s = random() % worker.steps.size();
  Step& step = worker.steps[s];
  const auto one_of = [&](auto& all) {
    return all.begin() + static_cast<std::ptrdiff_t>(random() % all.size());
  };
  switch (random() % 8) {
    case 0:
      if (!step.receives.empty()) step.receives.erase(one_of(step.receives));
      break;
    case 1:
      if (!step.receives.empty()) one_of(step.receives)->until = static_cast<int>(s);
      break;
    case 2:
      if (!step.receives.empty()) one_of(step.receives)->until = kToTheEnd;
      break;
    case 3:
      if (!step.receives.empty()) one_of(step.receives)->delay = s > 0 ? 0 : 1;
      break;
    case 4:
      if (!step.sends.empty()) step.sends.clear();
      break;
    case 5:
      if (!step.tasks.empty()) step.tasks.erase(one_of(step.tasks));
      break;
    case 6:  // written back a step earlier
      if (s > 0 && !step.sends.empty()) step.sends.swap(worker.steps[s - 1].sends);
      break;
    default:
      if (!step.receives.empty()) one_of(step.receives)->peer = kRoot;
  }
}

TEST(Tier, WhatCheckRefusesFailsOrIsWrongAndWhatItAcceptsIsRight) {
  Random random(11);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    const Problem problem = tier_problem(between(random, 20, 60),
                                         random() % 2 == 0 ? MaskKind::full : MaskKind::causal);
    Plan plan = rectangular(problem, static_cast<int>(between(random, 1, 3)),
                            static_cast<int>(between(random, 1, 4)));
    damage_fetch(plan, random);
    const auto offence = check(plan);
    ++(offence ? refused : accepted);
    ASSERT_EQ(fetches_right(plan), !offence) << i << ": " << offence.value_or("accepted");
  }
  EXPECT_GT(accepted, 50);
  EXPECT_GT(refused, 100);
}

TEST(Tier, ThreadsFetchAsOneAfterTheOtherDoes) {
  for (const int workers : {1, 2, 5}) {
    const Plan plan = rectangular(tier_problem(83), workers, 3);
    EXPECT_FALSE(check(plan).has_value());
    EXPECT_TRUE(fetches_right(plan));
    EXPECT_TRUE(fetches_right(plan, Ranks::threads));
  }
}

// The write-back takes what was computed for fetched queries.
TEST(Tier, QueriesOfAWorkersOwnAreRefused) {
  Plan plan = rectangular(tier_problem(24), 2, 2);
  plan.workers.spell_out()[1].q_groups = {1};
  EXPECT_EQ(check(plan).value_or(""),
            "worker 1 holds queries that it did not fetch from the memory tier");
}

// A worker holds a block of Q, O and LSE and two of K and V: as much for four times N in four times
// as many blocks.
TEST(Tier, MemoryFollowsFromTheTokensOfABlock) {
  const auto peak = [](std::int64_t n_tokens, int blocks) {
    return plan_memory(rectangular(tier_problem(n_tokens, MaskKind::full), 1, blocks),
                       Kernel::flash, 1)
        .device_peak_bytes;
  };
  const std::int64_t of_eight = peak(1024, 8);
  EXPECT_EQ(peak(4096, 32), of_eight);
  EXPECT_LT(of_eight, peak(1024, 1) / 3);
}

}  // namespace
}  // namespace qb
