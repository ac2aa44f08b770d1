// SPDX-License-Identifier: Apache-2.0
// The rule by which a timing was disturbed.
#include <gtest/gtest.h>

#include <optional>

#include "base/host_activity.h"

namespace qb {
namespace {

HostActivity quiet(double span_s) {
  HostActivity activity;
  activity.span_s = activity.cpu_s = span_s;
  return activity;
}

HostActivity with(HostActivity activity, double HostActivity::*counter, double value) {
  activity.*counter = value;
  return activity;
}

TEST(Disturbance, WhatTheKernelDoesNotShowDisturbsNothing) {
  EXPECT_EQ(disturbance(quiet(1.0)), std::nullopt);
}

TEST(Disturbance, EachCounterDisturbsFromItsLimitOn) {
  struct Limit {
    double HostActivity::*counter;
    double below;
    double above;
    Disturbance what;
  };
  for (const Limit& limit :
       {Limit{&HostActivity::stopped_s, 0.0, 0.1, Disturbance::stopped},
        Limit{&HostActivity::stolen_s, 0.039, 0.041, Disturbance::stolen},
        Limit{&HostActivity::other_cpu_s, 0.099, 0.101, Disturbance::neighbours},
        Limit{&HostActivity::run_delay_s, 0.039, 0.041, Disturbance::waiting},
        Limit{&HostActivity::major_faults, 0.0, 1.0, Disturbance::paging},
        Limit{&HostActivity::memory_stall_s, 0.019, 0.021, Disturbance::paging}}) {
    EXPECT_EQ(disturbance(with(quiet(2.0), limit.counter, limit.below)), std::nullopt)
        << word(limit.what);
    EXPECT_EQ(disturbance(with(quiet(2.0), limit.counter, limit.above)), limit.what);
  }
}

TEST(Disturbance, TicksDisturbOnlyAboveTheirResolution) {
  for (double HostActivity::*counter : {&HostActivity::stolen_s, &HostActivity::other_cpu_s}) {
    HostActivity activity = with(quiet(0.1), counter, 0.029);
    activity.tick_s = 0.01;
    EXPECT_EQ(disturbance(activity), std::nullopt);
    activity.*counter = 0.031;
    EXPECT_NE(disturbance(activity), std::nullopt);
  }
}

TEST(Disturbance, NeighboursAndWaitingAreWeighedAgainstAllCoresOfTheCase) {
  HostActivity activity = with(quiet(1.0), &HostActivity::other_cpu_s, 0.2);
  activity.cpu_s = 8.0;  // eight threads
  EXPECT_EQ(disturbance(activity), std::nullopt);
  activity.other_cpu_s = 0.5;
  EXPECT_EQ(disturbance(activity), Disturbance::neighbours);
  activity.other_cpu_s = 0.0;
  activity.run_delay_s = 0.1;  // an eightieth of the time that they ran
  EXPECT_EQ(disturbance(activity), std::nullopt);
  activity.run_delay_s = 0.2;
  EXPECT_EQ(disturbance(activity), Disturbance::waiting);
}

}  // namespace
}  // namespace qb
