// The host's processor as a compute device: its tensors are in the host's memory, and every call
// returns when its work is done.
#pragma once

#include <vector>

#include "harness/execute/device/compute_device.h"

namespace qb {

// The costs of the CPU's kernels, each with this many threads. The work model counts their pairs.
// Only those of kernel staged depend on a schedule.
class CpuKernelCosts : public cuda::KernelCosts {
 public:
  explicit CpuKernelCosts(int threads) : threads_(threads) {}
  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const override {
    return kernel_tiles(kernel, head_dim);
  }
  [[nodiscard]] bool reads_schedule(Kernel kernel) const override {
    return kernel == Kernel::staged;
  }
  [[nodiscard]] cuda::CallCost of_call(Kernel kernel,
                                       const AttentionArguments& arguments) const override;
  // The CPU launches no workers together.
  [[nodiscard]] cuda::CallCost of_launch(const cuda::GroupedCall& call) const override;
  [[nodiscard]] std::int64_t bytes_of_linear(const LinearCall& /*call*/) const override {
    return 0;
  }

 private:
  int threads_;
};

// Layers must be float32 on this device.
class CpuDevice : public ComputeDevice {
 public:
  explicit CpuDevice(int threads)
      : facts_{.name = "CPU", .on_host = true, .host_threads = threads}, costs_(threads) {}

  [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
  [[nodiscard]] const cuda::KernelCosts& costs() const override { return costs_; }
  [[nodiscard]] std::string_view isa(Kernel kernel, DType) override { return kernel_isa(kernel); }

  void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context,
                 const cuda::OnStage& on_stage) override;
  void copy_rows(const TensorView& source, const TensorView& destination) override;
  void clear_partial(const TensorView& out, const TensorView& lse) override;
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override;
  void combine(const TensorView& target, const TensorView& source, Combine how) override;
  void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                     const TensorView& denominator) override;
  void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                         const TensorView& denominator) override;
  void linear(const LinearCall& call, Allocator& workspace) override;
  void bias_gelu(const GeluCall& call) override;
  void add_norm(const NormCall& call) override;

  [[nodiscard]] MemorySource memory(AllocatorKind) override { return system_memory(); }
  void upload(const TensorView& host, const TensorView& device) override;
  void download(const TensorView& device, const TensorView& host) override;
  void fill(void* device, unsigned char value, std::size_t bytes) override;

  [[nodiscard]] int mark() override;
  [[nodiscard]] double seconds(int from, int to, ClockKind clock) const override;
  void forget_marks() override { marks_s_.clear(); }

 protected:
  DeviceFacts facts_;

 private:
  CpuKernelCosts costs_;
  std::vector<double> marks_s_;
};

}  // namespace qb
