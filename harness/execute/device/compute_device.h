// A device that the executor of device: cuda gives work to. One implementation drives a GPU
// (cuda_device.h), the other is the tests' (host_compute_device.h).
//
// Work is enqueued and done in order; nothing is waited for but in wait(). Tensors are in the
// device's memory. What is given back to the allocator may be handed out again at once, since only
// later work will use it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "harness/execute/memory/block_keeper.h"
#include "harness/execute/memory/system_memory.h"
#include "harness/execute/transport/device_link.h"
#include "kernels/attention.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/kernel_costs.h"
#include "kernels/cuda/runtime/clock_reasons.h"
#include "kernels/reduction.h"

namespace qb {

struct GeluCall;
struct LinearCall;
struct NormCall;

// A call whose schedules are on the device already, to be run any number of times.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  virtual void attend() = 0;  // partials of all its workers
  virtual void merge() = 0;   // partials to output
};

// What a kernel reads of a call beside its tensors, on the device once for any number of calls
// whose tensors have the same shapes, strides and alignment.
class KeptSchedule {
 public:
  virtual ~KeptSchedule() = default;
  // ComputeDevice::attention() but that the schedule is not looked at.
  virtual void attend(const AttentionArguments& arguments, Allocator& workspace) = 0;
};

struct DeviceFacts {
  std::string name;
  std::uint64_t l2_bytes = 0;
  std::string id{};  // of this one device, on any host
};

class ComputeDevice {
 public:
  virtual ~ComputeDevice() = default;
  [[nodiscard]] virtual const DeviceFacts& facts() const = 0;

  // Throws Unsupported where the device has no such kernel, naming the nearest.
  virtual void require(Kernel kernel, DType dtype, std::int64_t head_dim) const = 0;
  [[nodiscard]] virtual KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const = 0;
  // What its kernels take and compute, told before they run.
  [[nodiscard]] virtual const cuda::KernelCosts& costs() const = 0;
  // Waits. The fastest product of matrices of that type that the device was seen to make; measured
  // when it is first asked for. Nothing where it cannot be measured.
  [[nodiscard]] virtual std::optional<double> peak_flop_per_s(DType dtype) = 0;
  // What the kernel runs on, for the isa column.
  [[nodiscard]] virtual std::string_view isa(Kernel kernel, DType dtype) = 0;

  // on_stage: of kernel staged only.
  virtual void attention(Kernel kernel, const AttentionArguments& arguments, Allocator& workspace,
                         int worker, const cuda::OnStage& on_stage) = 0;
  // flash only. The call may go once this has returned.
  [[nodiscard]] virtual std::unique_ptr<PreparedCall> prepare(const cuda::GroupedCall& call,
                                                              Allocator& workspace) = 0;
  // Of the call's tensors nothing is read; the schedule may go once this has returned. Null where
  // the kernel keeps nothing (all but flash): then attention() costs no more.
  [[nodiscard]] virtual std::unique_ptr<KeptSchedule> keep_schedule(
      Kernel kernel, const AttentionArguments& arguments, Allocator& memory, int worker) = 0;
  virtual void copy_rows(const TensorView& source, const TensorView& destination) = 0;
  virtual void clear_partial(const TensorView& out, const TensorView& lse) = 0;
  virtual void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                             const TensorView& part_out, const TensorView& part_lse) = 0;

  // See kernels/reduction.h.
  virtual void combine(const TensorView& target, const TensorView& source, Combine how) = 0;
  virtual void weigh_partial(const TensorView& out, const TensorView& lse,
                             const TensorView& maximum, const TensorView& denominator) = 0;
  virtual void normalise_partial(const TensorView& out, const TensorView& lse,
                                 const TensorView& maximum, const TensorView& denominator) = 0;

  // What a transformer layer computes beside attention (kernels/layer_call.h); a product takes what
  // its library needs from the workspace.
  virtual void linear(const LinearCall& /*call*/, Allocator& /*workspace*/) { refuse_layers(); }
  virtual void bias_gelu(const GeluCall& /*call*/) { refuse_layers(); }
  virtual void add_norm(const NormCall& /*call*/) { refuse_layers(); }
  // From f32 into f16 or bf16, between views of one shape.
  virtual void narrow_rows(const TensorView& /*source*/, const TensorView& /*destination*/) {
    refuse_layers();
  }

  // Where a ledger over this device's memory takes its segments from.
  [[nodiscard]] virtual MemorySource memory(AllocatorKind kind) = 0;
  // Between contiguous tensors of one shape. The first may return before the device has the bytes,
  // the second waits.
  virtual void upload(const TensorView& host, const TensorView& device) = 0;
  virtual void download(const TensorView& device, const TensorView& host) = 0;
  virtual void fill(void* device, unsigned char value, std::size_t bytes) = 0;
  // Between the two calls every allocation on the device is recorded, those of libraries too. The
  // second gives the most bytes held at once; nothing where the device does not tell.
  virtual void watch_memory() {}
  [[nodiscard]] virtual std::optional<std::uint64_t> watched_peak_bytes() { return std::nullopt; }
  // Waits. How fast the device ran just now.
  [[nodiscard]] virtual cuda::ClockState clock() = 0;

  // A point after all that was enqueued so far; numbers count from 0.
  [[nodiscard]] virtual int mark() = 0;
  // True once the work before the mark is done. Throws what went wrong on the device.
  [[nodiscard]] virtual bool has_passed(int mark) = 0;
  // Until all that was enqueued is done. Throws what went wrong on the device.
  virtual void wait() = 0;
  // Between two marks, by the device's clock; after wait().
  [[nodiscard]] virtual double device_seconds(int from, int to) const = 0;
  // Between the moments at which they were set, by the host's clock: what a program measures that
  // does not wait for the device.
  [[nodiscard]] virtual double host_seconds(int from, int to) const = 0;
  virtual void forget_marks() = 0;

  // For several devices that play together, each in a process of its own: what one of them makes
  // and all are given, then the way to the others. The second is collective over the ranks 0 …
  // ranks - 1; it throws CaseError, also where not all come within timeout_s.
  [[nodiscard]] virtual std::string make_link_id() {
    throw Unsupported("this device has no link to others");
  }
  [[nodiscard]] virtual std::unique_ptr<DeviceLink> open_link(const std::string& /*id*/,
                                                              int /*rank*/, int /*ranks*/,
                                                              double /*timeout_s*/) {
    throw Unsupported("this device has no link to others");
  }

  // What `enqueue` enqueues, as one thing to launch: a CUDA graph. It may not allocate, mark or
  // wait.
  [[nodiscard]] virtual std::function<void()> record(const std::function<void()>& enqueue) = 0;

 private:
  [[noreturn]] static void refuse_layers() {
    throw Unsupported("this device computes no transformer layer");
  }
};

}  // namespace qb
