// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/model_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/forecast/testing/constant_rate_device.h"
#include "harness/run/testing/execute_fixtures.h"

namespace qb {
namespace {

using ::testing::DoubleEq;

// 100 bytes take a second to merge, 1000 bytes a second to copy.
DeviceCosts slow_device(const Problem& problem) {
  DeviceModel device =
      constant_rate_device(Kernel::flash, problem.dtype, problem.shape.head_dim, 1);
  device.merge_byte_per_s.value = 100.0;
  device.copy_byte_per_s.value = 1000.0;
  return {device, Kernel::flash, problem};
}

Problem problem_of(std::int64_t n_tokens) {
  return make_problem({1, 1, 1, n_tokens, n_tokens, 8, 8}, MaskKind::full, DType::f32, 1);
}

Execution execution_of(std::size_t n_workers) {
  Execution execution;
  execution.workers.resize(n_workers);
  return execution;
}

TEST(MergeAtRoot, TakesPartialsAsTheyComeOneAfterTheOther) {
  Execution execution = execution_of(3);
  // Worker 2 comes first (3 s of merging), 0 during that merge, 1 after a pause.
  const std::vector<PartialAtRoot> partials = {{2.0, 0, 100}, {10.0, 1, 200}, {1.0, 2, 300}};
  EXPECT_DOUBLE_EQ(merge_at_root(partials, slow_device(problem_of(16)), execution), 12.0);
  EXPECT_DOUBLE_EQ(execution.workers[0].merge_s, 1.0);
  EXPECT_DOUBLE_EQ(execution.workers[1].merge_s, 2.0);
  EXPECT_DOUBLE_EQ(execution.workers[2].merge_s, 3.0);
}

TEST(MergeAtRoot, OfNothingTakesNoTime) {
  Execution execution = execution_of(2);
  EXPECT_EQ(merge_at_root({}, slow_device(problem_of(16)), execution), 0.0);
  EXPECT_EQ(execution.workers[0].merge_s, 0.0);
}

TEST(ShareOutMerge, CopiesTheFirstPartialOfAGroupAndMergesTheOthers) {
  const Plan plan = cqs_plan(problem_of(70), 7);
  Execution execution = execution_of(plan.workers.size());
  const double longest_s = share_out_merge(plan, slow_device(plan.problem), 1.0, execution);
  // Each of the 7 groups of 10 tokens is in the quorums of 3 workers: O of 8 and LSE, f32.
  const double group_bytes = 10 * (8 + 1) * 4;
  const double group_s = group_bytes / 1000.0 + 2 * group_bytes / 100.0;
  EXPECT_THAT(longest_s, DoubleEq(group_s));
  for (const WorkerTime& worker : execution.workers)
    EXPECT_THAT(worker.merge_s, DoubleEq(group_s)) << "7 groups for 7 workers";
}

TEST(ShareOutMerge, TakesLongerOnAShareOfACore) {
  const Plan plan = cqs_plan(problem_of(70), 7);
  Execution whole = execution_of(plan.workers.size());
  Execution half = execution_of(plan.workers.size());
  const DeviceCosts device = slow_device(plan.problem);
  EXPECT_DOUBLE_EQ(share_out_merge(plan, device, 0.5, half),
                   2.0 * share_out_merge(plan, device, 1.0, whole));
}

TEST(ShareOutMerge, AddsTheGradientsOfQueriesAndThenThoseOfKeys) {
  const Problem problem = problem_of(70);
  const Plan plan = make_plan("cqs", problem, {.workers = 7, .pass = Pass::backward});
  Execution execution = execution_of(plan.workers.size());
  const double longest_s = share_out_merge(plan, slow_device(problem), 1.0, execution);
  // As above, with dQ in place of the partial, and dK and dV.
  const double gradient_bytes = 10 * 8 * 4;
  const double gradient_s = gradient_bytes / 1000.0 + 2 * gradient_bytes / 100.0;
  EXPECT_NEAR(longest_s, 3 * gradient_s, 1e-12);
  for (const WorkerTime& worker : execution.workers)
    EXPECT_NEAR(worker.merge_s, 3 * gradient_s, 1e-12) << "7 groups of each kind for 7 workers";
}

TEST(ShareOutMerge, OneWorkerTakesEveryGroup) {
  const Plan plan = dense_plan(problem_of(70));
  Execution execution = execution_of(1);
  const double longest_s = share_out_merge(plan, slow_device(plan.problem), 1.0, execution);
  EXPECT_DOUBLE_EQ(longest_s, 70 * (8 + 1) * 4 / 1000.0) << "one partial is copied, not merged";
  EXPECT_EQ(execution.workers[0].merge_s, longest_s);
}

}  // namespace
}  // namespace qb
