// SPDX-License-Identifier: Apache-2.0
// Runs a plan on one device, any number of times (ranks: serial on a GPU).
//
// Every worker's rows are in the memory of this device. `flash` reads the original rows in place,
// through the groups of the plan, so no message is sent and one launch may compute several workers.
// The other kernels need contiguous rows: each worker runs as on a device of its own, with its
// messages in this device's memory.
#pragma once

#include <functional>
#include <list>
#include <vector>

#include "harness/run/device/sinks.h"
#include "harness/run/device/stopwatch.h"
#include "harness/run/runner/executor.h"
#include "harness/run/runner/kept_calls.h"

namespace qb {

// Throws Unsupported where `launch` cannot compute this pass with this kernel.
void require_launch(Launch launch, Pass pass, Kernel kernel);

// It prepares schedules and graphs once if every run uses all of them. In `alone` with several
// workers it prepares each in turn, so that only one holds memory. A backward pass computes each
// worker alone.
class DeviceExecutor {
 public:
  // The references must outlive it. Throws Unsupported, OutOfMemory.
  DeviceExecutor(const Plan& plan, const ExecutionArguments& arguments, ComputeDevice& device);
  ~DeviceExecutor();
  DeviceExecutor(const DeviceExecutor&) = delete;
  DeviceExecutor& operator=(const DeviceExecutor&) = delete;

  // `together` and `graph` do not time single workers: of several workers, the times are empty.
  [[nodiscard]] Execution run();

 private:
  struct Round;

  [[nodiscard]] bool times_workers() const {
    return arguments_.launch == Launch::alone || plan_.workers.size() == 1;
  }
  // Each worker runs as on a device of its own.
  [[nodiscard]] bool runs_workers() const {
    return arguments_.kernel != Kernel::flash || plan_.pass == Pass::backward ||
           plan_.result == Result::tier;
  }
  void add_worker(int index);
  Round& round_of(int worker, std::size_t step);
  [[nodiscard]] AttentionDevice::Prepared prepare(const Round& round) const;
  void enqueue(Stopwatch* watch, std::vector<WorkerTime>& times);

  const Plan& plan_;
  const ExecutionArguments arguments_;
  AttentionDevice& device_;
  std::list<Round> rounds_;  // of flash
  bool keeps_prepared_ = false;
  Sinks sinks_;                   // of flash
  KeptCalls kept_;                // of a backward pass that works in place
  std::function<void()> replay_;  // for `graph`
};

}  // namespace qb
