// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/status.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/workload/testing/tiny_case.h"
#include "interest_sets/testing/worker_loads.h"

namespace qb {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(WorkerSpeeds, AreWrittenInAnyWayAndReadBackAsOne) {
  for (const char* text : {"0.5 1", "0.5,1", " 0.50, 1.0 ", "5e-1 1"})
    EXPECT_EQ(to_string(parse_worker_speeds(text)), "0.5 1") << text;
  for (const char* text : {"", " ", "0", "-1", "1.01", "fast", "0.5;1", "0.5 0"})
    EXPECT_THROW((void)parse_worker_speeds(text), UsageError) << text;
}

TEST(WorkerSpeeds, WorkersThatAreNotNamedAreAsFastAsTheMachine) {
  Case c = tiny("cqs", 4);
  EXPECT_THAT(worker_speeds_of(c), IsEmpty());
  c.worker_speeds = {1, 0.5};
  EXPECT_THAT(worker_speeds_of(c), ElementsAre(1.0, 0.5, 1.0, 1.0));
  c.worker_speeds = {1, 1, 1, 1, 1};
  EXPECT_THROW((void)worker_speeds_of(c), UsageError);
}

TEST(WorkerSpeeds, GroupsBySpeedAreThoseOfTheSlowestTime) {
  Case c = tiny("cqs", 7);
  c.worker_speeds = {0.5};
  const InterestSet set = default_interest_set(7);
  const auto sizes = group_sizes_by_speed(c, set);
  ASSERT_EQ(sizes.size(), 7u);
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), 100);
  const std::vector<double> speeds = worker_speeds_of(c);
  EXPECT_LT(testing_support::slowest_time(set, sizes, speeds, Distillation::published),
            0.8 * testing_support::slowest_time(
                      set, std::vector<std::int64_t>{14, 14, 14, 14, 14, 15, 15}, speeds,
                      Distillation::published));
  c.worker_speeds.clear();
  EXPECT_THAT(group_sizes_by_speed(c, set), Each(testing::AllOf(testing::Ge(14), testing::Le(15))));
}

TEST(WorkerSpeeds, GroupsBySpeedNeedAsManyKeysAsQueries) {
  Case c = tiny("cqs", 7);
  c.group_sizes = GroupSizes::by_speed;
  c.shape.kv_len = 200;
  EXPECT_THROW((void)plan_of(c), Unsupported);
}

// The slow worker sleeps 49 times as long as it computes: a busy machine delays others far less.
TEST(WorkerSpeeds, ASlowWorkerTakesLongerInItsStepsAndTheOutputIsRight) {
  constexpr std::size_t kSlow = 1;
  for (const Ranks ranks : {Ranks::serial, Ranks::threads})
    for (const char* algorithm : {"cqs", "cqs_sharded", "ring"}) {
      Case c = tiny(algorithm, 4);
      c.ranks = ranks;
      c.shape = {1, 2, 2, 400, 400, 64, 64};
      c.worker_speeds = {1, 0.02};
      const CaseResult result = run_case(c, "");
      ASSERT_EQ(result.status, Status::ok) << result.message;
      EXPECT_EQ(result.values.at("verified_rows"), "32");
      std::vector<double> busy_s(4, 0.0);
      for (const auto& row : result.steps)
        busy_s[static_cast<std::size_t>(row.number("worker"))] += row.number("compute_s");
      for (const std::size_t other : {0u, 2u, 3u})
        EXPECT_GT(busy_s[kSlow], busy_s[other]) << algorithm << " under " << word(ranks);
    }
}

TEST(WorkerSpeeds, AndGroupsBySpeedAreVerifiedUnderBothDistillations) {
  for (const Ranks ranks : {Ranks::serial, Ranks::threads})
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
      for (const Distillation distillation : {Distillation::published, Distillation::balanced})
        for (const int workers : {4, 7, 8}) {
          Case c = tiny("cqs", workers);
          c.ranks = ranks;
          c.mask = mask;
          c.distillation = distillation;
          c.worker_speeds = {0.5, 1, 0.9};
          c.group_sizes = GroupSizes::by_speed;
          const CaseResult result = run_case(c, "");
          ASSERT_EQ(result.status, Status::ok) << workers << ": " << result.message;
          EXPECT_EQ(result.values.at("device_peak_bytes"),
                    result.values.at("predicted_device_peak_bytes"));
        }
}

TEST(WorkerSpeeds, AreRefusedOnAGpuAndInALayer) {
  Case c = tiny("cqs", 7);
  c.worker_speeds = {0.5};
  c.device = Device::cuda;
  c.threads = 0;
  const CaseResult on_gpu = run_case(c, "");
  EXPECT_EQ(on_gpu.status, Status::unsupported);
  EXPECT_THAT(on_gpu.message, HasSubstr("worker_speeds"));
  Case layer = tiny("dense", 1);
  layer.workload = WorkloadKind::transformer_layer;
  layer.shape.kv_heads = 2;
  layer.worker_speeds = {0.5};
  EXPECT_THAT(run_case(layer, "").message,
              HasSubstr("worker_speeds: 0.5 needs workload: attention"));
}

TEST(WorkerSpeeds, AreWrittenInASpecAndKeptByTheResolvedOne) {
  const Spec spec = parse_spec(
      "experiment: e\n"
      "algorithm: cqs\n"
      "workers: 7\n"
      "n_tokens: 64\n"
      "sweep: {worker_speeds: [~, 0.5, \"1 0.5,1\"], group_sizes: [equal, by_speed]}\n",
      "spec.yaml", {});
  ASSERT_EQ(spec.cases.size(), 6u);
  EXPECT_EQ(spec.cases[2].worker_speeds, (std::vector<double>{0.5}));
  EXPECT_EQ(spec.cases[5].worker_speeds, (std::vector<double>{1, 0.5, 1}));
  EXPECT_EQ(spec.cases[5].group_sizes, GroupSizes::by_speed);
  const Spec again = parse_spec(spec.resolved_yaml, "resolved.yaml", {});
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(case_parameters(again.cases[i]), case_parameters(spec.cases[i]));
}

}  // namespace
}  // namespace qb
