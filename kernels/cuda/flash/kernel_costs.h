// What the kernels of a device take and compute for a call, told without the device: for the
// predicted columns, which stand beside the measured ones.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cuda/cuda_kernels.h"

namespace qb {
struct LinearCall;
}

namespace qb::cuda {

// Empty: not known before the call is made.
struct CallCost {
  std::optional<std::int64_t> workspace_bytes;  // at the peak, as a ledger counts them
  std::int64_t list_bytes = 0;                  // of these, what FlashLists takes
  std::optional<std::int64_t> executed_pairs;   // over the heads of one sequence
};

class KernelCosts {
 public:
  virtual ~KernelCosts() = default;
  // As ComputeDevice's.
  [[nodiscard]] virtual KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const = 0;
  // Of a call, or of a flash launch that is kept. Of the views nothing is read but shapes, strides
  // and alignment. Throw Unsupported as the kernel does.
  [[nodiscard]] virtual CallCost of_call(Kernel kernel,
                                         const AttentionArguments& arguments) const = 0;
  [[nodiscard]] virtual CallCost of_launch(const GroupedCall& call) const = 0;
  // What a product of a transformer layer takes from the workspace.
  [[nodiscard]] virtual std::int64_t bytes_of_linear(const LinearCall& call) const = 0;
};

// The kernels of this folder on a GPU of `n_sms` multiprocessors. 0: not known, and with it not the
// memory of flash, which splits long tiles until the device is full. What cuDNN takes and computes
// is its own affair: its workspace is asked for when a plan is made, its tiles nobody tells.
class GpuKernelCosts final : public KernelCosts {
 public:
  GpuKernelCosts(FlashPath path, int n_sms) : path_(path), n_sms_(n_sms) {}
  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const override;
  [[nodiscard]] CallCost of_call(Kernel kernel, const AttentionArguments& arguments) const override;
  [[nodiscard]] CallCost of_launch(const GroupedCall& call) const override;
  [[nodiscard]] std::int64_t bytes_of_linear(const LinearCall& call) const override;

 private:
  FlashPath path_;
  int n_sms_;
};

// One worker over all of the arguments' rows.
[[nodiscard]] GroupedCall whole_call(const AttentionArguments& arguments, int worker);

}  // namespace qb::cuda
