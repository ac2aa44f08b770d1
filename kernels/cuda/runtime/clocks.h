// SPDX-License-Identifier: Apache-2.0
// Measures the clock of the GPU's multiprocessors and what limits it. This header needs no CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace qb::cuda {

// Says what a GPU did while a sample was taken; 0 means not known.
struct ClockState {
  double sm_hz = 0.0;         // measured on the device
  std::uint64_t reasons = 0;  // NVML's bits
  bool reasons_known = false;
};

// Returns whether one of NVML's bits says that power, heat or the power supply's brake slows the
// GPU down. Idling and clocks that a user has set do not count.
[[nodiscard]] bool is_throttled(const ClockState& state);
// Returns `power cap, heat`; empty where there is no such reason.
[[nodiscard]] std::string throttle_text(std::uint64_t reasons);

class ClockMonitor {
 public:
  // Watches the current device; stream is a cudaStream_t. Without NVML the reasons are not known.
  explicit ClockMonitor(void* stream);

  // Waits for the enqueued work, then measures for a tenth of a millisecond on the device.
  [[nodiscard]] ClockState read();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Enqueues the measurement: *cycles of a multiprocessor in *nanoseconds, in device memory.
void sample_sm_clock(unsigned long long* cycles, unsigned long long* nanoseconds, void* stream);

}  // namespace qb::cuda
