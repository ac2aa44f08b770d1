// SPDX-License-Identifier: Apache-2.0
// Tensors are held until the step that the plan says, and keys that every worker holds are counted
// once: what check() refuses is wrong when it runs, and what it accepts is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

#include "harness/run/testing/execute_fixtures.h"

namespace qb {
namespace {

Problem problem_of(std::int64_t resident) {
  Problem problem = make_problem({1, 2, 1, 60, 60, 16, 16}, MaskKind::full, DType::f32, 3);
  problem.resident_keys = resident;
  return problem;
}

// Returns whether the plan runs, in turn, and its whole output is right.
bool runs(const Plan& plan) {
  Trial trial(plan, heap_allocator());
  try {
    (void)trial.run(Ranks::serial, Kernel::flash, 1, heap_allocator());
  } catch (const std::logic_error&) {
    return false;
  }
  return trial.verify().correct;
}

// Damages a plan, and returns whether check() and the run agree on it, and that it is right.
bool is_right(std::string_view algorithm, std::int64_t resident,
              const std::function<void(Plan&, std::vector<Worker>&)>& change) {
  Plan plan = make_plan(algorithm, problem_of(resident), {.workers = 6});
  change(plan, plan.workers.spell_out());
  const bool accepted = !check(plan);
  EXPECT_EQ(runs(plan), accepted) << check(plan).value_or("");
  return accepted;
}

// Worker 2 computes in step 3 what it would compute in step 2, for which the keys must stay.
void compute_later(Plan& /*plan*/, std::vector<Worker>& workers) {
  std::vector<PairTask>& now = workers[2].steps[2].tasks;
  std::vector<PairTask>& later = workers[2].steps[3].tasks;
  later.insert(later.end(), now.begin(), now.end());
  now.clear();
}

void hold_until(std::vector<Worker>& workers, std::size_t step, int until) {
  for (Transfer& transfer : workers[2].steps[step].receives) {
    for (Transfer& sent : workers[static_cast<std::size_t>(transfer.peer)]
                              .steps[step - static_cast<std::size_t>(transfer.delay)]
                              .sends)
      if (sent.peer == 2 && sent.what == transfer.what) sent.until = until;
    transfer.until = until;
  }
}

TEST(Until, KeysThatAreHeldLongerCanBeUsedLater) {
  for (const char* algorithm : {"ring", "zigzag", "double_ring"}) {
    EXPECT_TRUE(is_right(algorithm, 0, [](Plan& plan, std::vector<Worker>& workers) {
      compute_later(plan, workers);
      hold_until(workers, 2, 3);
    })) << algorithm;
    EXPECT_TRUE(is_right(algorithm, 0, [](Plan&, std::vector<Worker>& workers) {
      for (std::size_t step = 1; step < 6; ++step) hold_until(workers, step, kToTheEnd);
    })) << algorithm;
  }
}

TEST(Until, WhatIsUsedAfterItIsDroppedIsFound) {
  EXPECT_FALSE(is_right("ring", 0, compute_later));
  EXPECT_FALSE(is_right("double_ring", 0, [](Plan& plan, std::vector<Worker>& workers) {
    compute_later(plan, workers);
    workers[2].steps[4].tasks.swap(workers[2].steps[3].tasks);
    hold_until(workers, 2, 3);
  }));
}

TEST(Until, ACollectiveThatIsDroppedTooEarlyIsFound) {
  EXPECT_FALSE(is_right("all_gather_kv", 0, [](Plan&, std::vector<Worker>& workers) {
    workers[2].steps.resize(3);
    workers[2].steps[2].tasks.swap(workers[2].steps[1].tasks);
    hold_until(workers, 1, 1);
  }));
}

TEST(ResidentRun, KeysThatAreCountedTwiceOrNotAtAllAreFound) {
  for (const char* algorithm : {"ring", "zigzag", "all_gather_kv"}) {
    constexpr std::int64_t kResident = 13;
    EXPECT_TRUE(is_right(algorithm, kResident, [](Plan&, std::vector<Worker>&) {}));
    EXPECT_FALSE(is_right(algorithm, kResident, [](Plan&, std::vector<Worker>& workers) {
      std::vector<PairTask>& tasks = workers[3].steps[0].tasks;
      tasks.push_back(tasks.back());
    }));
    EXPECT_FALSE(is_right(algorithm, kResident, [](Plan&, std::vector<Worker>& workers) {
      workers[3].steps[0].tasks.pop_back();
    }));
  }
}

}  // namespace
}  // namespace qb
