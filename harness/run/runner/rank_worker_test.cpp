// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/rank_worker.h"

#include <gtest/gtest.h>

#include "harness/run/testing/device_trial.h"

namespace qb {
namespace {

// Has taken no step, and these times.
struct TimedWorker final : StepWorker {
  explicit TimedWorker(WorkerTime taken) : times(std::move(taken)) {}
  [[nodiscard]] int steps() const override { return 0; }
  void compute_step() override {}
  [[nodiscard]] const WorkerTime& time() const override { return times; }
  const WorkerTime times;
};

WorkerTime time_of(double wall_s, double device_s, double idle_s) {
  WorkerTime time;
  time.wall_s = wall_s;
  time.device_s = device_s;
  time.steps = {{.idle_s = 0.25}, {.idle_s = idle_s}};
  time.compute_s = 10.0 * wall_s;
  return time;
}

TEST(RankTimes, TheSlowestRankIsTheWallClockAndAtARootTheOthersWaitForIt) {
  const Problem problem = make_problem({1, 2, 2, 70, 70, 8, 8}, MaskKind::full, DType::f32, 1);
  for (const bool at_root : {true, false}) {
    const Plan plan = make_plan(at_root ? "cqs" : "ring", problem, {.workers = 3});
    const std::vector<WorkerTime> times = {time_of(4.0, 1.0, 0.5), time_of(6.0, 3.0, 0.0),
                                           time_of(5.0, 2.0, 1.0)};
    std::vector<std::string> reported;
    for (const WorkerTime& time : times) {
      NoTransport alone;
      reported.push_back(
          run_rank(alone, alone, [&] { return std::make_shared<TimedWorker>(time); }).text);
    }
    const Execution execution = with_waits_at_root(plan, times_of_ranks(reported));
    EXPECT_EQ(execution.wall_s, 6.0);
    EXPECT_EQ(execution.device_s, 3.0);
    ASSERT_EQ(execution.workers.size(), 3u);
    for (std::size_t w = 0; w < 3; ++w) {
      const double waited_s = at_root ? 6.0 - times[w].wall_s : 0.0;
      ASSERT_EQ(execution.workers[w].steps.size(), 2u);
      EXPECT_EQ(execution.workers[w].steps[0].idle_s, 0.25);
      EXPECT_EQ(execution.workers[w].steps[1].idle_s, times[w].steps[1].idle_s + waited_s);
      EXPECT_EQ(execution.workers[w].compute_s, 10.0 * times[w].wall_s);
    }
  }
}

}  // namespace
}  // namespace qb
