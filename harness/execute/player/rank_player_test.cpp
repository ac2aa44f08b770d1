// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/player/rank_player.h"

#include <gtest/gtest.h>

#include "harness/execute/testing/device_trial.h"

namespace qb {
namespace {

RankReport report_of(double duration_s, double device_s, double idle_s) {
  RankReport report;
  report.duration_s = duration_s;
  report.device_s = device_s;
  report.time.steps = {{.idle_s = 0.25}, {.idle_s = idle_s}};
  report.time.compute_s = 10.0 * duration_s;
  return report;
}

TEST(RankReports, TheSlowestRankIsTheWallClockAndAtARootTheOthersWaitForIt) {
  const Problem problem = make_problem({1, 2, 2, 70, 70, 8, 8}, MaskKind::full, DType::f32, 1);
  for (const bool at_root : {true, false}) {
    const Plan plan = make_plan(at_root ? "cqs" : "ring", problem, {.workers = 3});
    const std::vector<RankReport> reports = {report_of(4.0, 1.0, 0.5), report_of(6.0, 3.0, 0.0),
                                             report_of(5.0, 2.0, 1.0)};
    const Execution execution = execution_of(plan, reports);
    EXPECT_EQ(execution.wall_s, 6.0);
    EXPECT_EQ(execution.device_s, 3.0);
    ASSERT_EQ(execution.workers.size(), 3u);
    for (std::size_t w = 0; w < 3; ++w) {
      const double waited_s = at_root ? 6.0 - reports[w].duration_s : 0.0;
      EXPECT_EQ(execution.workers[w].steps[0].idle_s, 0.25);
      EXPECT_EQ(execution.workers[w].steps[1].idle_s, reports[w].time.steps[1].idle_s + waited_s);
      EXPECT_EQ(execution.workers[w].compute_s, 10.0 * reports[w].duration_s);
    }
  }
}

TEST(RankReports, ARanksOwnFailureCountsBeforeTheOneThatItWasToldOf) {
  const Problem problem = make_problem({1, 2, 2, 70, 70, 8, 8}, MaskKind::full, DType::f32, 1);
  const Plan plan = make_plan("cqs", problem, {.workers = 3});
  const auto message_of = [&](const std::vector<RankReport>& reports) {
    return case_failure([&] { (void)execution_of(plan, reports); });
  };
  std::vector<RankReport> reports(3);
  EXPECT_EQ(message_of(reports), "nothing thrown");
  reports[0].status = Status::timeout;
  reports[0].told = true;
  reports[0].message = "rank 2: it is late";
  EXPECT_EQ(message_of(reports), "timeout: rank 2: it is late");
  reports[1].status = Status::oom;
  reports[1].message = "no room";
  reports[2] = reports[1];
  EXPECT_EQ(message_of(reports), "oom: rank 1: no room");
}

}  // namespace
}  // namespace qb
