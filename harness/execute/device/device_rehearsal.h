// What playing a plan on a device will take and compute, found by playing it on one that computes
// nothing.
//
// The device executor runs as it will: the same tensors are taken from a ledger in the same order,
// only that its memory is addresses without anything behind them; and where the executor calls a
// kernel, what that costs is taken instead (kernels/cuda/flash/kernel_costs.h). So the bytes are
// those that the ledger of the device will count, exactly.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/execute/player/device_executor.h"
#include "harness/plan/plan.h"

namespace qb {

class MemoryLedger;

// Empty: a kernel does not tell.
struct Rehearsal {
  // Of everything that is held at once: inputs, output, what the executor and the kernels take.
  std::optional<std::int64_t> active_peak_bytes;
  // Of the worker that takes most, beside the whole inputs and output. Empty too where workers are
  // launched together.
  std::optional<std::int64_t> worker_peak_bytes;
  // Per head, over all workers, at the granularity of the device's own tiles.
  std::optional<std::int64_t> executed_pairs;
  std::vector<std::vector<std::int64_t>> step_pairs;  // by worker and step; empty as the above
};

// Throws as the executor and the kernels do where they take no such call.
[[nodiscard]] Rehearsal rehearse(const Plan& plan, Kernel kernel, Launch launch,
                                 const cuda::KernelCosts& costs);

// Of work by one worker that is no plan. `play` does it with the device over the ledger, resets the
// ledger's peaks when what is given is there, and returns the seconds by the device's clock, which
// counts the pairs of all heads and sequences.
[[nodiscard]] Rehearsal rehearse(const cuda::KernelCosts& costs,
                                 const std::function<double(ComputeDevice&, MemoryLedger&)>& play);

}  // namespace qb
