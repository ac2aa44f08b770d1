// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/status.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/random_plans.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing_support::square_problem;

Plan double_ring(std::int64_t n, int workers, int rows, Pass pass = Pass::forward) {
  StrategyOptions options{.workers = workers, .pass = pass};
  options.keys.text("grid_rows") = std::to_string(rows);
  return make_plan("double_ring", square_problem(n, MaskKind::causal), options);
}

// The hops of each worker: to its own host, and to others.
struct Hops {
  int inside = 0;
  int between = 0;
  friend bool operator==(const Hops&, const Hops&) = default;
};
Hops hops_of(const Plan& plan, int worker, int rows, TensorRole what) {
  Hops hops;
  for (const Step& step : plan.workers[static_cast<std::size_t>(worker)].steps)
    for (const Transfer& sent : step.sends)
      if (sent.what == what) ++(sent.peer / rows == worker / rows ? hops.inside : hops.between);
  return hops;
}

TEST(DoubleRing, KeysMakeTheHopsOfARingAndGradientsReturnInW) {
  for (const auto& [hosts, rows] : std::map<int, int>{{1, 5}, {2, 8}, {3, 4}, {4, 1}, {5, 2}}) {
    const int workers = hosts * rows;
    const Plan plan = double_ring(16 * workers, workers, rows, Pass::backward);
    ASSERT_EQ(check(plan), std::nullopt);
    for (int w = 0; w < workers; ++w) {
      EXPECT_EQ(hops_of(plan, w, rows, TensorRole::k), (Hops{hosts * (rows - 1), hosts - 1}));
      // The last hop of each window goes to the next host.
      EXPECT_EQ(hops_of(plan, w, rows, TensorRole::d_k),
                hosts > 1 ? (Hops{workers - hosts, hosts}) : (Hops{workers, 0}));
    }
  }
}

TEST(DoubleRing, ASmallHostLeavesItOftenerThanARing) {
  // Chunks that leave a host of 8: in a ring of 16 one worker passes 15 on, here 8 pass one each.
  const Plan plan = double_ring(256, 16, 8);
  int leave = 0;
  for (int w = 0; w < 8; ++w) leave += hops_of(plan, w, 8, TensorRole::k).between;
  EXPECT_EQ(leave, 16 - 8);
  StrategyOptions options{.workers = 16};
  const Plan ring = make_plan("ring", square_problem(256, MaskKind::causal), options);
  EXPECT_EQ(hops_of(ring, 7, 8, TensorRole::k).between, 15);
}

TEST(DoubleRing, TheHopBetweenHostsHasAWholeWindow) {
  const Plan plan = double_ring(256, 8, 4);
  const Step& first = plan.workers[1].steps[0];
  ASSERT_EQ(first.sends.size(), 4u);
  for (const Transfer& sent : first.sends) {
    EXPECT_EQ(sent.delay, sent.peer == 5 ? 4 : 1);
    EXPECT_EQ(sent.until, sent.delay) << "it is held in the step of its arrival";
  }
  EXPECT_EQ(plan.workers[5].steps[4].receives[0].peer, 1);
}

TEST(DoubleRing, InnerRingsDivideTheWorkers) {
  const auto inner_ring = [](const StrategyOptions& options) {
    const Problem problem = square_problem(64, MaskKind::causal);
    const Worker worker = make_plan("double_ring", problem, options).workers[0];
    int longest = 0;  // the hop between inner rings has the steps of one; a single one has none
    for (const Transfer& sent : worker.steps[0].sends) longest = std::max(longest, sent.delay);
    return longest;
  };
  EXPECT_EQ(inner_ring({.workers = 24}), 8);
  EXPECT_EQ(inner_ring({.workers = 7}), 1) << "one ring of 7";
  EXPECT_EQ(inner_ring({.workers = 22}), 2);
  EXPECT_EQ(inner_ring({.workers = 24, .workers_per_host = 12}), 12);
  EXPECT_EQ(inner_ring({.workers = 24, .workers_per_host = 16}), 8);
  EXPECT_THROW((void)double_ring(64, 8, 3), Unsupported);
}

}  // namespace
}  // namespace qb
