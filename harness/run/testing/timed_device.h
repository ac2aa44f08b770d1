// SPDX-License-Identifier: Apache-2.0
// For tests only: a CPU whose work takes whole seconds of a FakeClock, and nothing else takes time.
#pragma once

#include "base/testing/fake_clock.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/runner/executor.h"

namespace qb {

// A time that such a device took tells how often it did what.
class TimedDevice final : public CpuDevice {
 public:
  static constexpr std::int64_t kKernel_s = 100'000'000;
  static constexpr std::int64_t kMerge_s = 10'000;
  static constexpr std::int64_t kCopy_s = 1;

  using CpuDevice::CpuDevice;

  void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context,
                 const cuda::OnStage& on_stage) override {
    CpuDevice::attention(kernel, arguments, context, on_stage);
    testing_support::FakeClock::advance(kKernel_s);
  }
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override {
    CpuDevice::merge_partial(acc_out, acc_lse, part_out, part_lse);
    testing_support::FakeClock::advance(kMerge_s);
  }
  void copy_rows(const TensorView& source, const TensorView& destination) override {
    CpuDevice::copy_rows(source, destination);
    testing_support::FakeClock::advance(kCopy_s);
  }
};

// How often a device did what, read from a time.
struct WorkDone {
  explicit WorkDone(double seconds)
      : kernels(static_cast<std::int64_t>(seconds) / TimedDevice::kKernel_s),
        merges(static_cast<std::int64_t>(seconds) % TimedDevice::kKernel_s / TimedDevice::kMerge_s),
        copies(static_cast<std::int64_t>(seconds) % TimedDevice::kMerge_s) {}
  std::int64_t kernels;
  std::int64_t merges;
  std::int64_t copies;
};

[[nodiscard]] inline std::unique_ptr<AttentionDevice> open_timed_device(int threads) {
  return std::make_unique<TimedDevice>(threads);
}

}  // namespace qb
