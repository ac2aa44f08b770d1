// SPDX-License-Identifier: Apache-2.0
// For tests: whoever waits for hours does not, and the clock is put forward by as much. So what
// makes a case slow on purpose is told from a busy machine. To be included by one file of a
// program.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <atomic>

#include "base/clock.h"

namespace qb::testing_support {

// There may be one at a time.
class SkippedWaits {
 public:
  static constexpr double kHoursS = 1e4;

  // A second would be lost in rounding beside the time that other tests have skipped.
  SkippedWaits() {
    skipped_s_ = 0.0;
    clock_source = now;
  }
  ~SkippedWaits() { clock_source = steady_clock_s; }
  SkippedWaits(const SkippedWaits&) = delete;
  SkippedWaits& operator=(const SkippedWaits&) = delete;

  // Says whether the caller need not wait.
  static bool skip(double wait_s) {
    if (clock_source != now || wait_s < kHoursS) return false;
    skipped_s_ += wait_s;
    return true;
  }
  static double seconds(const timespec& time) {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

 private:
  static double now() { return steady_clock_s() + skipped_s_; }
  inline static std::atomic<double> skipped_s_{0.0};
};

}  // namespace qb::testing_support

// These take the place of the C library's.
extern "C" {

int nanosleep(const timespec* wait, timespec* left) {
  using qb::testing_support::SkippedWaits;
  if (SkippedWaits::skip(SkippedWaits::seconds(*wait))) return 0;
  return reinterpret_cast<decltype(&nanosleep)>(::dlsym(RTLD_NEXT, "nanosleep"))(wait, left);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  using qb::testing_support::SkippedWaits;
  timespec now{};
  ::clock_gettime(clock, &now);
  const bool skipped =
      SkippedWaits::skip(SkippedWaits::seconds(*until) - SkippedWaits::seconds(now));
  return reinterpret_cast<decltype(&pthread_cond_clockwait)>(::dlsym(
      RTLD_NEXT, "pthread_cond_clockwait"))(condition, mutex, clock, skipped ? &now : until);
}

}  // extern "C"
