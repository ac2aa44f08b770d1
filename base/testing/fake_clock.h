// SPDX-License-Identifier: Apache-2.0
// For tests only: while a FakeClock lives, time stands still except for advance().
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace qb::testing_support {

// There may be one at a time. It counts eighths of seconds, so that sums and differences of times
// are exact.
class FakeClock {
 public:
  FakeClock() { eighths_ = 0; }

  // Any thread may call it.
  static void advance(std::int64_t seconds) { advance_eighths(8 * seconds); }
  static void advance_eighths(std::int64_t count) { eighths_ += count; }
  [[nodiscard]] static double read() { return static_cast<double>(eighths_) / 8.0; }

 private:
  inline static std::atomic<std::int64_t> eighths_{0};
  ClockInUse in_use_{read};
};

}  // namespace qb::testing_support
