// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/status.h"
#include "harness/workload/prediction.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PlannedCase planned(const std::string& algorithm, int workers, Passes pass) {
  Case c = tiny(algorithm, workers);
  c.pass = pass;
  return plan_case(c);
}

// Otherwise its memory would depend on the machine that computes the model.
TEST(Passes, AModelledWorkerHasOneThread) {
  Case c = tiny("ring", 3);
  c.ranks = Ranks::model;
  c.threads = 0;
  EXPECT_EQ(plan_case(c).threads, 1);
}

TEST(Passes, WorkAndBytesAddUpAndStepsFollowEachOther) {
  const PlannedCase forward = planned("ring", 3, Passes::forward);
  const PlannedCase backward = planned("ring", 3, Passes::backward);
  const PlannedCase both = planned("ring", 3, Passes::both);
  EXPECT_DOUBLE_EQ(backward.work.flops, 2.5 * forward.work.flops);
  EXPECT_DOUBLE_EQ(both.work.flops, 3.5 * forward.work.flops);
  EXPECT_EQ(both.work.bytes_total, forward.work.bytes_total + backward.work.bytes_total);
  EXPECT_EQ(both.backward_sent_bytes, backward.work.sent_bytes_max);
  EXPECT_EQ(forward.backward_sent_bytes, 0);
  EXPECT_EQ(both.work.unmasked_pairs, forward.work.unmasked_pairs);
  for (std::size_t w = 0; w < 3; ++w) {
    const WorkerWork& first = forward.work.workers[w];
    const WorkerWork& second = backward.work.workers[w];
    const WorkerWork& all = both.work.workers[w];
    EXPECT_EQ(all.bytes_out, first.bytes_out + second.bytes_out);
    EXPECT_LE(all.bytes_out, both.work.sent_bytes_max);
    ASSERT_EQ(all.steps.size(), first.steps.size() + second.steps.size());
    EXPECT_EQ(all.steps.front(), first.steps.front());
    EXPECT_EQ(all.steps.back(), second.steps.back());
  }
}

TEST(Passes, MemoryIsThatOfThePassThatNeedsMost) {
  const PlannedCase forward = planned("cqs", 7, Passes::forward);
  const PlannedCase backward = planned("cqs", 7, Passes::backward);
  const PlannedCase both = planned("cqs", 7, Passes::both);
  EXPECT_GT(backward.memory.serial_bytes, forward.memory.serial_bytes);
  EXPECT_EQ(both.memory.serial_bytes, backward.memory.serial_bytes);
  EXPECT_EQ(both.memory.device_peak_bytes,
            std::max(forward.memory.device_peak_bytes, backward.memory.device_peak_bytes));
}

TEST(Passes, ABackwardPassHasTheForwardPlanBesideItsOwn) {
  const PlannedCase backward = planned("burst", 3, Passes::backward);
  EXPECT_EQ(backward.plan.pass, Pass::forward);
  ASSERT_TRUE(backward.backward.has_value());
  EXPECT_EQ(backward.backward->pass, Pass::backward);
  EXPECT_THAT(backward.timed(), ElementsAre(&*backward.backward));
  const PlannedCase both = planned("burst", 3, Passes::both);
  EXPECT_THAT(both.timed(), ElementsAre(&both.plan, &*both.backward));
  EXPECT_FALSE(planned("burst", 3, Passes::forward).backward.has_value());
}

TEST(Passes, AKernelWithoutABackwardPassIsUnsupported) {
  Case c = tiny("dense", 1);
  c.kernel = Kernel::staged;
  c.device = Device::cpu;
  c.pass = Passes::both;
  try {
    (void)plan_case(c);
    FAIL() << "it has a plan";
  } catch (const Unsupported& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("kernel staged has no backward pass"));
  }
}

// Planning refuses it, so that no forward pass runs before.
TEST(Passes, ABackwardPassIsNotPlannedForWorkersLaunchedTogether) {
  Case c = tiny("cqs", 7);
  c.kernel = Kernel::flash;
  c.device = Device::cuda;
  c.dtype = DType::bf16;
  c.launch = Launch::together;
  c.pass = Passes::forward;
  EXPECT_NO_THROW((void)plan_case(c));
  c.pass = Passes::both;
  try {
    (void)plan_case(c);
    FAIL() << "it has a plan";
  } catch (const Unsupported& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("launch: together is for the forward pass"));
  }
}

Execution execution_of(double wall_s, std::vector<StepTime> steps) {
  Execution execution;
  execution.wall_s = wall_s;
  execution.device_s = 2 * wall_s;
  execution.critical_path_s = 3 * wall_s;
  execution.worker_sum_s = 4 * wall_s;
  execution.longest_subsequence_s = 5 * wall_s;
  WorkerTime worker;
  worker.gather_s = 0.25 * wall_s;
  worker.compute_s = 0.5 * wall_s;
  worker.merge_s = 0.125 * wall_s;
  worker.active_peak_bytes = static_cast<std::int64_t>(100 * wall_s);
  worker.steps = std::move(steps);
  execution.workers = {worker};
  return execution;
}

TEST(Passes, TimesAddUpAndTheSecondPassStartsWhenTheFirstHasEnded) {
  const Execution both = in_sequence(execution_of(2.0, {{.start_s = 0.5}}),
                                     execution_of(4.0, {{.start_s = 0.0}, {.start_s = 1.0}}));
  EXPECT_EQ(both.wall_s, 6.0);
  EXPECT_EQ(both.device_s, 12.0);
  EXPECT_EQ(both.critical_path_s, 18.0);
  EXPECT_EQ(both.worker_sum_s, 24.0);
  EXPECT_EQ(both.longest_subsequence_s, 30.0);
  ASSERT_EQ(both.workers.size(), 1u);
  const WorkerTime& worker = both.workers[0];
  EXPECT_EQ(worker.gather_s, 1.5);
  EXPECT_EQ(worker.compute_s, 3.0);
  EXPECT_EQ(worker.merge_s, 0.75);
  EXPECT_EQ(worker.active_peak_bytes, 400);
  ASSERT_EQ(worker.steps.size(), 3u);
  EXPECT_EQ(worker.steps[0].start_s, 0.5);
  EXPECT_EQ(worker.steps[1].start_s, 2.0);
  EXPECT_EQ(worker.steps[2].start_s, 3.0);
  Execution together = execution_of(1.0, {});
  together.workers.clear();
  EXPECT_TRUE(in_sequence(execution_of(1.0, {}), together).workers.empty());
}

TEST(Passes, WhatIsNotKnownOfOneIsNotKnownOfBoth) {
  const Rehearsal known{10, 5, 7, {{3, 4}}};
  const Rehearsal more{8, 6, 9, {{1}}};
  const Rehearsal both = in_sequence(known, more);
  EXPECT_EQ(both.active_peak_bytes, 10);
  EXPECT_EQ(both.worker_peak_bytes, 6);
  EXPECT_EQ(both.executed_pairs, 7);
  EXPECT_THAT(both.step_pairs, ElementsAre(ElementsAre(3, 4, 1)));
  const Rehearsal none = in_sequence(known, {});
  EXPECT_EQ(none.active_peak_bytes, std::nullopt);
  EXPECT_EQ(none.executed_pairs, std::nullopt);
  EXPECT_TRUE(none.step_pairs.empty());
}

}  // namespace
}  // namespace qb
