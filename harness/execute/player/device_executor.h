// Plays a plan on one device, any number of times (ranks: serial on a GPU).
//
// Every worker's rows are in the memory of this device. `flash` reads the original rows in place,
// through the groups of the plan, so no message is sent and one launch may compute several workers.
// The other kernels need contiguous rows: each worker plays as on a device of its own, with its
// messages in this device's memory.
#pragma once

#include <memory>

#include "harness/execute/player/executor.h"

namespace qb {

// It prepares schedules and graphs once if every run uses all of them. In `alone` with several
// workers it prepares each in turn, so that only one holds memory.
class DeviceExecutor {
 public:
  // The references must outlive it. Throws Unsupported, OutOfMemory.
  DeviceExecutor(const Plan& plan, const ExecutionArguments& arguments, ComputeDevice& device);
  ~DeviceExecutor();
  DeviceExecutor(const DeviceExecutor&) = delete;
  DeviceExecutor& operator=(const DeviceExecutor&) = delete;

  // `together` and `graph` measure a round and not its workers: the workers' times are empty,
  // unless the plan has only one worker.
  [[nodiscard]] Execution run();

 private:
  class Rounds;
  const Plan& plan_;
  const ExecutionArguments arguments_;
  ComputeDevice& device_;
  std::unique_ptr<Rounds> rounds_;  // flash
};

}  // namespace qb
