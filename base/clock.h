// SPDX-License-Identifier: Apache-2.0
// The clock that every measured time is taken by.
#pragma once

#include <atomic>
#include <chrono>

namespace qb {

[[nodiscard]] inline double steady_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What now_s() reads. Only tests put another clock here (base/testing/fake_clock.h).
inline std::atomic<double (*)()> clock_source{steady_clock_s};

[[nodiscard]] inline double now_s() { return clock_source.load(std::memory_order_relaxed)(); }

}  // namespace qb
