// SPDX-License-Identifier: Apache-2.0
// A device that executors and workloads give work to: the host's processor (cpu_device.h), a GPU
// (cuda_device.cpp), or one that only reports what the work would take (device_rehearsal.h).
//
// What every device can do is here: it has memory, a clock, and operations on rows of tensors. What
// it may be able to compute is a facet, an interface of its own: attention_device.h,
// mixer_device.h, LinkedDevice. A workload asks for the facet that it needs, with as().
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
#include "harness/run/memory/block_allocator.h"
#include "harness/run/memory/system_memory.h"
#include "kernels/attention.h"
#include "kernels/cuda/flash/kernel_costs.h"
#include "kernels/cuda/runtime/clocks.h"
#include "kernels/merge.h"

namespace qb {

class DeviceLink;

enum class ClockKind {
  synchronized,    // device events for parts; the wall clock waits for the device
  unsynchronized,  // the host's clock without waiting, as published; not the real time
  cpu,             // the CPU time of a case of one thread, which waits for cores do not change
};

QB_WORDS(ClockKind, "clock", synchronized, unsynchronized, cpu);

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

  virtual ~ComputeDevice() = default;
  [[nodiscard]] virtual const Facts& facts() const = 0;
  // What its kernels take and compute, known before they run.
  [[nodiscard]] virtual const cuda::KernelCosts& costs() const = 0;
  // Waits. Returns the FLOP/s of the fastest matrix product of that type seen on the device,
  // measured on the first call; nullopt if it cannot be measured.
  [[nodiscard]] virtual std::optional<double> peak_flop_per_s(DType /*dtype*/) {
    return std::nullopt;
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

  // Marks the point after all work enqueued so far; marks are numbered from 0.
  [[nodiscard]] virtual int mark() = 0;
  // These two throw what went wrong on the device.
  [[nodiscard]] virtual bool has_passed(int /*mark*/) { return true; }
  virtual void wait() {}
  // Returns the time between two marks, after wait(): by the device's clock, or (unsynchronized)
  // between the moments at which they were set, by the host's clock.
  [[nodiscard]] virtual double seconds(int from, int to, ClockKind clock) const = 0;
  virtual void forget_marks() = 0;
  // Waits. Returns how fast the device ran just now.
  [[nodiscard]] virtual cuda::ClockState clock() { return {}; }

  // Copies between views of one shape, also from f32 into f16 or bf16.
  virtual void copy_rows(const TensorView& source, const TensorView& destination) = 0;
  // Sums and partials: kernels/merge.h.
  virtual void clear_rows(const TensorView& rows) = 0;
  virtual void add_rows(const TensorView& sum, const TensorView& part) = 0;
  virtual void clear_partial(const TensorView& out, const TensorView& lse) = 0;
  virtual void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                             const TensorView& part_out, const TensorView& part_lse) = 0;
  // See kernels/merge.h.
  virtual void combine(const TensorView& target, const TensorView& source, Combine how) = 0;
  virtual void weigh_partial(const TensorView& out, const TensorView& lse,
                             const TensorView& maximum, const TensorView& denominator) = 0;
  virtual void normalise_partial(const TensorView& out, const TensorView& lse,
                                 const TensorView& maximum, const TensorView& denominator) = 0;
  // Copies the rows of all groups into `local`, in order. On the host, threads share the work.
  void gather(const std::vector<TokenGroup>& groups, const TensorView& whole,
              const TensorView& local);
  // Turns what `enqueue` enqueues into one launch: a CUDA graph. It may not allocate, mark or wait,
  // and has run once before: CUDA loads a kernel at its first launch, which a capture may forbid.
  [[nodiscard]] virtual std::function<void()> record(const std::function<void()>& enqueue) {
    return enqueue;
  }

  // The device as one that has this facet. Throws Unsupported, with the facet's sentence, where it
  // has not.
  template <class Facet>
  [[nodiscard]] Facet& as() {
    if (auto* const facet = dynamic_cast<Facet*>(this)) return *facet;
    throw Unsupported(std::string(Facet::kMissing));
  }
};

// A device with a link to those of other ranks.
class LinkedDevice : public virtual ComputeDevice {
 public:
  static constexpr std::string_view kMissing = "this device has no link to others";

  // These do what new_nccl_id() and open_nccl_link() do: see transport/device_link.h.
  [[nodiscard]] virtual std::string make_link_id() = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceLink> open_link(const std::string& id, int rank,
                                                              int ranks, double timeout_s) = 0;
};

// Opens the ordinal-th GPU that the process sees. force_sm80: flash uses nothing newer than the
// A100. Throws Unsupported if this build has no CUDA or the kernels do not run on the GPU.
[[nodiscard]] std::unique_ptr<ComputeDevice> open_cuda_device(bool force_sm80 = false,
                                                              int ordinal = 0);

}  // namespace qb
