// SPDX-License-Identifier: Apache-2.0
// The clock that every measured time is taken by.
#pragma once

#include <ctime>

#include <atomic>
#include <chrono>

namespace qb {

[[nodiscard]] inline double steady_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The CPU time of this process, all its threads.
[[nodiscard]] inline double cpu_clock_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// What now_s() reads.
inline std::atomic<double (*)()> clock_source{steady_clock_s};

// While it lives, now_s() reads that clock: a case with `clock: cpu`, and tests.
class ClockInUse {
 public:
  explicit ClockInUse(double (*source)()) : before_(clock_source.exchange(source)) {}
  ~ClockInUse() { clock_source = before_; }
  ClockInUse(const ClockInUse&) = delete;
  ClockInUse& operator=(const ClockInUse&) = delete;

 private:
  double (*before_)();
};

[[nodiscard]] inline double now_s() { return clock_source.load(std::memory_order_relaxed)(); }

}  // namespace qb
