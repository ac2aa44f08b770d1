// SPDX-License-Identifier: Apache-2.0
#include "harness/run/transport/worker_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

#include "base/clock.h"
#include "base/interruption.h"
#include "harness/run/testing/ring_trial.h"
#include "harness/run/transport/memory_transport.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

std::string failure_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const CaseError& error) {
    return std::string(word(error.status())) + ": " + error.what();
  }
  return "nothing thrown";
}

std::vector<std::string> run_threads(RingTrial& trial, bool carrier) {
  MemoryTransport team({.carrier = carrier, .workers = trial.workers});
  std::vector<std::string> texts(static_cast<std::size_t>(trial.workers));
  team.run([&](int w) { texts[static_cast<std::size_t>(w)] = trial.play(team, w); });
  return texts;
}

TEST(WorkerTeam, OfThreadsPassesMessages) {
  for (const int workers : {1, 2, 5}) {
    RingTrial trial(workers);
    const std::vector<std::string> texts = run_threads(trial, workers % 2 == 1);
    for (int w = 0; w < workers; ++w)
      EXPECT_EQ(texts[static_cast<std::size_t>(w)], trial.expected(w));
  }
}

TEST(WorkerTeam, OfThreadsEndsWithTheFailureOfAnyWorkerAtAnyPoint) {
  for (const bool carrier : {false, true})
    for (int victim = 0; victim < 4; ++victim)
      for (int point = 0; point < RingTrial::kPoints; ++point) {
        RingTrial trial(4);
        trial.victim = victim;
        trial.fails_at = point;
        EXPECT_EQ(failure_of([&] { (void)run_threads(trial, carrier); }),
                  "oom: " + trial.failure_of_victim());
      }
}

TEST(WorkerTeam, OfThreadsEndsWithOneFailureWhereAllWorkersFail) {
  for (int round = 0; round < 20; ++round) {
    MemoryTransport team({.carrier = true, .workers = 6});
    EXPECT_THAT(failure_of([&] {
                  team.run([&](int w) {
                    (void)team.meet();
                    throw CaseError(Status::error, fmt::format("worker {}", w));
                  });
                }),
                HasSubstr("error: worker "));
  }
}

TEST(WorkerTeam, OfThreadsKeepsTheTypeOfTheFailure) {
  for (const int victim : {0, 1}) {
    MemoryTransport team({.workers = 2});
    const auto work = [&](int w) {
      if (w == victim) throw OutOfMemory("out", 8, 0, 4);
      (void)team.meet();
    };
    EXPECT_THROW(team.run(work), OutOfMemory);
  }
}

TEST(WorkerTeam, OfThreadsBeginsAtOneMomentOfAll) {
  MemoryTransport team({.workers = 5});
  std::vector<double> ready_s(5);
  std::vector<double> met_s(5);
  std::vector<double> again_s(5);
  team.run([&](int w) {
    const auto i = static_cast<std::size_t>(w);
    ready_s[i] = now_s();
    met_s[i] = team.meet();
    again_s[i] = team.meet();
  });
  EXPECT_THAT(met_s, ::testing::Each(met_s[0]));
  EXPECT_THAT(again_s, ::testing::Each(again_s[0]));
  EXPECT_THAT(ready_s, ::testing::Each(::testing::Le(met_s[0])));
  EXPECT_LE(met_s[0], again_s[0]);
}

// A worker that ends does not keep the others from meeting.
TEST(WorkerTeam, OfThreadsGoesOnWithoutWorkersThatHaveEnded) {
  MemoryTransport team({.workers = 3});
  std::atomic<int> met = 0;
  team.run([&](int w) {
    for (int i = 0; i <= w; ++i) {
      (void)team.meet();
      ++met;
    }
  });
  EXPECT_EQ(met, 1 + 2 + 3);
}

// What a worker has sent and received with is freed as soon as it fails.
TEST(WorkerTeam, OfThreadsTouchesNoBufferAfterAFailure) {
  for (const bool carrier : {false, true})
    for (int round = 0; round < 50; ++round) {
      MemoryTransport team({.carrier = carrier, .workers = 3});
      const auto work = [&](int w) {
        (void)team.meet();
        const std::vector<int> out(100'000, w);
        std::vector<int> in(out.size());
        try {
          const Ticket receive =
              team.receive({(w + 2) % 3, w, 0}, std::as_writable_bytes(std::span(in)));
          if (w == round % 3) throw std::runtime_error("it fails");
          const Ticket send = team.send({w, (w + 1) % 3, 0}, std::as_bytes(std::span(out)));
          (void)team.wait(receive);
          (void)team.wait(send);
        } catch (...) {
          team.fail(std::current_exception());
          throw;
        }
      };
      EXPECT_THROW(team.run(work), std::runtime_error);
    }
}

TEST(WorkerTeam, OfThreadsHasTheInterruptFlagOfItsCaller) {
  const std::atomic<bool> flag = true;
  interrupt_flag = &flag;
  MemoryTransport team({.workers = 2});
  EXPECT_THROW(team.run([](int) { poll_interrupt(); }), Interrupted);
  interrupt_flag = nullptr;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(WorkerTeam, WithoutThreadsForAllWorkersSaysSoAndEnds) {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit scarce = before;
  scarce.rlim_cur = std::size_t{1} << 32U;  // of address space, for stacks of 8 MiB
  setrlimit(RLIMIT_AS, &scarce);
  MemoryTransport team({.workers = 2000, .instead = "fewer of them"});
  const std::string failure = failure_of([&] { team.run([&](int) { (void)team.meet(); }); });
  setrlimit(RLIMIT_AS, &before);
  EXPECT_THAT(failure, HasSubstr("of the 2000 threads that the workers need ("));
  EXPECT_THAT(failure, HasSubstr("); use fewer of them"));
}
#endif

TEST(WorkerTeam, AloneNeedsNobody) {
  NoTransport alone;
  const WorkerReport done = run_worker(alone, alone, [&] {
    (void)alone.meet();
    return std::string("done");
  });
  EXPECT_EQ(done.status, Status::ok);
  EXPECT_EQ(done.text, "done");
  const WorkerReport failed =
      run_worker(alone, alone, []() -> std::string { throw std::bad_alloc(); });
  EXPECT_EQ(failed.status, Status::oom);
  EXPECT_EQ(failed.text, "the heap has no more memory");
  EXPECT_FALSE(failed.is_others);
}

TEST(WorkerTeam, AWorkersOwnFailureCountsBeforeTheOneThatAnotherReported) {
  std::vector<WorkerReport> reports = {{.text = "a"}, {.text = "b"}, {.text = "c"}};
  EXPECT_EQ(results(reports), (std::vector<std::string>{"a", "b", "c"}));
  const auto failure = [&] { return failure_of([&] { (void)results(reports); }); };
  reports[0] = {Status::timeout, true, "rank 2: it is late"};
  EXPECT_EQ(failure(), "timeout: rank 2: it is late");
  reports[1] = {Status::oom, false, "no room"};
  reports[2] = reports[1];
  EXPECT_EQ(failure(), "oom: rank 1: no room");
}

TEST(Waits, AreIdleUntilBothSidesWereReadyAndThenExposed) {
  const auto split = [](double begin_s, double ready_s, double end_s) {
    double idle_s = 1.0;
    double exposed_s = 2.0;
    split_wait(begin_s, ready_s, end_s, idle_s, exposed_s);
    return std::pair(idle_s, exposed_s);
  };
  EXPECT_EQ(split(10.0, 13.0, 18.0), std::pair(1.0 + 3.0, 2.0 + 5.0));
  EXPECT_EQ(split(10.0, 4.0, 18.0), std::pair(1.0, 2.0 + 8.0)) << "both were ready before";
  EXPECT_EQ(split(10.0, 20.0, 18.0), std::pair(1.0 + 8.0, 2.0)) << "it ended before both were";
  EXPECT_EQ(split(10.0, 4.0, 10.0), std::pair(1.0, 2.0)) << "no time passed";
}

}  // namespace
}  // namespace qb
