// SPDX-License-Identifier: Apache-2.0
// The host's processor as a compute device: every call returns when its work is done.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "harness/run/device/attention_device.h"
#include "harness/run/device/mixer_device.h"
#include "kernels/cpu/layer/layer_parts.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb {

class CpuDevice : public LayerGradientsDevice, public MixerDevice {
 public:
  // The costs of the CPU's kernels, each with this many threads. The work model counts their pairs.
  // Only those of kernel staged depend on a schedule.
  class Costs : public cuda::KernelCosts {
   public:
    explicit Costs(int threads) : threads_(threads) {}
    [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const override {
      return kernel_tiles(kernel, head_dim);
    }
    [[nodiscard]] bool reads_schedule(Kernel kernel) const override {
      return kernel == Kernel::staged;
    }
    [[nodiscard]] cuda::CallCost of_call(Kernel kernel,
                                         const AttentionArguments& a) const override {
      return {.workspace_bytes = kernel_workspace_bytes(
                  kernel, a.q.extent, a.k.extent, a.q.dtype, threads_, a.v.extent.head_dim,
                  kernel == Kernel::staged ? a.schedule->stored_pairs() : -1),
              .executed_pairs = std::nullopt};
    }
    [[nodiscard]] cuda::CallCost of_backward_call(Kernel kernel,
                                                  const BackwardArguments& a) const override {
      return {.workspace_bytes = backward_workspace_bytes(kernel, a.q.extent, a.k.extent, a.q.dtype,
                                                          threads_, a.v.extent.head_dim),
              .executed_pairs = std::nullopt};
    }
    [[nodiscard]] std::int64_t bytes_of_linear(const LinearCall& call) const override {
      return cpu::linear_workspace_bytes(call);
    }
    [[nodiscard]] std::int64_t bytes_of_linear_backward(
        const LinearBackwardCall& call) const override {
      return cpu::linear_backward_workspace_bytes(call);
    }
    [[nodiscard]] std::int64_t bytes_of_norm_backward(const NormBackwardCall& call) const override {
      return cpu::add_norm_backward_workspace_bytes(call);
    }

   private:
    int threads_;
  };

  explicit CpuDevice(int threads)
      : facts_{.name = "CPU",
               .l2_bytes = static_cast<std::uint64_t>(std::max(
                   {::sysconf(_SC_LEVEL2_CACHE_SIZE), ::sysconf(_SC_LEVEL3_CACHE_SIZE), 0L})),
               .on_host = true,
               .host_threads = threads},
        costs_(threads) {}

  [[nodiscard]] const Facts& facts() const override { return facts_; }
  [[nodiscard]] const cuda::KernelCosts& costs() const override { return costs_; }
  [[nodiscard]] std::string_view isa(Kernel kernel, DType) override { return kernel_isa(kernel); }

  void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context,
                 const cuda::OnStage& /*on_stage*/) override {
    qb::attention(kernel, arguments,
                  {context.workspace, facts_.host_threads, context.worker, context.stages});
  }
  void attention_backward(Kernel kernel, const BackwardArguments& arguments,
                          const KernelContext& context) override {
    qb::attention_backward(kernel, arguments,
                           {context.workspace, facts_.host_threads, context.worker});
  }
  void compute_delta(const TensorView& out, const TensorView& d_out,
                     const TensorView& delta) override {
    qb::compute_delta(out, d_out, delta, facts_.host_threads);
  }
  void sink_gradients(const TensorView& lse, const TensorView& delta, const TensorView& sinks,
                      const TensorView& d_sinks) override {
    qb::sink_gradients(lse, delta, sinks, d_sinks);
  }
  void copy_rows(const TensorView& source, const TensorView& destination) override {
    qb::copy_rows(source, destination);
  }
  void clear_rows(const TensorView& rows) override { qb::clear_rows(rows); }
  void add_rows(const TensorView& sum, const TensorView& part) override { qb::add_rows(sum, part); }
  void clear_partial(const TensorView& out, const TensorView& lse) override {
    qb::clear_partial(out, lse);
  }
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override {
    qb::merge_partial(acc_out, acc_lse, part_out, part_lse);
  }
  void combine(const TensorView& target, const TensorView& source, Combine how) override {
    qb::combine(target, source, how);
  }
  void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                     const TensorView& denominator) override {
    qb::weigh_partial(out, lse, maximum, denominator);
  }
  void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                         const TensorView& denominator) override {
    qb::normalise_partial(out, lse, maximum, denominator);
  }
  void linear(const LinearCall& call, Allocator& workspace) override {
    cpu::linear(call, facts_.host_threads, workspace);
  }
  void bias_gelu(const GeluCall& call) override { cpu::bias_gelu(call, facts_.host_threads); }
  void add_norm(const NormCall& call) override { cpu::add_norm(call, facts_.host_threads); }
  void linear_backward(const LinearBackwardCall& call, Allocator& workspace) override {
    cpu::linear_backward(call, facts_.host_threads, workspace);
  }
  void bias_gelu_backward(const GeluBackwardCall& call) override {
    cpu::bias_gelu_backward(call, facts_.host_threads);
  }
  void add_norm_backward(const NormBackwardCall& call, Allocator& workspace) override {
    cpu::add_norm_backward(call, facts_.host_threads, workspace);
  }

  [[nodiscard]] MemorySource memory(AllocatorKind) override { return system_memory(); }
  void upload(const TensorView& host, const TensorView& device) override {
    qb::copy_rows(host, device);
  }
  void download(const TensorView& device, const TensorView& host) override {
    qb::copy_rows(device, host);
  }
  // By all threads, since each core has a cache of its own, too, which a flush writes over.
  void fill(void* device, unsigned char value, std::size_t bytes) override {
    const auto n = static_cast<std::int64_t>(bytes);
    parallel_for(n, threads_for_bytes(n, facts_.host_threads), std::int64_t{1} << 20,
                 [&](std::int64_t begin, std::int64_t end, int) {
                   std::memset(static_cast<std::byte*>(device) + begin, value,
                               static_cast<std::size_t>(end - begin));
                 });
  }

  [[nodiscard]] int mark() override {
    marks_s_.push_back(now_s());
    return static_cast<int>(marks_s_.size()) - 1;
  }
  [[nodiscard]] double seconds(int from, int to, ClockKind /*clock*/) const override {
    return marks_s_[static_cast<std::size_t>(to)] - marks_s_[static_cast<std::size_t>(from)];
  }
  void forget_marks() override { marks_s_.clear(); }

 protected:
  Facts facts_;

 private:
  Costs costs_;
  std::vector<double> marks_s_;
};

}  // namespace qb
