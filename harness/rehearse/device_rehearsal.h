// SPDX-License-Identifier: Apache-2.0
// Predicts what running a plan on a device takes and computes. The executor runs unchanged and
// takes the same tensors from a ledger in the same order, but the ledger's memory is only
// addresses, and a kernel call computes nothing and only takes what it costs
// (kernels/cuda/flash/kernel_costs.h). So the bytes are exactly those that the ledger of the real
// device will count.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/plan/representatives.h"
#include "harness/run/device/attention_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/runner/device_executor.h"

namespace qb {

// A number is empty if a kernel does not report it.
struct Rehearsal {
  // Most bytes held at once: inputs, output, and what the executor and the kernels take.
  std::optional<std::int64_t> active_peak_bytes;
  // Most bytes that one worker holds besides the whole inputs and output. It is also empty if
  // workers are launched together.
  std::optional<std::int64_t> worker_peak_bytes;
  // Pairs per head, over all workers, at the granularity of the device's own tiles.
  std::optional<std::int64_t> executed_pairs;
  std::vector<std::vector<std::int64_t>> step_pairs;  // by worker and step; empty as executed_pairs
};

// A device that takes what calls cost and computes nothing. Its clock counts the pairs that the
// kernels would have computed. The costs must outlive it.
[[nodiscard]] std::unique_ptr<LayerGradientsDevice> rehearsal_device(
    const cuda::KernelCosts& costs);
// Returns the options of a ledger over the memory of such a device.
[[nodiscard]] MemoryLedger::Options over_addresses();

// The memory that the workers of a plan hold on the CPU.
struct PlanMemory {
  // What each worker holds: its share of Q, K, V and O, its buffers, partials and workspace. The
  // one worker of a plan that works in place has only the workspace besides the caller's tensors.
  std::vector<std::int64_t> worker_peak_bytes;
  // The most that the device of one worker holds; in place the caller's tensors too.
  std::int64_t device_peak_bytes = 0;
  // The most that the root's device holds: the caller's tensors, and what worker 0 has there. 0
  // where no root scatters.
  std::int64_t root_peak_bytes = 0;
  // Peak of the whole execution, with the caller's inputs and output. Serial runs one worker at a
  // time; workers that communicate all exist at once, and then this is a bound.
  std::int64_t serial_bytes = 0;
  std::int64_t threads_bytes = 0;  // all workers exist at once
};

// Runs one of the workers that are alike alone, with the CPU's kernels on this many threads.
[[nodiscard]] PlanMemory plan_memory(const Plan& plan, const Representatives& alike, Kernel kernel,
                                     int threads);
[[nodiscard]] inline PlanMemory plan_memory(const Plan& plan, Kernel kernel, int threads) {
  return plan_memory(plan, Representatives(plan), kernel, threads);
}

// Returns the peak bytes that worker `index` holds in each step, from the end of the step before:
// its shard, its partials, the messages in transit (a ring holds its shard, the one it computes
// with and the one that arrives), and the kernel's workspace.
[[nodiscard]] std::vector<std::int64_t> step_peak_bytes(const Plan& plan, int index, Kernel kernel,
                                                        int threads);

// Throws as the executor and the kernels do if they do not support a call.
[[nodiscard]] Rehearsal rehearse(const Plan& plan, Kernel kernel, Launch launch,
                                 const cuda::KernelCosts& costs);

// Rehearses one worker's work that is not a plan. `run` does it with the device over the ledger,
// resets the ledger's peaks when its inputs exist, and returns the seconds by the device's clock,
// which counts the pairs of all heads and sequences.
[[nodiscard]] Rehearsal rehearse(const cuda::KernelCosts& costs,
                                 const std::function<double(ComputeDevice&, MemoryLedger&)>& run);

}  // namespace qb
