// SPDX-License-Identifier: Apache-2.0
// A caller who may give up, such as a Python session, gives the thread that computes for it a flag;
// whatever takes long looks at it. Threads that help have the flag of the thread that they help.
#pragma once

#include <atomic>
#include <exception>

namespace qb {

// What was asked for is no longer wanted.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// The flag of the calling thread, which outlives what it computes; nullptr: nobody gives up.
inline thread_local const std::atomic<bool>* interrupt_flag = nullptr;

// Throws Interrupted once the caller has given up. It costs as much as reading a number.
inline void poll_interrupt() {
  if (interrupt_flag != nullptr && interrupt_flag->load(std::memory_order_relaxed))
    throw Interrupted();
}

}  // namespace qb
