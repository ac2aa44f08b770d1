// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/player/rank_player.h"

#include <gtest/gtest.h>

#include "harness/execute/testing/device_trial.h"

namespace qb {
namespace {

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
    const Execution execution =
        execution_of(plan, {bytes_of(times[0]), bytes_of(times[1]), bytes_of(times[2])});
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
