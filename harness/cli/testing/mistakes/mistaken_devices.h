// SPDX-License-Identifier: Apache-2.0
// For tests: devices that compute on the host and make one mistake each.
#pragma once

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/testing/fake_clock.h"
#include "harness/run/testing/device_probe.h"
#include "kernels/cpu/roofline.h"

namespace qb::mistakes {

// A device whose tensors the host may read, with a true clock.
class HonestDevice : public DeviceProbe {
 public:
  std::optional<double> peak_flop_per_s(DType dtype) override {
    return cpu::kernel_peak_flop_per_s(Kernel::flash, dtype, 1);
  }
  cuda::ClockState clock() override { return {1.5e9, 0x0u, true}; }
  int mark() override {
    marks_s_.push_back(now_s());
    return static_cast<int>(marks_s_.size()) - 1;
  }
  double seconds(int from, int to, ClockKind) const override {
    return marks_s_[static_cast<std::size_t>(to)] - marks_s_[static_cast<std::size_t>(from)];
  }
  void forget_marks() override { marks_s_.clear(); }

 protected:
  // In place of its kernels.
  void attend(Kernel kernel, AttentionArguments call, Allocator& memory, int worker) override {
    compute(kernel, call, {memory, 1, worker});
  }
  virtual void compute(Kernel kernel, const AttentionArguments& a, const KernelContext& context) {
    qb::attention(kernel, a, context);
  }

 private:
  std::vector<double> marks_s_;
};

// The scores weigh the values as they are.
class NoExp final : public HonestDevice {
 public:
  void compute(Kernel, const AttentionArguments& a, const KernelContext&) override {
    const std::int64_t group = a.q.extent.heads / a.k.extent.heads;
    for (std::int64_t h = 0; h < a.q.extent.heads; ++h)
      for (std::int64_t i = 0; i < a.q.extent.length; ++i) {
        float* const out = a.out.row_as<float>(0, h, i);
        std::fill_n(out, a.v.extent.head_dim, 0.0f);
        float sum = 0.0f;
        for (std::int64_t j = 0; j < a.k.extent.length; ++j) {
          float score = 0.0f;
          for (std::int64_t x = 0; x < a.q.extent.head_dim; ++x)
            score += a.q.row_as<float>(0, h, i)[x] * a.k.row_as<float>(0, h / group, j)[x];
          score *= static_cast<float>(a.scale);
          sum += score;
          for (std::int64_t x = 0; x < a.v.extent.head_dim; ++x)
            out[x] += score * a.v.row_as<float>(0, h / group, j)[x];
        }
        for (std::int64_t x = 0; x < a.v.extent.head_dim; ++x) out[x] /= sum;
        *a.lse.row_as<float>(0, h, i) = std::log(std::abs(sum));
      }
  }
};

class LostLaunch final : public HonestDevice {
 public:
  void compute(Kernel, const AttentionArguments&, const KernelContext&) override {}
};

// The second half of the rows is not written.
class HalfWritten final : public HonestDevice {
 public:
  void compute(Kernel kernel, const AttentionArguments& a, const KernelContext& context) override {
    const std::int64_t half = a.q.extent.length / 2;
    std::vector<float> before;
    const auto rows = [&](auto visit) {
      for (std::int64_t h = 0; h < a.q.extent.heads; ++h)
        for (std::int64_t i = half; i < a.q.extent.length; ++i) {
          for (std::int64_t x = 0; x < a.v.extent.head_dim; ++x)
            visit(a.out.row_as<float>(0, h, i)[x]);
          visit(*a.lse.row_as<float>(0, h, i));
        }
    };
    rows([&](float& value) { before.push_back(value); });
    HonestDevice::compute(kernel, a, context);
    std::size_t at = 0;
    rows([&](float& value) { value = before[at++]; });
  }
};

// The log-sum-exp has base 2, and the merge takes it for one of base e.
class BaseTwo final : public HonestDevice {
 public:
  void compute(Kernel kernel, const AttentionArguments& a, const KernelContext& context) override {
    HonestDevice::compute(kernel, a, context);
    for (std::int64_t h = 0; h < a.q.extent.heads; ++h)
      for (std::int64_t i = 0; i < a.q.extent.length; ++i)
        *a.lse.row_as<float>(0, h, i) /= std::log(2.0f);
  }
};

class PartialsInBf16 final : public HonestDevice {
 public:
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override {
    std::vector<std::byte> kept(static_cast<std::size_t>(part_out.extent.head_dim * 2));
    for (std::int64_t h = 0; h < part_out.extent.heads; ++h)
      for (std::int64_t i = 0; i < part_out.extent.length; ++i) {
        float* const row = part_out.row_as<float>(0, h, i);
        convert(row, DType::f32, kept.data(), DType::bf16, part_out.extent.head_dim);
        convert(kept.data(), DType::bf16, row, DType::f32, part_out.extent.head_dim);
      }
    HonestDevice::merge_partial(acc_out, acc_lse, part_out, part_lse);
  }
};

// The sink of a head is merged into each partial, and not into the whole row.
class SinkInEachPartial final : public HonestDevice {
 public:
  void upload(const TensorView& host, const TensorView& to) override {
    HonestDevice::upload(host, to);
    if (host.extent.length == 1) sinks_ = to;
  }
  void compute(Kernel kernel, const AttentionArguments& a, const KernelContext& context) override {
    HonestDevice::compute(kernel, a, context);
    const std::vector<float> zeros(static_cast<std::size_t>(a.v.extent.head_dim));
    const TensorView none{const_cast<float*>(zeros.data()), DType::f32, a.out.extent, 0, 0, 0};
    HonestDevice::merge_partial(a.out, a.lse, none,
                                {sinks_.data, DType::f32, a.lse.extent, 0, 1, 0});
  }
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override {
    if (part_out.token_stride != 0)
      HonestDevice::merge_partial(acc_out, acc_lse, part_out, part_lse);
  }

 private:
  TensorView sinks_;
};

// A partial without keys has the log-sum-exp +inf in place of -inf.
class InfiniteSentinel final : public HonestDevice {
 public:
  void clear_partial(const TensorView& out, const TensorView& lse) override {
    HonestDevice::clear_partial(out, lse);
    for (std::int64_t h = 0; h < lse.extent.heads; ++h)
      for (std::int64_t i = 0; i < lse.extent.length; ++i)
        *lse.row_as<float>(0, h, i) = std::numeric_limits<float>::infinity();
  }
};

// In a backward pass a worker computes with the keys of its first block again.
class StaleKeys final : public HonestDevice {
 public:
  void attend_backward(Kernel kernel, BackwardArguments call, Allocator& memory,
                       int worker) override {
    const auto [first, is_new] = first_.try_emplace(worker);
    if (is_new) {
      first->second = Tensor(heap_allocator(), call.k.dtype, call.k.extent, "first_k");
      qb::copy_rows(to_host(call.k), first->second.view());
    }
    call.k = first->second.view();
    HonestDevice::attend_backward(kernel, call, memory, worker);
  }

 private:
  std::map<int, Tensor> first_;
};

// Sums of gradients that arrive from other workers are not added.
class LostGradients final : public HonestDevice {
 public:
  void add_rows(const TensorView&, const TensorView&) override {}
};

// A device whose clock only its own calls move: each takes a second, at half of its peak.
class CountedDevice : public HonestDevice {
 public:
  std::optional<double> peak_flop_per_s(DType) override { return 2.0 * flop_; }

 protected:
  // The first call is the untimed run of the case, which is verified.
  static constexpr int kFirstTimed = 1;
  static constexpr int kSecond = 8;  // in eighths
  virtual int eighths(int /*call*/) { return kSecond; }

 private:
  void compute(Kernel kernel, const AttentionArguments& a, const KernelContext& context) final {
    HonestDevice::compute(kernel, a, context);
    testing_support::FakeClock::advance_eighths(eighths(calls_++));
    flop_ = 4.0 * static_cast<double>(a.q.extent.elements() * a.k.extent.length);
  }
  int calls_ = 0;
  double flop_ = 0.0;
};

// The first timed call compiles; the verified one before it did so too, in another cache.
class CompilesInTime final : public CountedDevice {
  int eighths(int call) override { return call == kFirstTimed ? 10 * kSecond : kSecond; }
};

// Work is only enqueued, and wait() returns at once, except before the output is verified.
class EarlyClock final : public CountedDevice {
  int eighths(int call) override { return call < kFirstTimed ? kSecond : 1; }
};

// A call takes twice as long after the cache was flushed.
class Cached : public CountedDevice {
 public:
  void fill(void* device, unsigned char value, std::size_t bytes) override {
    HonestDevice::fill(device, value, bytes);
    cold_ = flushes();
  }

 protected:
  virtual bool flushes() const { return true; }

 private:
  int eighths(int /*call*/) override { return std::exchange(cold_, false) ? 2 * kSecond : kSecond; }
  bool cold_ = false;
};

// What it writes over the cache is too small, or goes past the cache.
class FlushesNothing final : public Cached {
  bool flushes() const override { return false; }
};

class Throttled final : public HonestDevice {
 public:
  cuda::ClockState clock() override { return {1.2e9, 0x8u, true}; }
};

}  // namespace qb::mistakes
