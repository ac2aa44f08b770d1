// A layer's weights and states, in the memory of the device that runs it, and what runs it there.
#pragma once

#include <memory>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/experiment/process/layer_case.h"
#include "harness/workload/layer/layer_reference.h"

namespace qb {

class LayerArena {
 public:
  virtual ~LayerArena() = default;
  // Counts what the device holds.
  [[nodiscard]] virtual MemoryLedger& ledger() = 0;
  // Weights, states and an output that is poisoned. Throws OutOfMemory.
  virtual void fill() = 0;
  // verifying: the output will be looked at. Fills what the clocks say of the sample.
  virtual LayerTimes execute(bool verifying, Sample& sample) = 0;
  // What is verified, in the host's memory.
  [[nodiscard]] virtual LayerQuestion question() const = 0;
  [[nodiscard]] virtual const float* output() const = 0;
  // Before and after a timed repeat.
  virtual void begin_sample() {}
  virtual void end_sample(Sample& /*sample*/) {}
};

// record: keep the events of the ledger. The references must outlive the arena.
[[nodiscard]] std::unique_ptr<LayerArena> make_cpu_layer_arena(const Case& c,
                                                               const PlannedLayer& planned,
                                                               bool record);
[[nodiscard]] std::unique_ptr<LayerArena> make_gpu_layer_arena(const Case& c,
                                                               const PlannedLayer& planned,
                                                               bool record, ComputeDevice& device);

}  // namespace qb
