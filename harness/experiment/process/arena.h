// A case's tensors, in the memory of the device that runs it, and what executes it there.
#pragma once

#include <functional>
#include <memory>

#include "harness/execute/device/compute_device.h"
#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/player/executor.h"
#include "harness/execute/verify/inputs.h"
#include "harness/experiment/process/prediction.h"
#include "harness/experiment/process/result.h"
#include "harness/experiment/schema/case.h"

namespace qb {

// Inputs and the last output, where the host can read them.
struct HostTensors {
  TensorView q;
  TensorView k;
  TensorView v;
  TensorView out;
  TensorView lse;
};

class MpiCase;

class Arena {
 public:
  virtual ~Arena() = default;
  // Counts what the device holds.
  [[nodiscard]] virtual MemoryLedger& ledger() = 0;
  // Makes the inputs. Throws OutOfMemory.
  virtual void fill() = 0;
  virtual void poison_output() = 0;
  // verifying: the output will be looked at.
  virtual Execution execute(bool verifying) = 0;
  [[nodiscard]] virtual HostTensors tensors() = 0;
  // Before and after a timed repeat.
  virtual void begin_sample() {}
  virtual void end_sample(Sample& /*sample*/) {}
};

// record: keep the events of the ledger, for the memory pass.
// announce: see MpiCase::announce_execution. The references must outlive the arena.
[[nodiscard]] std::unique_ptr<Arena> make_cpu_arena(const Case& c, const PlannedCase& planned,
                                                    bool record,
                                                    std::function<void(bool)> announce);
[[nodiscard]] std::unique_ptr<Arena> make_gpu_arena(const Case& c, const PlannedCase& planned,
                                                    bool record, ComputeDevice& device);
// Collective, as NcclRank is.
[[nodiscard]] std::unique_ptr<Arena> make_nccl_arena(const Case& c, const PlannedCase& planned,
                                                     bool record, ComputeDevice& device,
                                                     const MpiCase& ranks);

}  // namespace qb
