// For tests only: while a FakeClock lives, time stands still except for advance().
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace qb::testing_support {

// There may be one at a time. Seconds are whole, so that sums and differences of times are exact.
class FakeClock {
 public:
  FakeClock() {
    elapsed_s_ = 0;
    clock_source = read;
  }
  ~FakeClock() { clock_source = steady_clock_s; }
  FakeClock(const FakeClock&) = delete;
  FakeClock& operator=(const FakeClock&) = delete;

  // Any thread may call it.
  static void advance(std::int64_t seconds) { elapsed_s_ += seconds; }
  [[nodiscard]] static double read() { return static_cast<double>(elapsed_s_); }

 private:
  inline static std::atomic<std::int64_t> elapsed_s_{0};
};

}  // namespace qb::testing_support
