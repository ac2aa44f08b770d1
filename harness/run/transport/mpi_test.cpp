// SPDX-License-Identifier: Apache-2.0
// Runs under mpirun with any number of ranks: every rank runs the same cases in the same order,
// and rank 0 judges. A rank that fails a check ends with an error, and mpirun ends with it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/runner/nccl_executor.h"
#include "harness/run/runner/worker.h"
#include "harness/run/testing/device_trial.h"
#include "harness/run/testing/failing_allocator.h"
#include "harness/run/testing/fake_mpi_link.h"
#include "harness/run/testing/gradient_trial.h"
#include "harness/run/testing/ring_trial.h"
#include "harness/run/testing/timed_device.h"
#include "harness/run/transport/mpi_world.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

MpiWorld* world = nullptr;

bool is_root() { return world->rank() == 0; }

// Of three ranks the first has the first core when it joins the others, the second the last one,
// and the third all of them.
cpu_set_t all_cores;
cpu_set_t cores_while_joining(int rank) {
  if (rank % 3 == 2) return all_cores;
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &all_cores) && (rank % 3 == 1 || CPU_COUNT(&one) == 0)) {
      CPU_ZERO(&one);
      CPU_SET(core, &one);
    }
  return one;
}

// Returns the same number on every rank.
std::uint64_t common_seed() {
  return std::stoull(world->broadcast(std::to_string(std::random_device{}())));
}

// Only rank 0 has whole tensors.
ExecutionArguments arguments_of(Trial& trial, Kernel kernel, Allocator& memory) {
  ExecutionArguments arguments;
  arguments.kernel = kernel;
  arguments.allocator = &memory;
  arguments.message_timeout_s = 60.0;
  arguments.guard_messages = true;
  if (is_root()) return trial.with_tensors(arguments);
  arguments.shard = shard_source(trial.plan.problem);
  return arguments;
}

// Runs random plans that the ranks can run, the same on every rank. Returns how many there were.
template <class Attempt>
int for_playable_plans(int rounds, Attempt attempt) {
  int played = 0;
  const auto of_these_ranks = [&](const Plan& drawn, Random& random) {
    if (static_cast<int>(drawn.workers.size()) > world->size() || drawn.result == Result::tier)
      return;
    ++played;
    attempt(testing_support::in_random_type(drawn, random), random);
  };
  (void)testing_support::for_random_plans(rounds, of_these_ranks, common_seed());
  return played;
}

TEST(Mpi, AgreesWithFloat64AndWithTheSerialExecutorBitForBit) {
  const int played = for_playable_plans(120, [](const Plan& plan, Random& random) {
    const Kernel kernel = random() % 2 == 0 ? Kernel::flash : Kernel::reference;
    SCOPED_TRACE(word(kernel));
    Trial trial(plan, heap_allocator());
    const Execution run =
        execute(Ranks::mpi, trial.plan, arguments_of(trial, kernel, heap_allocator()));
    if (!is_root()) return;
    const Verification verification = trial.verify();
    ASSERT_TRUE(verification.correct) << verification.message;
    ASSERT_EQ(run.workers.size(), plan.workers.size());
    Trial serial(plan, heap_allocator());
    (void)serial.run(Ranks::serial, kernel, 1, heap_allocator());
    // One worker that works in place has one kernel call in both.
    ASSERT_EQ(trial.output_bytes(), serial.output_bytes());
  });
  EXPECT_GT(played, 5);
}

TEST(Mpi, GradientsAgreeWithFloat64AndWithTheSerialExecutorBitForBit) {
  int played = 0;
  const auto attempt = [&](const Plan& drawn, Random& random) {
    if (static_cast<int>(drawn.workers.size()) > world->size() || drawn.result == Result::tier)
      return;
    ++played;
    const Plan plan = testing_support::in_random_type(drawn, random);
    const Kernel kernel = random() % 2 == 0 ? Kernel::flash : Kernel::reference;
    SCOPED_TRACE(word(kernel));
    const GradientTrial trial(plan);
    ExecutionArguments arguments = is_root() ? trial.with_tensors({}) : ExecutionArguments();
    if (!is_root()) arguments.shard = trial.shards();
    arguments.kernel = kernel;
    arguments.allocator = &heap_allocator();
    arguments.message_timeout_s = 60.0;
    arguments.guard_messages = true;
    (void)execute(Ranks::mpi, trial.plan, arguments);
    if (!is_root()) return;
    trial.expect_exact();
    const GradientTrial serial(plan);
    (void)serial.run(Ranks::serial, kernel, 1, heap_allocator());
    ASSERT_EQ(trial.gradient_bytes() == serial.gradient_bytes(), true);
  };
  (void)testing_support::for_random_plans(120, attempt, common_seed(), Pass::backward);
  EXPECT_GT(played, 5);
}

TEST(Mpi, EveryRankHoldsExactlyTheMemoryThatIsPredicted) {
  (void)for_playable_plans(30, [](const Plan& plan, Random&) {
    MemoryLedger ledger;
    Trial trial(plan, ledger);
    ledger.reset_peaks();
    const Execution run =
        execute(Ranks::mpi, trial.plan, arguments_of(trial, Kernel::flash, ledger));
    if (!is_root()) return;
    for (std::size_t w = 0; w < plan.workers.size(); ++w) {
      const std::vector<std::int64_t> peaks =
          step_peak_bytes(plan, static_cast<int>(w), Kernel::flash, 1);
      EXPECT_EQ(run.workers[w].active_peak_bytes, *std::max_element(peaks.begin(), peaks.end()))
          << "worker " << w;
    }
  });
}

// The clock of a rank moves by what its device does.
TEST(Mpi, TheWallClockIsThatOfTheRankWithMostWork) {
  (void)for_playable_plans(40, [](const Plan& plan, Random&) {
    Trial trial(plan, heap_allocator());
    ExecutionArguments arguments = arguments_of(trial, Kernel::flash, heap_allocator());
    arguments.open_device = open_timed_device;
    const testing_support::FakeClock clock;
    const Execution run = execute(Ranks::mpi, trial.plan, arguments);
    if (!is_root()) return;
    ASSERT_EQ(run.critical_path_s, run.wall_s);
    std::int64_t most_kernels = 0;
    double most_s = 0.0;
    for (const WorkerTime& worker : run.workers) {
      most_kernels = std::max(most_kernels, WorkDone(worker.compute_s).kernels);
      most_s = std::max(most_s, worker.total_s());
    }
    ASSERT_EQ(WorkDone(run.wall_s).kernels, most_kernels);
    ASSERT_LE(most_s, run.wall_s);
    if (is_scattered(plan)) {
      ASSERT_EQ(most_s, run.wall_s);
    }
  });
}

Plan ring_of_all() {
  return make_plan("ring", make_problem({1, 2, 1, 90, 90, 16, 16}, MaskKind::full, DType::f32, 1),
                   {world->size(), {}});
}

// Runs one execution of a plan for all ranks, each on a fake GPU of this name.
std::string play_over_gpus(Trial& trial, const std::string& id, Execution* execution = nullptr) {
  GpuOfARank gpu(id);
  MemoryLedger ledger(ledger_over(gpu));
  const TrialOnDevice whole(trial, gpu, ledger);
  ExecutionArguments arguments;
  arguments.allocator = &ledger;
  arguments.message_timeout_s = 60.0;
  arguments = whole.with_tensors(arguments);
  if (!is_root() || !is_scattered(trial.plan)) arguments.shard = shard_source(trial.plan.problem);
  return case_failure([&] {
    NcclRank rank(world->size(), &gpu, {}, 60.0);
    const Execution run = rank.execute(trial.plan, arguments);
    if (execution != nullptr) *execution = run;
    whole.download();
  });
}

TEST(Mpi, RanksWithGpusPlayOverALinkThatTheyMakeTogether) {
  int played = 0;
  (void)for_playable_plans(150, [&](const Plan& plan, Random&) {
    if (played == 8 || static_cast<int>(plan.workers.size()) != world->size()) return;
    ++played;
    Trial trial(plan, heap_allocator());
    Execution run;
    ASSERT_EQ(play_over_gpus(trial, fmt::format("gpu {}", world->rank()), &run), "nothing thrown");
    if (!is_root()) return;
    ASSERT_TRUE(trial.verify().correct) << trial.verify().message;
    ASSERT_EQ(run.workers.size(), plan.workers.size());
    EXPECT_EQ(run.critical_path_s, run.wall_s);
  });
  EXPECT_GT(played, 0);
}

TEST(Mpi, RanksOnOneGpuAreUnsupported) {
  if (world->size() < 2) GTEST_SKIP() << "needs two ranks";
  Trial trial(ring_of_all(), heap_allocator());
  // The others run nothing, so the case is over before it begins.
  GpuOfARank gpu("the same");
  std::string failure;
  try {
    const NcclRank rank(world->size(), &gpu, {}, 60.0);
  } catch (const Unsupported& error) {
    failure = error.what();
  }
  EXPECT_EQ(failure, is_root()
                         ? "ranks 0 and 1 are on one GPU (a GPU), which NCCL refuses; start "
                           "one rank a GPU, or compute the workers on one GPU with ranks: serial"
                         : "");
}

TEST(Mpi, ARankWithoutAGpuIsNamed) {
  if (world->size() < 2) GTEST_SKIP() << "needs two ranks";
  GpuOfARank gpu(fmt::format("gpu {}", world->rank()));
  const bool last = world->rank() == world->size() - 1;
  std::string failure;
  try {
    const NcclRank rank(world->size(), last ? nullptr : &gpu, "no GPU: it is gone", 60.0);
  } catch (const Unsupported& error) {
    failure = error.what();
  }
  EXPECT_EQ(failure,
            is_root() ? fmt::format("rank {}: no GPU: it is gone", world->size() - 1) : "");
}

std::string failure_of(const Plan& plan, const ExecutionArguments& arguments) {
  return case_failure([&] { (void)execute(Ranks::mpi, plan, arguments); });
}

// The last rank runs out of memory at each request in turn; the others end with it, and the next
// run is right.
TEST(Mpi, ARankThatFailsEndsTheCaseWithItsRankAndMessage) {
  if (world->size() < 2) GTEST_SKIP() << "needs two ranks";
  Trial trial(ring_of_all(), heap_allocator());
  const int last = world->size() - 1;
  for (const int request : {1, 6, 8, 10}) {
    FailingAllocator failing(heap_allocator());
    if (world->rank() == last) failing.fail_at(request);
    const std::string failure = failure_of(trial.plan, arguments_of(trial, Kernel::flash, failing));
    if (is_root()) {
      EXPECT_THAT(failure, HasSubstr(fmt::format("oom: rank {}: ", last))) << request;
    }
    poison(trial.out.view(), trial.lse.view());
    (void)execute(Ranks::mpi, trial.plan, arguments_of(trial, Kernel::flash, heap_allocator()));
    if (is_root()) {
      EXPECT_TRUE(trial.verify().correct) << trial.verify().message;
    }
  }
}

// A rank fails at each point in turn; all ranks end with it, and the next run is right.
TEST(Mpi, ATeamEndsWithTheFailureOfAnyRankAtAnyPoint) {
  const int n = world->size();
  const auto run = [&](int victim, int point) {
    RingTrial trial(n);
    trial.victim = victim;
    trial.fails_at = point;
    std::vector<std::string> texts;
    const std::string failure = case_failure([&] {
      texts = run_over_mpi(n, 60.0, [&](WorkerTeam& team, int rank) {
        const WorkerReport report = run_worker(team, team, [&] { return trial.play(team, rank); });
        EXPECT_TRUE(team.is_closed());
        return report;
      });
    });
    if (!is_root()) return;
    if (victim >= 0) {
      EXPECT_EQ(failure, fmt::format("oom: rank {}: {}", victim, trial.failure_of_victim()));
      return;
    }
    EXPECT_EQ(failure, "nothing thrown");
    ASSERT_EQ(static_cast<int>(texts.size()), n);
    for (int w = 0; w < n; ++w) EXPECT_EQ(texts[static_cast<std::size_t>(w)], trial.expected(w));
  };
  for (const int victim : std::set<int>{0, n / 2, n - 1})
    for (int point = 0; point < RingTrial::kPoints; ++point) {
      run(victim, point);
      run(-1, 0);
    }
}

// A rank runs out of memory at each request in turn.
TEST(Mpi, AnyRankThatFailsAnywhereEndsTheCase) {
  if (world->size() < 2) GTEST_SKIP() << "needs two ranks";
  for (const char* algorithm : {"ring", "pass_q", "cqs", "all_gather_kv"}) {
    if (std::string(algorithm) == "cqs" && world->size() < 3) continue;
    const Plan plan =
        make_plan(algorithm, make_problem({1, 2, 1, 90, 90, 8, 8}, MaskKind::causal, DType::f32, 1),
                  {world->size() == 8 ? 7 : world->size(), {}});
    const auto workers = static_cast<int>(plan.workers.size());
    for (const int victim : {0, workers - 1}) {
      std::string failure = "oom: ";
      for (int request = 1; failure != "nothing thrown"; ++request) {
        Trial trial(plan, heap_allocator());
        FailingAllocator failing(heap_allocator());
        if (world->rank() == victim) failing.fail_at(request);
        failure = failure_of(trial.plan, arguments_of(trial, Kernel::flash, failing));
        if (is_root() && failure != "nothing thrown") {
          EXPECT_THAT(failure, HasSubstr(fmt::format("oom: rank {}: ", victim)));
        }
        if (is_root() && failure == "nothing thrown") {
          EXPECT_TRUE(trial.verify().correct);
        }
        failure = world->broadcast(failure);
      }
    }
  }
}

// A rank is stuck for longer than the others wait.
TEST(Mpi, AStuckRankIsATimeoutThatNamesIt) {
  if (world->size() < 2) GTEST_SKIP() << "needs two ranks";
  Trial trial(ring_of_all(), heap_allocator());
  ExecutionArguments arguments = arguments_of(trial, Kernel::flash, heap_allocator());
  arguments.message_timeout_s = 1.0;
  bool slept = false;
  if (world->rank() == 1) {
    const ShardSource shard = arguments.shard;
    arguments.shard = [&slept, shard](TensorRole what, const TokenGroup& tokens, const Range& heads,
                                      const TensorView& view) {
      if (!slept) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      slept = true;
      shard(what, tokens, heads, view);
    };
  }
  const std::string failure = failure_of(trial.plan, arguments);
  if (is_root()) {
    EXPECT_THAT(failure, AllOf(HasSubstr("timeout: "), HasSubstr("waited 1 s without success")));
  }
}

TEST(Mpi, AFailureArrivesWithItsStatusAndAsMuchOfItsTextAsThereIsRoomFor) {
  if (world->size() < 2) GTEST_SKIP() << "needs two ranks";
  constexpr std::size_t kRoom = 512;  // with the status, a space and the end of the text
  const std::size_t most = kRoom - std::to_string(static_cast<int>(Status::oom)).size() - 2;
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, most, most + 1}) {
    const auto transport = world->make_transport(2, 60.0);
    if (!transport) continue;
    if (world->rank() == 1)
      transport->fail(std::make_exception_ptr(CaseError(Status::oom, std::string(length, 'x'))));
    std::byte nothing{};
    const Ticket ticket = transport->receive({1 - world->rank(), world->rank(), 0}, {&nothing, 1});
    if (is_root()) {
      EXPECT_EQ(case_failure([&] { (void)transport->wait(ticket); }),
                "oom: rank 1: " + std::string(std::min(length, most), 'x'));
      EXPECT_NE(transport->failure(), nullptr);
    }
    transport->close();
    EXPECT_TRUE(transport->is_closed());
  }
}

TEST(Mpi, MoreWorkersThanRanksAreUnsupported) {
  Trial trial(
      make_plan("ring", make_problem({1, 1, 1, 90, 90, 8, 8}, MaskKind::full, DType::f32, 1),
                {world->size() + 1, {}}),
      heap_allocator());
  EXPECT_THAT(failure_of(trial.plan, arguments_of(trial, Kernel::flash, heap_allocator())),
              HasSubstr("workers need as many MPI processes; there are"));
}

TEST(Mpi, ARankSharesItsCoresWithThoseThatMayUseOneOfThem) {
  int sharing = 0;
  for (int rank = 0; rank < world->size(); ++rank) {
    cpu_set_t both = cores_while_joining(rank);
    const cpu_set_t own = cores_while_joining(world->rank());
    CPU_AND(&both, &both, &own);
    if (CPU_COUNT(&both) > 0) ++sharing;
  }
  EXPECT_EQ(world->sharing_cores(), sharing);
}

TEST(Mpi, TextsGoToAllRanksAndComeBack) {
  const std::string long_text(100'000, 'x');
  EXPECT_EQ(world->broadcast(is_root() ? long_text : ""), long_text);
  const std::vector<std::string> texts = world->gather(fmt::format("rank {}", world->rank()), 10.0);
  if (!is_root()) return;
  ASSERT_EQ(static_cast<int>(texts.size()), world->size());
  for (int r = 0; r < world->size(); ++r)
    EXPECT_EQ(texts[static_cast<std::size_t>(r)], fmt::format("rank {}", r));
}

}  // namespace
}  // namespace qb

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::sched_getaffinity(0, sizeof(qb::all_cores), &qb::all_cores);
  const cpu_set_t cores = qb::cores_while_joining(qb::launched_rank());
  ::sched_setaffinity(0, sizeof(cores), &cores);
  const auto joined = qb::MpiWorld::join();
  ::sched_setaffinity(0, sizeof(qb::all_cores), &qb::all_cores);
  qb::MpiWorld& ranks = *joined;
  qb::world = joined.get();
  if (ranks.rank() != 0)  // rank 0 reports for all; failures show on every rank
    delete ::testing::UnitTest::GetInstance()->listeners().Release(
        ::testing::UnitTest::GetInstance()->listeners().default_result_printer());
  const int failed = RUN_ALL_TESTS();
  // A failed check on any rank fails the test.
  const std::vector<std::string> results = ranks.gather(failed == 0 ? "" : "failed", 60.0);
  for (std::size_t r = 0; r < results.size(); ++r)
    if (!results[r].empty()) return 1;
  return failed;
}
