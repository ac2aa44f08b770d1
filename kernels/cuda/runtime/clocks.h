// How fast the GPU's multiprocessors run, and why not faster. A plain host header.
#pragma once

#include <memory>

#include "kernels/cuda/runtime/clock_reasons.h"

namespace qb::cuda {

class ClockMonitor {
 public:
  // Of the present device; stream: a cudaStream_t. Without NVML the reasons are not known.
  explicit ClockMonitor(void* stream);
  ~ClockMonitor();
  ClockMonitor(const ClockMonitor&) = delete;
  ClockMonitor& operator=(const ClockMonitor&) = delete;

  // Waits for what is enqueued, then takes a tenth of a millisecond on the device.
  [[nodiscard]] ClockState read();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Enqueues the measurement: *cycles of a multiprocessor in *nanoseconds, in device memory.
void sample_sm_clock(unsigned long long* cycles, unsigned long long* nanoseconds, void* stream);

}  // namespace qb::cuda
