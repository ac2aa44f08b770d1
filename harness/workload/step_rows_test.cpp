// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/step_rows.h"

#include <gtest/gtest.h>

#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

TEST(StepRows, WhatARootScattersAndGathersIsExposedCommunication) {
  Case c = tiny("cqs", 3);
  c.ranks = Ranks::threads;
  Execution execution;
  execution.wall_s = 1.0;
  execution.workers.resize(3);
  WorkerTime& last = execution.workers[1];
  last.gather_s = 0.25;
  last.compute_s = 0.5;
  last.merge_s = 0.125;
  last.steps = {{.compute_s = 0.5, .idle_s = 0.0625}};
  Sample sample;
  add_parts(c, execution, sample);
  EXPECT_EQ(sample.compute_s, 0.625) << "it merges too";
  EXPECT_EQ(sample.idle_s, 0.0625);
  EXPECT_EQ(sample.exposed_communication_s, 1.0 - 0.625 - 0.0625);
  EXPECT_GE(sample.exposed_communication_s, last.gather_s);
}

}  // namespace
}  // namespace qb
