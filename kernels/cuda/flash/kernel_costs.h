// SPDX-License-Identifier: Apache-2.0
// Predicts what memory the kernels of a device take and how many pairs they compute for a call,
// without the device. The predicted columns come from here.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/attention_backward.h"
#include "kernels/cuda/cuda_kernels.h"

namespace qb {
struct LinearBackwardCall;
struct LinearCall;
struct NormBackwardCall;
}  // namespace qb

namespace qb::cuda {

// Predicts a call. An empty value is not known before the call is made.
struct CallCost {
  std::optional<std::int64_t> workspace_bytes;  // at the peak, as a ledger counts it
  std::int64_t list_bytes = 0;                  // part of it that the lists of flash take
  std::optional<std::int64_t> executed_pairs;   // over the heads of one sequence
};

class KernelCosts {
 public:
  virtual ~KernelCosts() = default;
  // Returns the tiles that schedules are cut to.
  [[nodiscard]] virtual KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const = 0;
  // Returns false where of_call() does not read the schedule, which may then be null.
  [[nodiscard]] virtual bool reads_schedule(Kernel /*kernel*/) const { return true; }
  // These predict a call, or a flash launch that is kept (empty where a device launches one worker
  // at a time: each is then a call). They read only shapes, strides and alignment of the views, and
  // throw Unsupported as the kernel does.
  [[nodiscard]] virtual CallCost of_call(Kernel kernel,
                                         const AttentionArguments& arguments) const = 0;
  [[nodiscard]] virtual std::optional<CallCost> of_launch(const GroupedCall& /*call*/) const {
    return std::nullopt;
  }
  // Predicts a call of the kernel's backward pass, which reads as of_call() does.
  [[nodiscard]] virtual CallCost of_backward_call(Kernel kernel,
                                                  const BackwardArguments& arguments) const = 0;
  // These return the bytes that parts of a transformer layer take from the workspace; those of the
  // backward pass throw Unsupported where there is none.
  [[nodiscard]] virtual std::int64_t bytes_of_linear(const LinearCall& call) const = 0;
  [[nodiscard]] virtual std::int64_t bytes_of_linear_backward(
      const LinearBackwardCall& call) const = 0;
  [[nodiscard]] virtual std::int64_t bytes_of_norm_backward(const NormBackwardCall& call) const = 0;
};

// Predicts the kernels of this folder on a GPU of `n_sms` multiprocessors; 0 means not known. Then
// the memory of flash, which splits long tiles until the device is full, is not known either.
class GpuKernelCosts final : public KernelCosts {
 public:
  GpuKernelCosts(FlashPath path, int n_sms) : path_(path), n_sms_(n_sms) {}
  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const override;
  [[nodiscard]] CallCost of_call(Kernel kernel, const AttentionArguments& arguments) const override;
  [[nodiscard]] std::optional<CallCost> of_launch(const GroupedCall& call) const override;
  [[nodiscard]] CallCost of_backward_call(Kernel kernel,
                                          const BackwardArguments& arguments) const override;
  [[nodiscard]] std::int64_t bytes_of_linear(const LinearCall& call) const override;
  [[nodiscard]] std::int64_t bytes_of_linear_backward(
      const LinearBackwardCall& call) const override;
  [[nodiscard]] std::int64_t bytes_of_norm_backward(const NormBackwardCall& call) const override;

 private:
  FlashPath path_;
  int n_sms_;
};

// Returns the call of one worker over all rows of the arguments.
[[nodiscard]] GroupedCall whole_call(const AttentionArguments& arguments, int worker);

}  // namespace qb::cuda
