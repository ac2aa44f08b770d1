// Ctrl-C: asked once, the sweep stops after killing the case in flight; asked twice, the program
// ends at once (its child dies with it).
#pragma once

namespace qb {

// While one lives, the first SIGINT or SIGTERM is remembered and wakes whoever polls wake_fd(); it
// also restores the default action, so that the second one ends the program. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool requested() const;
  // Readable from the first signal on; nobody needs to read it.
  [[nodiscard]] int wake_fd() const;
};

}  // namespace qb
