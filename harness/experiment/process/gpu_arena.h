// What the arenas of a GPU share: inputs are made on the host, where the output is verified too;
// the ledger counts the GPU's memory only.
#pragma once

#include "harness/execute/device/cuda_device.h"
#include "harness/experiment/process/arena.h"

namespace qb {

// The GPU of this process for a case, and a ledger over its memory.
[[nodiscard]] CudaDeviceOptions gpu_options(const Case& c);
[[nodiscard]] LedgerOptions gpu_ledger_options(const Case& c, bool record, ComputeDevice& device);

// What the device says after a repeat.
void add_clock(ComputeDevice& device, Sample& sample);

// Writes twice the size of the device's cache before a repeat, so that it finds nothing there.
class CacheFlush {
 public:
  void flush(ComputeDevice& device, Allocator& memory);

 private:
  Buffer buffer_;
  unsigned char value_ = 0;
};

class GpuArenaBase : public Arena {
 public:
  GpuArenaBase(const Case& c, const PlannedCase& planned, bool record, ComputeDevice& device)
      : case_(c),
        planned_(planned),
        device_(device),
        ledger_(gpu_ledger_options(c, record, device)) {}

  MemoryLedger& ledger() override { return ledger_; }
  void fill() override;
  void poison_output() override;
  HostTensors tensors() override;
  void end_sample(Sample& sample) override;

 protected:
  // Q, K and V on the device.
  struct Whole {
    Tensor q;
    Tensor k;
    Tensor v;
  };
  // What fill() puts on the device before the output.
  virtual void fill_device() = 0;
  [[nodiscard]] Whole upload_inputs();
  // From the device, to be looked at.
  void download_output();

  const Case& case_;
  const PlannedCase& planned_;
  ComputeDevice& device_;
  MemoryLedger ledger_;
  Inputs host_;
  Tensor host_out_;
  Tensor host_lse_;
  Tensor out_;
  Tensor lse_;
};

}  // namespace qb
