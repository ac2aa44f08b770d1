// SPDX-License-Identifier: Apache-2.0
// A device that executors give work to: the host's processor (cpu_device.h), a GPU
// (cuda_device.cpp), or one that only reports what the work would take (device_rehearsal.h).
//
// Work is enqueued and done in order; callers wait for it only in the functions that say so.
// Tensors are in the device's memory. Freed memory may be handed out again at once, since only
// later work will use it. Only operations on rows of a device on the host are thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/words.h"
#include "harness/execute/memory/block_allocator.h"
#include "harness/execute/memory/system_memory.h"
#include "harness/execute/transport/device_link.h"
#include "kernels/attention.h"
#include "kernels/attention_backward.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/kernel_costs.h"
#include "kernels/cuda/runtime/clocks.h"
#include "kernels/reduction.h"

namespace qb {

struct GeluBackwardCall;
struct GeluCall;
struct LinearBackwardCall;
struct LinearCall;
struct NormBackwardCall;
struct NormCall;

enum class ClockKind {
  synchronized,    // device events for parts; the wall clock waits for the device
  unsynchronized,  // the host's clock without waiting, as published; not the real time
  cpu,             // the CPU time of a case of one thread, which waits for cores do not change
};

template <>
inline constexpr auto kWords<ClockKind> =
    word_table<ClockKind>("clock", {{ClockKind::synchronized, "synchronized"},
                                    {ClockKind::unsynchronized, "unsynchronized"},
                                    {ClockKind::cpu, "cpu"}});

[[nodiscard]] inline TensorView rows_of(const TensorView& whole, const TokenGroup& group) {
  return whole.tokens(group.first, group.count, group.stride);
}

class ComputeDevice {
 public:
  struct Facts {
    std::string name{};
    std::uint64_t l2_bytes = 0;  // of the cache before its memory; 0: not known
    std::string id{};            // identifies this device on any host
    bool on_host = false;  // its tensors are in the host's memory; a call returns when it is done
    int host_threads = 1;  // threads for the host's own work besides kernels
  };
  // A call whose schedules are on the device already. It can run any number of times.
  struct Prepared {
    std::function<void()> attend;  // computes the partials of all its workers
    std::function<void()> merge;   // merges partials into the output
  };
  // Does what attention() does with a schedule that is on the device already, any number of times,
  // for tensors of the same shapes, strides and alignment. It ignores the arguments' schedule.
  using KeptSchedule = std::function<void(const AttentionArguments&, Allocator& workspace)>;
  // Does so for attention_backward().
  using KeptBackward = std::function<void(const BackwardArguments&, Allocator& workspace)>;

  virtual ~ComputeDevice() = default;
  [[nodiscard]] virtual const Facts& facts() const = 0;
  // What its kernels take and compute, known before they run.
  [[nodiscard]] virtual const cuda::KernelCosts& costs() const = 0;
  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const {
    return costs().tiles(kernel, head_dim);
  }

  // Throws Unsupported if the device has no such kernel, and names the nearest. A device whose
  // kernels refuse such calls need not check here.
  virtual void require(Kernel /*kernel*/, DType /*dtype*/, std::int64_t /*head_dim*/) const {}
  // Returns false if attention() reads nothing of a schedule, which may be null then.
  [[nodiscard]] virtual bool reads_schedule(Kernel /*kernel*/) const { return true; }
  // Waits. Returns the FLOP/s of the fastest matrix product of that type seen on the device,
  // measured on the first call; nullopt if it cannot be measured.
  [[nodiscard]] virtual std::optional<double> peak_flop_per_s(DType /*dtype*/) {
    return std::nullopt;
  }
  // Names what the kernel runs on, for the isa column.
  [[nodiscard]] virtual std::string_view isa(Kernel kernel, DType dtype) = 0;

  // A device on the host times the stages of kernel staged in context.stages, other devices in
  // on_stage; either may be empty.
  virtual void attention(Kernel kernel, const AttentionArguments& arguments,
                         const KernelContext& context, const cuda::OnStage& on_stage) = 0;
  // The backward pass of a kernel (kernels/attention_backward.h): adds to dQ, dK and dV.
  virtual void attention_backward(Kernel kernel, const BackwardArguments& arguments,
                                  const KernelContext& context) = 0;
  // delta[i] = Σ_e dO[i,e]·O[i,e]: one number per query row, read by the backward pass.
  virtual void compute_delta(const TensorView& out, const TensorView& d_out,
                             const TensorView& delta) = 0;
  // Kernel flash only. The call may be destroyed once this has returned. By default each worker is
  // a call of attention() on rows that are gathered for it.
  [[nodiscard]] virtual Prepared prepare(const cuda::GroupedCall& call, Allocator& workspace);
  // Does not read the tensors; the schedule may be destroyed afterwards. Returns an empty function
  // if the kernel keeps nothing (all but flash on a GPU): attention() costs no more then.
  [[nodiscard]] virtual KeptSchedule keep_schedule(Kernel /*kernel*/,
                                                   const AttentionArguments& /*arguments*/,
                                                   Allocator& /*memory*/, int /*worker*/) {
    return {};
  }
  // Does so for attention_backward().
  [[nodiscard]] virtual KeptBackward keep_backward_schedule(Kernel /*kernel*/,
                                                            const BackwardArguments& /*arguments*/,
                                                            Allocator& /*memory*/, int /*worker*/) {
    return {};
  }
  // Copies the rows of all groups into `local`, in order. On the host, threads share the work.
  void gather(const std::vector<TokenGroup>& groups, const TensorView& whole,
              const TensorView& local);
  // Copies between views of one shape, also from f32 into f16 or bf16.
  virtual void copy_rows(const TensorView& source, const TensorView& destination) = 0;
  virtual void clear_partial(const TensorView& out, const TensorView& lse) = 0;
  virtual void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                             const TensorView& part_out, const TensorView& part_lse) = 0;

  // Sums of gradients: kernels/merge.h.
  virtual void clear_rows(const TensorView& rows) = 0;
  virtual void add_rows(const TensorView& sum, const TensorView& part) = 0;

  // See kernels/reduction.h.
  virtual void combine(const TensorView& target, const TensorView& source, Combine how) = 0;
  virtual void weigh_partial(const TensorView& out, const TensorView& lse,
                             const TensorView& maximum, const TensorView& denominator) = 0;
  virtual void normalise_partial(const TensorView& out, const TensorView& lse,
                                 const TensorView& maximum, const TensorView& denominator) = 0;

  // These are the rest of a transformer layer (kernels/layer_call.h). Libraries use the workspace.
  virtual void linear(const LinearCall& call, Allocator& workspace) = 0;
  virtual void bias_gelu(const GeluCall& call) = 0;
  virtual void add_norm(const NormCall& call) = 0;
  // Their backward passes add to the gradients of weights, biases and norms.
  virtual void linear_backward(const LinearBackwardCall& /*call*/, Allocator& /*workspace*/) {
    refuse_backward_pass();
  }
  virtual void bias_gelu_backward(const GeluBackwardCall& /*call*/) { refuse_backward_pass(); }
  virtual void add_norm_backward(const NormBackwardCall& /*call*/, Allocator& /*workspace*/) {
    refuse_backward_pass();
  }

  [[nodiscard]] virtual MemorySource memory(AllocatorKind kind) = 0;
  // These copy contiguous tensors of one shape. upload() may return early; download() waits.
  virtual void upload(const TensorView& host, const TensorView& device) = 0;
  virtual void download(const TensorView& device, const TensorView& host) = 0;
  virtual void fill(void* device, unsigned char value, std::size_t bytes) = 0;
  // Between the two calls every allocation on the device is recorded, those of libraries too. The
  // second returns the most bytes held at once, or nullopt if the device does not report it.
  virtual void watch_memory() {}
  [[nodiscard]] virtual std::optional<std::uint64_t> watched_peak_bytes() { return std::nullopt; }
  // Waits. Returns how fast the device ran just now.
  [[nodiscard]] virtual cuda::ClockState clock() { return {}; }

  // Marks the point after all work enqueued so far; marks are numbered from 0.
  [[nodiscard]] virtual int mark() = 0;
  // These two throw what went wrong on the device.
  [[nodiscard]] virtual bool has_passed(int /*mark*/) { return true; }
  virtual void wait() {}
  // Returns the time between two marks, after wait(): by the device's clock, or (unsynchronized)
  // between the moments at which they were set, by the host's clock.
  [[nodiscard]] virtual double seconds(int from, int to, ClockKind clock) const = 0;
  virtual void forget_marks() = 0;

  // These do what new_nccl_id() and open_nccl_link() do: see transport/device_link.h.
  [[nodiscard]] virtual std::string make_link_id() {
    throw Unsupported("this device has no link to others");
  }
  [[nodiscard]] virtual std::unique_ptr<DeviceLink> open_link(const std::string& /*id*/,
                                                              int /*rank*/, int /*ranks*/,
                                                              double /*timeout_s*/) {
    throw Unsupported("this device has no link to others");
  }

  // Turns what `enqueue` enqueues into one launch: a CUDA graph. It may not allocate, mark or wait,
  // and has run once before: CUDA loads a kernel at its first launch, which a capture may forbid.
  [[nodiscard]] virtual std::function<void()> record(const std::function<void()>& enqueue) {
    return enqueue;
  }

 private:
  [[noreturn]] static void refuse_backward_pass() {
    throw Unsupported("this device has no backward pass; the nearest is the CPU's");
  }
};

// Opens the ordinal-th GPU that the process sees. force_sm80: flash uses nothing newer than the
// A100. Throws Unsupported if this build has no CUDA or the kernels do not run on the GPU.
[[nodiscard]] std::unique_ptr<ComputeDevice> open_cuda_device(bool force_sm80 = false,
                                                              int ordinal = 0);

}  // namespace qb
