// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C: after the first, the sweep kills the running case and stops; after the second,
// the program ends at once, and its child with it.
#pragma once

namespace qb {

// While a guard lives, the first SIGINT or SIGTERM is remembered and wakes those that poll
// wake_fd(); it also restores the default action, so that the second one ends the program. Only one
// guard may live at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool requested() const;
  // It is readable from the first signal on; nobody needs to read it.
  [[nodiscard]] int wake_fd() const;
};

}  // namespace qb
