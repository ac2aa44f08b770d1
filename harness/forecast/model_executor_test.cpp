// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/model_simulation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>

#include "base/integers.h"
#include "harness/forecast/least_time.h"
#include "harness/forecast/testing/constant_rate_device.h"
#include "harness/plan/check/check.h"
#include "harness/plan/rotation.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/plan/testing/spelt_plans.h"
#include "harness/plan/work/work.h"
#include "harness/run/testing/execute_fixtures.h"

namespace qb {
namespace {

constexpr std::int64_t kModelHeadDim = 64;
constexpr double kModelPairsPerS = 1e9;
// `reference` computes only the unmasked pairs.
constexpr Kernel kModelKernel = Kernel::reference;
constexpr ModelLink kNoLink{};

Problem problem_of(std::int64_t n_tokens, MaskKind mask, std::int64_t heads = 1) {
  return make_problem({1, heads, heads, n_tokens, n_tokens, kModelHeadDim, kModelHeadDim}, mask,
                      DType::f32, 1);
}

Plan plan_of(const char* algorithm, std::int64_t n_tokens, int workers,
             MaskKind mask = MaskKind::full, std::int64_t heads = 1) {
  return make_plan(algorithm, problem_of(n_tokens, mask, heads), {workers, {}});
}

Plan backward_plan_of(const char* algorithm, std::int64_t n_tokens, int workers,
                      MaskKind mask = MaskKind::full, std::int64_t heads = 1) {
  return make_plan(algorithm, problem_of(n_tokens, mask, heads),
                   {.workers = workers, .pass = Pass::backward});
}

// The device computes kModelPairsPerS pairs of one head in a second.
DeviceModel device_of(Kernel kernel = kModelKernel, DType dtype = DType::f32,
                      std::int64_t head_dim = kModelHeadDim) {
  return constant_rate_device(kernel, dtype, head_dim, 4.0 * kModelHeadDim * kModelPairsPerS);
}

double wall_s(const Plan& plan, const ModelLink& link) {
  return model_execution(plan, device_of(), link, kModelKernel).wall_s;
}

#define EXPECT_SECONDS(measured, expected) EXPECT_NEAR(measured, expected, 1e-9 * (expected))

// A ring of four workers with 1024 tokens each.
constexpr int kWorkers = 4;
constexpr double kModelTokens = 1024;
constexpr double kCall = kModelTokens * kModelTokens / kModelPairsPerS;
constexpr double kHopBytes = 2 * kModelTokens * kModelHeadDim * 4;

ModelLink link_with_hop(double hop_s, bool overlap) {
  constexpr double kLatency = 1e-5;
  return {.limit = {kHopBytes / (hop_s - kLatency), kLatency}, .overlap = overlap};
}

TEST(ModelExecutor, AddsBlockingHopsToTheSteps) {
  const Plan ring = plan_of("ring", 4096, kWorkers);
  for (const double hop_s : {kCall / 3, kCall * 3})
    EXPECT_SECONDS(wall_s(ring, link_with_hop(hop_s, false)),
                   kWorkers * kCall + (kWorkers - 1) * hop_s);
}

TEST(ModelExecutor, HidesHopsBehindAsMuchCompute) {
  const Plan ring = plan_of("ring", 4096, kWorkers);
  EXPECT_SECONDS(wall_s(ring, link_with_hop(kCall * 0.999, true)), kWorkers * kCall);
  EXPECT_SECONDS(wall_s(ring, link_with_hop(kCall * 2, true)), kCall + (kWorkers - 1) * 2 * kCall);
  const Execution slow =
      model_execution(ring, device_of(), link_with_hop(kCall * 2, true), kModelKernel);
  for (const WorkerTime& worker : slow.workers) {
    EXPECT_SECONDS(worker.compute_s, kWorkers * kCall);
    EXPECT_EQ(worker.steps[0].communication_s, 0.0);
    for (std::size_t s = 0; s < kWorkers; ++s) {
      // The wait is at the end of the step that sent, which is the beginning of the next.
      EXPECT_NEAR(worker.steps[s].exposed_communication_s, s + 1 < kWorkers ? kCall : 0.0, 1e-12);
      if (s > 0) {
        EXPECT_SECONDS(worker.steps[s].communication_s, 2 * kCall);
      }
    }
  }
}

TEST(ModelExecutor, TakesTheCriticalPathOfTheLayoutUnderACausalMask) {
  constexpr double kC = 96;
  for (const int workers : {1, 2, 5, 16}) {
    const auto n_tokens = static_cast<std::int64_t>(kC) * workers;
    const auto pairs = [&](const char* algorithm) {
      return kModelPairsPerS *
             wall_s(plan_of(algorithm, n_tokens, workers, MaskKind::causal), kNoLink);
    };
    const double diagonal = kC * (kC + 1) / 2;
    EXPECT_SECONDS(pairs("ring"), diagonal + (workers - 1) * kC * kC);
    EXPECT_SECONDS(pairs("striped"), workers * diagonal);
    EXPECT_SECONDS(pairs("zigzag"), diagonal + (workers - 1) * kC * kC / 2);
  }
}

TEST(ModelExecutor, NeedsTheSlowestWorkerOfAForkJoin) {
  const Plan cqs = plan_of("cqs", 1000, 7);
  const Work work = model_work(cqs, kModelKernel);
  const Execution run = model_execution(cqs, device_of(), kNoLink, kModelKernel);
  EXPECT_SECONDS(run.wall_s, static_cast<double>(work.critical_path_pairs) / kModelPairsPerS);
  EXPECT_EQ(run.critical_path_s, run.wall_s);
  EXPECT_SECONDS(run.worker_sum_s, static_cast<double>(work.unmasked_pairs) / kModelPairsPerS);
}

TEST(ModelExecutor, TheRootsLinkSerialisesScatterAndGather) {
  // Groups are equal: every worker holds three of the seven groups of 100 tokens.
  const Plan cqs = plan_of("cqs", 700, 7);
  DeviceModel device = device_of();
  device.merge_byte_per_s.value = 1e9;
  const double bandwidth = 1e6;
  const Execution run = model_execution(cqs, device, {.limit = {bandwidth, 0.5}}, kModelKernel);
  double shards = 0.0;
  for (std::size_t w = 0; w < 7; ++w) {
    const double tokens = static_cast<double>(tokens_of(cqs.q_groups, cqs.workers[w].q_groups));
    shards += 3 * tokens * kModelHeadDim * 4 / bandwidth;
    EXPECT_SECONDS(run.workers[w].gather_s, shards + 0.5);
    EXPECT_SECONDS(run.workers[w].steps[0].start_s, shards + 0.5);
    EXPECT_SECONDS(run.workers[w].merge_s, tokens * (kModelHeadDim + 1) * 4 / 1e9);
  }
  const WorkerTime& last = run.workers[6];
  const double tokens = static_cast<double>(tokens_of(cqs.q_groups, cqs.workers[6].q_groups));
  const double partial_s = tokens * (kModelHeadDim + 1) * 4 / bandwidth;
  EXPECT_GE(run.wall_s, last.gather_s + last.compute_s + partial_s + 0.5 + last.merge_s - 1e-9);
}

TEST(ModelExecutor, TheRootTakesPartialsOneAfterTheOther) {
  const Plan cqs = plan_of("cqs", 700, 7);
  double partials = 0.0;
  for (const Worker& worker : cqs.workers.all())
    partials += static_cast<double>(worker.steps[0].sends[0].bytes);
  // Computing takes no time: the shards come one after another, and so do the partials, each of
  // which is shorter than a shard.
  const Execution run =
      model_execution(cqs, constant_rate_device(kModelKernel, DType::f32, kModelHeadDim, 1e30),
                      {.limit = {1e6, 0.0}}, kModelKernel);
  const double last_partial_s = static_cast<double>(cqs.workers[6].steps[0].sends[0].bytes) / 1e6;
  EXPECT_SECONDS(run.wall_s, run.workers[6].gather_s + last_partial_s);
  // They all need the root's link at once.
  DeviceModel slow = device_of();
  slow.call_overhead_s.value = 1e6;
  const Execution late = model_execution(cqs, slow, {.limit = {1e6, 0.0}}, kModelKernel);
  EXPECT_GE(late.wall_s, 1e6 + run.workers[0].gather_s + last_partial_s);
  EXPECT_LE(late.wall_s, 1e6 + run.workers[6].gather_s + partials / 1e6);
}

TEST(ModelExecutor, SharesOutTheMergeWhereThereIsOneMemory) {
  const Plan cqs = plan_of("cqs", 700, 7);
  DeviceModel device = device_of();
  device.copy_byte_per_s.value = 1e8;
  device.merge_byte_per_s.value = 1e7;
  const Execution run =
      model_execution(cqs, device, {.limit = {1.0, 1.0}, .root_has_link = false}, kModelKernel);
  double slowest_s = 0.0;
  double merge_s = 0.0;
  double total_bytes = 0.0;
  for (std::size_t w = 0; w < 7; ++w) {
    const double tokens = static_cast<double>(tokens_of(cqs.q_groups, cqs.workers[w].q_groups));
    total_bytes += tokens * (kModelHeadDim + 1) * 4;
    EXPECT_SECONDS(run.workers[w].gather_s, 3 * tokens * kModelHeadDim * 4 / 1e8);
    slowest_s = std::max(slowest_s, run.workers[w].gather_s + run.workers[w].compute_s);
    merge_s += run.workers[w].merge_s;
  }
  const double copied = 700.0 * (kModelHeadDim + 1) * 4;  // the first partial of each group
  EXPECT_SECONDS(merge_s, copied / 1e8 + (total_bytes - copied) / 1e7);
  EXPECT_GE(run.wall_s, slowest_s + merge_s / 7 - 1e-12);
  EXPECT_LE(run.wall_s, slowest_s + merge_s);
  for (const WorkerTime& worker : run.workers)
    EXPECT_SECONDS(worker.gather_s + worker.compute_s + worker.steps[0].idle_s, slowest_s);
}

TEST(ModelExecutor, AnAllToAllIsBoundByEveryonesLink) {
  constexpr int kPeers = 8;
  const Plan ulysses = plan_of("ulysses", 4096, kPeers, MaskKind::full, kPeers);
  constexpr double kBandwidth = 1e8;
  const Execution run =
      model_execution(ulysses, device_of(), {.limit = {kBandwidth, 1e-3}}, kModelKernel);
  const double tokens = 4096.0 / kPeers;
  const double inputs_s = (kPeers - 1) * 3 * tokens * kModelHeadDim * 4 / kBandwidth;
  const double outputs_s = (kPeers - 1) * tokens * (kModelHeadDim + 1) * 4 / kBandwidth;
  EXPECT_SECONDS(run.wall_s,
                 inputs_s + 1e-3 + 4096.0 * 4096.0 / kModelPairsPerS + outputs_s + 1e-3);
}

TEST(ModelExecutor, WithoutCommunicationOnlyComputeAndWaitingForPeersAreLeft) {
  for (const char* algorithm : {"ring", "zigzag", "pass_q", "all_gather_kv", "cqs_sharded"}) {
    const Plan plan = plan_of(algorithm, 1000, 7, MaskKind::causal);
    const ModelLink free{.limit = {1e3, 1.0}, .no_communication = true};
    const Execution run = model_execution(plan, device_of(), free, kModelKernel);
    const Work work = model_work(plan, kModelKernel);
    EXPECT_SECONDS(run.worker_sum_s, static_cast<double>(work.unmasked_pairs) / kModelPairsPerS);
    EXPECT_LE(run.wall_s,
              static_cast<double>(work.critical_path_pairs) / kModelPairsPerS * 1.000001);
    for (const WorkerTime& worker : run.workers)
      for (const StepTime& step : worker.steps) {
        EXPECT_EQ(step.communication_s, 0.0) << algorithm;
        EXPECT_EQ(step.exposed_communication_s, 0.0) << algorithm;
      }
  }
}

TEST(ModelExecutor, WorkersBeyondTheCoresShareThem) {
  const Plan ring = plan_of("ring", 4096, 8);
  DeviceModel device = device_of();
  const double alone_s = model_execution(ring, device, kNoLink, kModelKernel).wall_s;
  for (const double cores : {1.0, 2.0, 8.0, 20.0}) {
    device.cores.value = cores;
    const Execution run = model_execution(ring, device, kNoLink, kModelKernel);
    EXPECT_SECONDS(run.wall_s, alone_s * std::max(1.0, 8.0 / cores));
  }
  // A slow worker has a core alone when the others have ended.
  const Plan causal = plan_of("ring", 4096, 8, MaskKind::causal);
  device.cores.value = 2.0;
  const Execution run = model_execution(causal, device, kNoLink, kModelKernel);
  EXPECT_GE(run.wall_s, model_execution(causal, device_of(), kNoLink, kModelKernel).wall_s);
  EXPECT_GE(run.wall_s,
            static_cast<double>(unmasked_pairs(causal.problem)) / kModelPairsPerS / 2 * 0.999999);
}

TEST(ModelExecutor, ChargesAMergeForEveryLaterCallOnTheSameQueries) {
  const Plan ring = plan_of("ring", 4096, kWorkers);
  DeviceModel device = device_of();
  device.merge_byte_per_s.value = 1e9;
  device.call_overhead_s.value = 1e-6;
  const double merge_s = kModelTokens * (kModelHeadDim + 1) * 4 / 1e9;
  EXPECT_SECONDS(model_execution(ring, device, kNoLink, kModelKernel).wall_s,
                 kWorkers * (kCall + 1e-6) + (kWorkers - 1) * merge_s);
}

TEST(ModelExecutor, PacksAMessageOnceAndPassesItOn) {
  const Plan ring = plan_of("ring", 4096, kWorkers);
  DeviceModel device = device_of();
  device.copy_byte_per_s.value = 1e9;
  // Only a worker's own shard is packed; received shards are passed on unchanged.
  EXPECT_SECONDS(model_execution(ring, device, kNoLink, kModelKernel).wall_s,
                 kWorkers * kCall + kHopBytes / 1e9);
  // An all-gather packs one message for all peers, and joins the messages that it receives.
  const Plan all_gather = plan_of("all_gather_kv", 4096, kWorkers);
  EXPECT_SECONDS(model_execution(all_gather, device, kNoLink, kModelKernel).wall_s,
                 kWorkers * kCall + kHopBytes / 1e9 + kWorkers * kHopBytes / 1e9);
}

// A pair of a backward pass has 10 d FLOP in place of 4 d.
double backward_s(double forward_s) { return 2.5 * forward_s / kBackwardShareOfForward; }

TEST(ModelExecutor, ABackwardPassHasTenFlopForFourAtAShareOfTheRate) {
  DeviceModel device = device_of();
  const double forward_s =
      model_execution(plan_of("dense", 300, 1), device, kNoLink, kModelKernel).wall_s;
  const auto wall = [&] {
    return model_execution(backward_plan_of("dense", 300, 1), device, kNoLink, kModelKernel).wall_s;
  };
  EXPECT_SECONDS(wall(), backward_s(forward_s));
  device.backward_share_of_forward.value = 0.5;
  EXPECT_SECONDS(wall(), 2.5 * forward_s / 0.5);
}

TEST(ModelExecutor, AGradientsHopIsNotHiddenAndThatOfItsKeysIs) {
  const Plan ring = backward_plan_of("ring", 4096, kWorkers);
  const double call_s = backward_s(kCall);
  // K and V leave when a step begins and dK and dV, as many bytes in f32, when it ends: W times.
  for (const double hop_s : {call_s / 3, call_s * 3}) {
    const double computing_s = std::max(call_s, hop_s);
    EXPECT_SECONDS(wall_s(ring, link_with_hop(hop_s, true)),
                   (kWorkers - 1) * computing_s + call_s + kWorkers * hop_s);
    EXPECT_SECONDS(wall_s(ring, link_with_hop(hop_s, false)),
                   kWorkers * call_s + (2 * kWorkers - 1) * hop_s);
  }
  const Execution run =
      model_execution(ring, device_of(), link_with_hop(call_s / 3, true), kModelKernel);
  for (const WorkerTime& worker : run.workers) {
    ASSERT_EQ(worker.steps.size(), kWorkers + 1u);
    EXPECT_EQ(worker.steps[kWorkers].compute_s, 0.0) << "it only takes the gradients home";
    double exposed_s = 0.0;
    for (const StepTime& step : worker.steps) exposed_s += step.exposed_communication_s;
    EXPECT_SECONDS(exposed_s, kWorkers * call_s / 3);
  }
}

TEST(ModelExecutor, ArrivingGradientsAreAddedAtTheRateOfMergesUnlessTheyTravelOn) {
  DeviceModel device = device_of();
  device.merge_byte_per_s.value = 1e9;
  const auto wall = [&](const char* algorithm) {
    return model_execution(backward_plan_of(algorithm, 4096, kWorkers), device, kNoLink,
                           kModelKernel)
        .wall_s;
  };
  const double compute_s = kWorkers * backward_s(kCall);
  EXPECT_SECONDS(wall("all_gather_kv"), compute_s + (kWorkers - 1) * kHopBytes / 1e9);
  EXPECT_SECONDS(wall("ring"), compute_s);
  EXPECT_SECONDS(wall("burst"), compute_s);
}

TEST(ModelExecutor, TheRootScattersWhatABackwardPassReadsAndAddsWhatItGathers) {
  const Plan cqs =
      make_plan("cqs", problem_of(700, MaskKind::full), {.workers = 7, .pass = Pass::backward});
  DeviceModel device = device_of();
  device.merge_byte_per_s.value = 1e9;
  const Execution run = model_execution(cqs, device, {.limit = {1e6, 0.0}}, kModelKernel);
  constexpr double kLocal = 300;  // tokens of three groups
  for (std::size_t w = 0; w < 7; ++w) {
    EXPECT_SECONDS(run.workers[w].gather_s,
                   static_cast<double>(w + 1) * kLocal * (4 * kModelHeadDim + 2) * 4 / 1e6);
    EXPECT_SECONDS(run.workers[w].merge_s, kLocal * 3 * kModelHeadDim * 4 / 1e9);
  }
}

TEST(ModelExecutor, OneWorkerOnlyComputes) {
  for (const char* algorithm : {"dense", "ring", "zigzag", "ulysses", "pass_q", "tree_decode"})
    for (const bool root_has_link : {true, false}) {
      const Execution run =
          model_execution(plan_of(algorithm, 300, 1), device_of(),
                          {.limit = {1.0, 1.0}, .root_has_link = root_has_link}, kModelKernel);
      EXPECT_SECONDS(run.wall_s, 300.0 * 300.0 / kModelPairsPerS) << algorithm;
    }
}

// Random plans of every strategy under random links, some with fewer tokens than workers.
class RandomModels : public testing::Test {
 protected:
  void for_each(
      int rounds,
      const std::function<void(const Plan&, const DeviceModel&, const ModelLink&, Kernel)>& body,
      Pass pass = Pass::forward) {
    const auto attempt = [&](const Plan& plan, Random& random) {
      if (plan.result == Result::tier) return;  // of which there is no model
      const Kernel kernels[] = {Kernel::reference, Kernel::materialized, Kernel::flash};
      const Kernel kernel = kernels[random() % 3];
      DeviceModel device = device_of(kernel, plan.problem.dtype, plan.problem.shape.head_dim);
      if (random() % 2 == 0) device.cores.value = static_cast<double>(between(random, 1, 6));
      if (random() % 2 == 0) device.call_overhead_s.value = 1e-6;
      if (random() % 2 == 0) device.merge_byte_per_s.value = 1e9;
      if (random() % 2 == 0) device.copy_byte_per_s.value = 2e9;
      const ModelLink link{.limit = {random() % 3 == 0 ? 0.0 : 1e8, random() % 2 == 0 ? 0.0 : 1e-6},
                           .overlap = random() % 2 == 0,
                           .no_communication = random() % 4 == 0,
                           .root_has_link = random() % 2 == 0};
      SCOPED_TRACE(fmt::format("{} cores {} overlap {} nocomm {} root {}", word(kernel),
                               device.cores.value, link.overlap, link.no_communication,
                               link.root_has_link));
      body(plan, device, link, kernel);
    };
    (void)testing_support::for_random_plans(rounds, attempt, std::random_device{}(), pass);
  }
};

void expect_steps_account_for_the_time(const Plan& plan, const DeviceModel& device,
                                       const ModelLink& link, Kernel kernel) {
  const Execution run = model_execution(plan, device, link, kernel);
  ASSERT_EQ(run.workers.size(), plan.workers.size());
  for (std::size_t w = 0; w < run.workers.size(); ++w) {
    const std::vector<StepTime>& steps = run.workers[w].steps;
    ASSERT_EQ(steps.size(), plan.workers[w].steps.size());
    double compute_s = 0.0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const StepTime& step = steps[s];
      const double end_s =
          step.start_s + step.compute_s + step.exposed_communication_s + step.idle_s;
      if (s + 1 < steps.size()) {
        ASSERT_NEAR(end_s, steps[s + 1].start_s, 1e-12 + 1e-9 * end_s) << w << " " << s;
      }
      ASSERT_LE(end_s, run.wall_s * 1.000001 + 1e-15);
      ASSERT_GE(step.communication_s, 0.0);
      ASSERT_GE(step.idle_s, 0.0);
      ASSERT_GE(step.exposed_communication_s, 0.0);
      const double rounding_s = 1e-12 + 1e-9 * end_s;
      ASSERT_GE(step.compute.start_s, step.start_s - rounding_s);
      ASSERT_LE(step.compute.end_s, end_s + rounding_s);
      ASSERT_GE(step.compute.end_s - step.compute.start_s, step.compute_s - rounding_s);
      if (!std::isnan(step.receive.end_s)) {
        ASSERT_LE(step.receive.end_s, step.compute.start_s + rounding_s);
      }
      if (!std::isnan(step.send.end_s)) {
        ASSERT_GE(step.send.start_s, step.start_s - rounding_s);
      }
      compute_s += step.compute_s;
    }
    ASSERT_NEAR(run.workers[w].compute_s, compute_s, 1e-12 + 1e-9 * compute_s);
  }
}

TEST_F(RandomModels, AccountForTheTimeOfEveryStep) {
  for_each(400, expect_steps_account_for_the_time);
  for_each(400, expect_steps_account_for_the_time, Pass::backward);
}

TEST(ModelExecutor, ARingThatOverlapsReceivesWhileItComputes) {
  const Plan plan = make_plan(
      "ring", make_problem({1, 1, 1, 4000, 4000, 64, 64}, MaskKind::full, DType::f32, 1), {4, {}});
  ModelLink link{.limit = {1e9, 1e-6}, .overlap = true};
  for (const bool overlap : {true, false}) {
    link.overlap = overlap;
    const Execution run = model_execution(plan, device_of(Kernel::flash), link, Kernel::flash);
    for (const WorkerTime& worker : run.workers)
      for (std::size_t s = 1; s < worker.steps.size(); ++s) {
        const double begun_s = worker.steps[s].receive.start_s;
        const TimeSpan& before = worker.steps[s - 1].compute;
        EXPECT_LT(begun_s, before.end_s);
        EXPECT_EQ(worker.steps[s].receive.end_s <= before.end_s - worker.steps[s - 1].compute_s,
                  !overlap);
      }
  }
}

TEST_F(RandomModels, GiveTheSameBitsAgain) {
  for_each(60,
           [](const Plan& plan, const DeviceModel& device, const ModelLink& link, Kernel kernel) {
             const Execution a = model_execution(plan, device, link, kernel);
             const Execution b = model_execution(plan, device, link, kernel);
             ASSERT_EQ(a.wall_s, b.wall_s);
             for (std::size_t w = 0; w < a.workers.size(); ++w)
               for (std::size_t s = 0; s < a.workers[w].steps.size(); ++s)
                 ASSERT_EQ(a.workers[w].steps[s].idle_s, b.workers[w].steps[s].idle_s);
           });
}

TEST_F(RandomModels, AreNoSlowerOnAFreeNetwork) {
  for_each(200, [](const Plan& plan, const DeviceModel& given, ModelLink link, Kernel kernel) {
    DeviceModel device = given;
    device.cores.value = 0.0;  // sharing cores may be unlucky
    const double linked_s = model_execution(plan, device, link, kernel).wall_s;
    link.no_communication = true;
    const double free_s = model_execution(plan, device, link, kernel).wall_s;
    ASSERT_LE(free_s, linked_s * 1.000001);
  });
}

void expect_equal(const TimeSpan& a, const TimeSpan& b) {
  for (const double TimeSpan::*end : {&TimeSpan::start_s, &TimeSpan::end_s})
    ASSERT_TRUE(a.*end == b.*end || (std::isnan(a.*end) && std::isnan(b.*end)));
}

void expect_equal(const Execution& a, const Execution& b) {
  ASSERT_EQ(a.wall_s, b.wall_s);
  ASSERT_EQ(a.critical_path_s, b.critical_path_s);
  ASSERT_EQ(a.worker_sum_s, b.worker_sum_s);
  ASSERT_EQ(a.longest_subsequence_s, b.longest_subsequence_s);
  ASSERT_EQ(a.workers.size(), b.workers.size());
  for (std::size_t w = 0; w < a.workers.size(); ++w) {
    ASSERT_EQ(a.workers[w].gather_s, b.workers[w].gather_s);
    ASSERT_EQ(a.workers[w].compute_s, b.workers[w].compute_s) << w;
    ASSERT_EQ(a.workers[w].merge_s, b.workers[w].merge_s);
    ASSERT_EQ(a.workers[w].steps.size(), b.workers[w].steps.size());
    for (std::size_t s = 0; s < a.workers[w].steps.size(); ++s) {
      const StepTime& x = a.workers[w].steps[s];
      const StepTime& y = b.workers[w].steps[s];
      ASSERT_EQ(x.start_s, y.start_s) << "worker " << w << " step " << s;
      ASSERT_EQ(x.compute_s, y.compute_s);
      ASSERT_EQ(x.communication_s, y.communication_s) << "worker " << w << " step " << s;
      ASSERT_EQ(x.exposed_communication_s, y.exposed_communication_s) << w << " " << s;
      ASSERT_EQ(x.idle_s, y.idle_s) << "worker " << w << " step " << s;
      expect_equal(x.compute, y.compute);
      expect_equal(x.receive, y.receive);
      expect_equal(x.send, y.send);
    }
  }
}

void expect_times_of_spelt_out_workers(std::span<const std::string_view> algorithms, Pass pass) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  for (int round = 0; round < 60 && !testing::Test::HasFatalFailure(); ++round)
    for (const std::string_view algorithm : algorithms) {
      const int workers = static_cast<int>(between(random, 1, 12));
      const Plan plan =
          make_plan(algorithm, testing_support::plain_problem_for(algorithm, workers, random),
                    {.workers = workers, .pass = pass});
      const Kernel kernels[] = {Kernel::reference, Kernel::materialized, Kernel::flash};
      const Kernel kernel = kernels[random() % 3];
      DeviceModel device = device_of(kernel, plan.problem.dtype, plan.problem.shape.head_dim);
      if (random() % 2 == 0) device.call_overhead_s.value = 1.1e-6;
      if (random() % 2 == 0) device.merge_byte_per_s.value = 1.3e9;
      if (random() % 2 == 0) device.copy_byte_per_s.value = 2.7e9;
      const ModelLink link{
          .limit = {random() % 3 == 0 ? 0.0 : 1.7e8, random() % 2 == 0 ? 0.0 : 1.9e-6},
          .overlap = random() % 2 == 0,
          .no_communication = random() % 4 == 0,
          .root_has_link = random() % 2 == 0};
      SCOPED_TRACE(testing::Message() << "round " << round << " " << algorithm << " " << workers);
      expect_equal(model_execution(plan, device, link, kernel),
                   model_execution(testing_support::spelt_out(plan), device, link, kernel));
    }
}

// Rounds and representatives must equal events with every worker, bit for bit.
TEST(ModelExecutor, WorkersThatRotateTakeTheTimesOfSpeltOutOnes) {
  expect_times_of_spelt_out_workers(testing_support::kRotating, Pass::forward);
  constexpr std::string_view kTraining[] = {"ring",  "striped",       "zigzag",
                                            "burst", "all_gather_kv", "ulysses"};
  expect_times_of_spelt_out_workers(kTraining, Pass::backward);
}

// The order in which a worker names its waits may differ, not what they add up to.
TEST(ModelExecutor, GridsAndRingsOnHostsTakeTheTimesOfSpeltOutOnes) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  DeviceModel device = device_of(Kernel::flash, DType::f32, kModelHeadDim);
  device.copy_byte_per_s.value = 2.7e9;
  device.merge_byte_per_s.value = 1.3e9;
  for (const Pass pass : {Pass::forward, Pass::backward})
    for (const auto& [algorithm, grid] : {std::pair{"ring", GridShape{}},
                                          {"zigzag", {}},
                                          {"all_gather_kv", {}},
                                          {"grid", {1, 1, 12}},
                                          {"grid", {4, 1, 3}},
                                          {"grid", {2, 3, 2}},
                                          {"grid", {1, 4, 3}},
                                          {"grid", {4, 3, 1}}})
      for (const int each : {0, 3, 4, 6}) {
        const Plan plan = make_plan(algorithm, problem_of(24 * 40, MaskKind::causal, 4),
                                    {.workers = 12, .keys = grid_keys(grid), .pass = pass});
        ModelLink link{.limit = {1.7e8, 1.9e-6}, .overlap = random() % 3 > 0};
        link.hosts = {.workers_per_host = each, .inside = {1.1e9, 0.7e-6}};
        for (int w = 0; w < 12 && random() % 2 == 0; ++w) link.hosts.slot.push_back(5 * w % 12);
        if (link.hosts.slot.size() < 12) link.hosts.slot.clear();
        SCOPED_TRACE(testing::Message() << algorithm << " " << grid.heads << "x" << grid.rows << " "
                                        << each << " " << word(pass));
        const Execution rounds = model_execution(plan, device, link, Kernel::flash);
        const Execution events =
            model_execution(testing_support::spelt_out(plan), device, link, Kernel::flash);
        EXPECT_NEAR(rounds.wall_s, events.wall_s, 1e-9 * events.wall_s);
        // No worker can be faster than alone.
        const LeastTime least(plan, DeviceCosts(device, Kernel::flash, plan.problem, pass));
        const std::vector<int> workers = {0, 1, 5, 7, 11};
        EXPECT_LE(least.wall_s(link, workers), rounds.wall_s * (1.0 + 1e-9));
        EXPECT_GT(least.wall_s(link, workers), 0.3 * rounds.wall_s);
        for (std::size_t w = 0; w < 12; ++w)
          EXPECT_NEAR(rounds.workers[w].compute_s, events.workers[w].compute_s, 1e-12);
      }
}

// Twelve workers, and so many that their messages go in rounds wherever their order allows it.
TEST(ModelExecutor, RunsOverSharedNicsTakeTheTimesOfTheirEvents) {
  DeviceModel device = device_of(Kernel::flash, DType::f32, kModelHeadDim);
  device.copy_byte_per_s.value = 2.7e11;
  device.merge_byte_per_s.value = 1.3e11;
  const struct {
    const char* algorithm;
    int workers;
    int workers_per_host;
    GridShape grid;
  } runs[] = {{"grid", 12, 3, {4, 3, 1}},    {"grid", 12, 4, {2, 2, 3}},
              {"zigzag", 12, 6, {}},         {"ring", 192, 32, {}},
              {"zigzag", 192, 32, {}},       {"all_gather_kv", 192, 32, {}},
              {"ulysses", 192, 32, {}},      {"grid", 512, 32, {8, 1, 64}},
              {"grid", 256, 32, {2, 16, 8}}, {"grid", 256, 32, {1, 64, 4}}};
  int n_rounds = 0;
  for (const Pass pass : {Pass::forward, Pass::backward})
    for (const auto& [algorithm, workers, workers_per_host, grid] : runs)
      for (const double byte_per_s : {1e8, 1e11})
        for (const int nics : {1, 2}) {
          const Plan plan = make_plan(algorithm, problem_of(16 * workers, MaskKind::causal, 192),
                                      {.workers = workers, .keys = grid_keys(grid), .pass = pass});
          const ModelLink link{
              .limit = {byte_per_s, 1.9e-6},
              .hosts = {
                  .workers_per_host = workers_per_host, .inside = {4e11, 0.7e-6}, .nics = nics}};
          const DeviceCosts device_costs(device, Kernel::flash, plan.problem, pass);
          const PlanProfile profile(plan, Representatives(plan), Kernel::flash, &device_costs);
          SCOPED_TRACE(testing::Message()
                       << algorithm << " " << grid.heads << "x" << grid.rows << " W=" << workers
                       << " " << word(pass) << " " << byte_per_s << " " << nics);
          const double events_s = simulate(plan, device_costs, profile, 0.0, link).wall_s;
          if (const auto rounds = model_rounds(plan, profile, link)) {
            EXPECT_NEAR(rounds->wall_s, events_s, 1e-9 * events_s);
            ++n_rounds;
          }
          const std::vector<int> all = integers_below(workers);
          const LeastTime least(plan, device_costs);
          EXPECT_LE(least.wall_s(link, all), events_s * (1.0 + 1e-9));
          EXPECT_GT(least.wall_s(link, all), 0.3 * events_s);
        }
  EXPECT_GT(n_rounds, 30);
}

// Whether a worker's last call merges depends on whether it had an earlier one.
TEST(ModelExecutor, WorkersThatComputeWithTheirOwnKeysLastMergeThem) {
  RotationBuilder builder(testing_support::square_problem(21, MaskKind::causal), "ring", 3,
                          deal_contiguous);
  for (const int step : {1, 2, 3}) {
    builder.add_task(step, 0, -step);
    for (const TensorRole what : {TensorRole::k, TensorRole::v})
      if (step < 3) builder.send(step - 1, 1, TransferKind::p2p, what, 1 - step);
  }
  const Plan plan = builder.finish();
  ASSERT_EQ(check(plan), std::nullopt);
  DeviceModel device = device_of(Kernel::flash, plan.problem.dtype, plan.problem.shape.head_dim);
  device.merge_byte_per_s.value = 1.3e6;
  expect_equal(model_execution(plan, device, kNoLink, Kernel::flash),
               model_execution(testing_support::spelt_out(plan), device, kNoLink, Kernel::flash));
}

TEST(ModelExecutor, HasTheStepsOfAThreadsRun) {
  for (const char* algorithm : {"cqs", "striped", "tree_decode", "flash_decoding"}) {
    Trial trial(plan_of(algorithm, 200, 4, MaskKind::causal), heap_allocator());
    const Execution real = trial.run(Ranks::threads, Kernel::flash, 1, heap_allocator());
    const Execution model =
        model_execution(trial.plan, device_of(Kernel::flash), kNoLink, Kernel::flash);
    ASSERT_EQ(real.workers.size(), model.workers.size());
    for (std::size_t w = 0; w < real.workers.size(); ++w)
      EXPECT_EQ(real.workers[w].steps.size(), model.workers[w].steps.size()) << algorithm;
  }
}

TEST(ModelExecutor, PlaysFourThousandWorkers) {
  constexpr int kMany = 4096;
  // Three all-reduces take twelve rounds each towards worker 0 and twelve back.
  const Execution tree = model_execution(plan_of("tree_decode", kMany, kMany), device_of(),
                                         {.limit = {0.0, 1e-3}}, kModelKernel);
  EXPECT_NEAR(tree.wall_s, 3 * 24 * 1e-3, 1e-3);
  const Execution ring =
      model_execution(plan_of("ring", 512, 512), device_of(), kNoLink, kModelKernel);
  EXPECT_SECONDS(ring.wall_s, 512 / kModelPairsPerS);
}

TEST(ModelExecutor, PlansOfManyWorkersAreCheckedWeighedAndPlayed) {
  constexpr int kMany = 256;
  for (const char* algorithm : {"cqs", "cqs_sharded", "ring", "striped", "zigzag", "pass_q",
                                "all_gather_kv", "ulysses", "tree_decode", "flash_decoding"}) {
    const Plan plan = plan_of(algorithm, 4096 * kMany, kMany, MaskKind::causal, kMany);
    ASSERT_EQ(check(plan), std::nullopt) << algorithm;
    const Work work = model_work(plan, kModelKernel);
    EXPECT_EQ(work.executed_pairs, work.unmasked_pairs) << algorithm;
    const Execution run = model_execution(plan, device_of(), kNoLink, kModelKernel);
    EXPECT_GE(run.wall_s * kModelPairsPerS * 1.000001,
              static_cast<double>(work.critical_path_pairs))
        << algorithm;
  }
}

TEST(ModelExecutor, SaysWhichRatesADeviceHas) {
  const Plan plan = plan_of("ring", 100, 2);
  try {
    (void)model_execution(plan, device_of(kModelKernel, DType::bf16, 128), kNoLink, kModelKernel);
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(),
                 "the device constant_rate has no rate of reference in f32 at head_dim 64; it has "
                 "reference in bf16 at head_dim 128");
  }
}

TEST(ModelExecutor, NamesTheWorkerWhoseMessageNeverComes) {
  Plan plan = plan_of("ring", 100, 3);
  plan.workers[1].steps[0].sends.clear();
  try {
    (void)model_execution(plan, device_of(), kNoLink, kModelKernel);
    FAIL();
  } catch (const CaseError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a message that never comes"));
  }
}

}  // namespace
}  // namespace qb
