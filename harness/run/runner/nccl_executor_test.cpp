// SPDX-License-Identifier: Apache-2.0
// Tests ranks: nccl without a GPU: ranks are threads, links are in memory, and the host cannot
// touch the memory of a device.
#include "harness/run/runner/nccl_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/crew.h"
#include "harness/run/transport/device_link.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Problem nccl_problem(std::int64_t n, MaskKind mask) {
  return make_problem({1, 4, 2, n, n, 16, 16}, mask, DType::bf16, 11);
}

Plan ring(int workers) {
  return make_plan("ring", nccl_problem(53, MaskKind::causal), {workers, {}});
}

TEST(Nccl, EveryStrategyAgreesWithFloat64AndWithTheSerialExecutor) {
  const std::size_t seen =
      testing_support::for_random_plans(250, [](const Plan& plan, Random& random) {
        if (plan.result == Result::tier) return;  // that no rank has
        const Kernel kernel = random() % 3 == 0 ? Kernel::materialized : Kernel::flash;
        SCOPED_TRACE(word(kernel));
        Trial trial(plan, heap_allocator());
        Crew crew(static_cast<int>(plan.workers.size()));
        const Execution run = play_all(trial, kernel, crew);
        ASSERT_EQ(crew.links.flaw(), "");
        const Verification verification = trial.verify();
        ASSERT_TRUE(verification.correct) << verification.message;
        ASSERT_EQ(run.workers.size(), plan.workers.size());
        Trial serial(plan, heap_allocator());
        (void)serial.run(Ranks::serial, kernel, 1, heap_allocator());
        ASSERT_EQ(trial.output_bytes(), serial.output_bytes());
      });
  EXPECT_EQ(seen, strategies().size());
}

TEST(Nccl, SharedHeadsUnevenTokensAndBothMasksForEveryStrategyByName) {
  for (const char* algorithm :
       {"ring", "striped", "zigzag", "ulysses", "all_gather_kv", "cqs", "cqs_sharded", "pass_kv",
        "pass_q", "tree_decode", "flash_decoding"})
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      const int workers = std::string(algorithm) == "ulysses" ? 2 : 5;
      Trial trial(make_plan(algorithm, nccl_problem(97, mask), {workers, {}}), heap_allocator());
      Crew crew(workers);
      (void)play_all(trial, Kernel::flash, crew);
      EXPECT_TRUE(trial.verify().correct) << algorithm << ": " << trial.verify().message;
      EXPECT_EQ(crew.links.flaw(), "") << algorithm;
    }
}

TEST(Nccl, EveryExecutionAnswersTheSameWithTheSchedulesOfTheFirst) {
  for (const char* algorithm : {"ring", "striped", "ulysses", "all_gather_kv", "cqs", "cqs_sharded",
                                "pass_q", "tree_decode", "flash_decoding"}) {
    SCOPED_TRACE(algorithm);
    const int workers = std::string(algorithm) == "ulysses" ? 2 : 4;
    Trial trial(make_plan(algorithm, nccl_problem(97, MaskKind::causal), {workers, std::nullopt}),
                heap_allocator());
    Crew once(workers);
    (void)play_all(trial, Kernel::flash, once);
    const auto expected = trial.output_bytes();
    poison(trial.out.view(), trial.lse.view());
    Crew thrice(workers);
    thrice.executions = 3;
    (void)play_all(trial, Kernel::flash, thrice);
    EXPECT_EQ(trial.output_bytes(), expected);
    EXPECT_TRUE(trial.verify().correct) << trial.verify().message;
  }
}

TEST(Nccl, OneRankMovesNothing) {
  for (const char* algorithm : {"dense", "ring", "striped", "pass_q"}) {
    Trial trial(make_plan(algorithm, nccl_problem(40, MaskKind::causal), {1, {}}),
                heap_allocator());
    Crew crew(1);
    const Execution run = play_all(trial, Kernel::flash, crew);
    EXPECT_TRUE(trial.verify().correct) << algorithm;
    EXPECT_EQ(crew.links.groups(), 0) << algorithm;
    for (const StepTime& step : run.workers[0].steps) EXPECT_EQ(step.communication_s, 0.0);
  }
}

TEST(Nccl, AStepsMessagesAreOneGroupBesideItsComputing) {
  Trial trial(ring(4), heap_allocator());
  Crew crew(4);
  const Execution run = play_all(trial, Kernel::flash, crew);
  // It takes three hops, and one group per rank to bring the output to rank 0.
  EXPECT_EQ(crew.links.groups(), 4 * 3 + 4);
  for (const WorkerTime& worker : run.workers) {
    ASSERT_EQ(worker.steps.size(), 4u);
    // The fake's groups take 1, 2, 3 s; a group belongs to the step that it brings messages to.
    for (std::size_t s = 0; s < 4; ++s) {
      EXPECT_EQ(worker.steps[s].communication_s, static_cast<double>(s));
      EXPECT_EQ(worker.steps[s].idle_s, 0.0);
    }
    // The device's clock counts operations: a kernel, and from the second one on a merge.
    EXPECT_GT(worker.compute_s, 0.0);
    EXPECT_GE(worker.steps[3].start_s, worker.steps[1].start_s);
  }
  // The last worker sees the keys of all workers: three kernels and two merges lie between.
  EXPECT_GE(run.workers[3].steps[3].start_s, run.workers[3].steps[0].start_s + 5.0);
  EXPECT_GT(run.device_s, 0.0);
  EXPECT_GT(run.wall_s, 0.0);
}

// The fake notices what would hang on GPUs.
TEST(Nccl, TransfersOneByOneInARingAreADeadlock) {
  FakeLinks links(3);
  std::vector<std::unique_ptr<DeviceLink>> ranks;
  for (int r = 0; r < 3; ++r) ranks.push_back(links.open(r));
  std::byte out[3][8]{};
  std::byte in[3][8]{};
  const auto nothing = [] {};
  const auto send = [&](int r) { return DeviceLink::Part{(r + 1) % 3, out[r], 8, true}; };
  const auto receive = [&](int r) { return DeviceLink::Part{(r + 2) % 3, in[r], 8, false}; };
  for (int r = 0; r < 3; ++r) {
    const DeviceLink::Part both[] = {send(r), receive(r)};
    (void)ranks[static_cast<std::size_t>(r)]->enqueue(both, nothing);
  }
  EXPECT_EQ(links.flaw(), "");
  for (const auto& rank : ranks) EXPECT_TRUE(rank->has_ended(0));
  try {
    for (int r = 0; r < 3; ++r)
      for (const DeviceLink::Part& one : {send(r), receive(r)})
        (void)ranks[static_cast<std::size_t>(r)]->enqueue({&one, 1}, nothing);
    FAIL() << "nobody noticed";
  } catch (const CaseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("deadlock: ranks 0, 1, 2 wait for each other"));
  }
}

TEST(Nccl, TransfersOfUnequalLengthAreNoticed) {
  FakeLinks links(2);
  const auto a = links.open(0);
  const auto b = links.open(1);
  std::byte bytes[8]{};
  const DeviceLink::Part out{1, bytes, 8, true};
  const DeviceLink::Part in{0, bytes, 4, false};
  (void)a->enqueue({&out, 1}, [] {});
  (void)b->enqueue({&in, 1}, [] {});
  EXPECT_EQ(links.flaw(), "rank 0 sends 8 bytes to rank 1, which awaits 4");
}

TEST(Nccl, EndsOnAllRanksWhereverMemoryRunsOut) {
  for (const char* algorithm : {"ring", "cqs", "pass_q", "tree_decode"}) {
    Trial trial(make_plan(algorithm, nccl_problem(40, MaskKind::causal), {4, {}}),
                heap_allocator());
    for (const int victim : {0, 2}) {
      EXPECT_GT(run_out_on_rank(trial, 4, victim), 4) << algorithm;
      poison(trial.out.view(), trial.lse.view());
      Crew whole(4);
      EXPECT_EQ(failure_of(trial, whole), "nothing thrown");
      EXPECT_TRUE(trial.verify().correct) << algorithm;
    }
  }
}

TEST(Nccl, EndsOnAllRanksWhereverAGpuIsLost) {
  Trial trial(ring(3), heap_allocator());
  EXPECT_GE(lose_rank_1(trial, 3), 8);
}

TEST(Nccl, ALinkThatFailsIsToldWithItsRank) {
  for (const int group : {1, 4, 9}) {
    Trial trial(ring(4), heap_allocator());
    Crew crew(4);
    crew.links.fail_at(2, group);
    EXPECT_THAT(failure_of(trial, crew),
                AllOf(StartsWith("crashed: rank 2: "), HasSubstr("unhandled system error")));
  }
}

// A rank reaches the start and then stops.
TEST(Nccl, ARankThatStandsStillIsATimeoutOfThoseThatWaitForIt) {
  Trial trial(ring(2), heap_allocator());
  FakeLinks links(2, 0.05);
  FakeGpu gpu;
  ThreadRanks meeting(1);
  ThreadRanks::One ranks(meeting, 0);
  MemoryLedger ledger(ledger_over(gpu));
  ExecutionArguments arguments;
  arguments.kernel = Kernel::flash;
  arguments.allocator = &ledger;
  arguments.message_timeout_s = 0.1;
  arguments.collect_output = false;
  arguments.shard = shard_source(trial.plan.problem);
  const auto link = links.open(0);
  const WorkerReport report = run_gpu_rank(trial.plan, arguments, gpu, *link, ranks, 0);
  EXPECT_EQ(report.status, Status::timeout);
  EXPECT_THAT(report.text, HasSubstr("rank 0 waited 0.1 s without success for transfers"));
  EXPECT_EQ(ledger.active_bytes(), 0u);
}

TEST(Nccl, RanksThatCannotPlayTogetherAreASentence) {
  const NcclRank::Gpu a{"NVIDIA A100", "a1", {}};
  const NcclRank::Gpu b{"NVIDIA A100", "b2", {}};
  const NcclRank::Gpu h{"NVIDIA H200", "c3", {}};
  const NcclRank::Gpu none{{}, {}, "no GPU: there is no NVIDIA driver on this machine"};
  EXPECT_EQ(why_no_nccl({a, b}, 2), "");
  EXPECT_EQ(why_no_nccl({a, b, none}, 2), "");  // the third has nothing to do
  EXPECT_EQ(why_no_nccl({a, b}, 3),
            "3 workers need as many ranks, each with a GPU; there are 2: mpirun -n 3");
  EXPECT_THAT(why_no_nccl({a, b, a}, 3),
              HasSubstr("ranks 0 and 2 are on one GPU (NVIDIA A100), which NCCL refuses"));
  EXPECT_THAT(why_no_nccl({a, h}, 2),
              HasSubstr("ranks 0 and 1 are on GPUs of different kinds, NVIDIA A100 and NVIDIA "
                        "H200"));
  EXPECT_EQ(why_no_nccl({a, none}, 2), "rank 1: no GPU: there is no NVIDIA driver on this machine");
}

TEST(Nccl, SaysWhichLibraryItFindsOrWhyNone) {
  try {
    EXPECT_THAT(nccl_version(), ::testing::MatchesRegex("2\\.[0-9]+\\.[0-9]+"));
  } catch (const Unsupported& reason) {
    EXPECT_STRNE(reason.what(), "");
  }
}

TEST(Nccl, ALocalRankHasTheGpuOfItsNumberOrTheOneThatItsLauncherGaveIt) {
  EXPECT_EQ(gpu_of_local_rank(0, 8), 0);
  EXPECT_EQ(gpu_of_local_rank(7, 8), 7);
  EXPECT_EQ(gpu_of_local_rank(3, 1), 0);
  try {
    (void)gpu_of_local_rank(2, 2);
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_THAT(error.what(), HasSubstr("this host sees 2 GPUs and has at least 3 ranks"));
  }
}

}  // namespace
}  // namespace qb
