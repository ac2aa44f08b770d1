// SPDX-License-Identifier: Apache-2.0
#include "kernels/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "base/interruption.h"

namespace qb {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnceWithThreadsInRange) {
  for (const int threads : {1, 2, 5})
    for (const std::int64_t n : {0, 1, 7, 1000})
      for (const std::int64_t grain : {1, 3, 2000}) {
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
        std::atomic<bool> in_range = true;
        parallel_for(n, threads, grain, [&](std::int64_t begin, std::int64_t end, int thread) {
          if (thread < 0 || thread >= threads || end - begin > grain) in_range = false;
          for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        EXPECT_TRUE(in_range);
        for (const auto& count : visits) ASSERT_EQ(count, 1);
      }
}

TEST(ParallelFor, AnExceptionReachesTheCallerAndEndsTheWork) {
  for (const int threads : {1, 3}) {
    std::atomic<int> calls = 0;
    EXPECT_THROW(parallel_for(1'000'000, threads, 1,
                              [&](std::int64_t begin, std::int64_t, int) {
                                ++calls;
                                if (begin == 5) throw std::runtime_error("five");
                              }),
                 std::runtime_error);
    EXPECT_LT(calls, 1'000'000);
  }
}

TEST(ParallelFor, MayBeNestedAndCalledFromManyThreads) {
  std::atomic<int> sum = 0;
  parallel_for(4, 4, 1, [&](std::int64_t, std::int64_t, int) {
    parallel_for(100, 3, 7, [&](std::int64_t begin, std::int64_t end, int) {
      sum += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(sum, 400);
}

TEST(Parallel, ACallerWhoGivesUpEndsTheWorkOfAllThreads) {
  std::atomic<bool> given_up{false};
  interrupt_flag = &given_up;
  std::atomic<int> done = 0;
  const auto body = [&](std::int64_t, std::int64_t, int) { given_up = ++done >= 10; };
  EXPECT_THROW(parallel_for(100'000, 3, 1, body), Interrupted);
  EXPECT_LE(done, 10 + 3);
  interrupt_flag = nullptr;
  given_up = true;
  parallel_for(100, 3, 1, body);
}

TEST(AwaitValue, ReturnsWhenAnotherThreadHasSetIt) {
  std::atomic<int> turn = 0;
  std::atomic<int> sum = 0;
  // Each item waits for the one before; items are handed out in order, so that none waits for ever.
  parallel_for(100, 3, 1, [&](std::int64_t item, std::int64_t, int) {
    await_value(turn, static_cast<int>(item));
    EXPECT_EQ(sum, item);
    ++sum;
    turn = static_cast<int>(item) + 1;
    turn.notify_all();
  });
  EXPECT_EQ(turn, 100);
}

TEST(ThreadsForBytes, AreOneForLittleAndAllForMuch) {
  EXPECT_EQ(threads_for_bytes(100, 8), 1);
  EXPECT_EQ(threads_for_bytes(3 << 20, 8), 3);
  EXPECT_EQ(threads_for_bytes(std::int64_t{1} << 40, 8), 8);
}

}  // namespace
}  // namespace qb
