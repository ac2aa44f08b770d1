// SPDX-License-Identifier: Apache-2.0
#include "kernels/parallel.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace qb {
namespace {

TEST(HelperThreads, CallsEachIndexOnce) {
  for (const int n : {1, 2, 5}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
    run_with_helpers(n, [&](int index) { ++calls[static_cast<std::size_t>(index)]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(HelperThreads, AreKeptFromCallToCall) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int call = 0; call < 50; ++call)
    run_with_helpers(3, [&](int) {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  EXPECT_LE(seen.size(), 3u);
}

TEST(HelperThreads, ServeManyCallersAtOnce) {
  std::atomic<int> calls = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&calls] {
        for (int repeat = 0; repeat < 100; ++repeat)
          run_with_helpers(2, [&calls](int) { ++calls; });
      });
  }
  EXPECT_EQ(calls, 4 * 100 * 2);
}

int cores_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  return CPU_COUNT(&set);
}

TEST(HelperThreads, ATeamThatFillsTheMachineHasACoreAThread) {
  const int before = cores_of_this_thread();
  std::atomic<int> wrong = 0;
  run_with_helpers(available_cores(), [&wrong](int) {
    if (available_cores() > 1 && cores_of_this_thread() != 1) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cores_of_this_thread(), before);
}

TEST(HelperThreads, AnotherTeamMayUseAllCores) {
  run_with_helpers(available_cores(), [](int) {});
  std::atomic<int> wrong = 0;
  run_with_helpers(available_cores() + 1, [&wrong](int) {
    if (cores_of_this_thread() != available_cores()) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(AvailableCores, AtLeastOne) { EXPECT_GE(available_cores(), 1); }

}  // namespace
}  // namespace qb
