// The CPU's device in the place of a GPU, for tests: it launches groups of workers, keeps
// schedules, and computes layers of 16 bits. Its clocks count operations, its addresses may be such
// as the host cannot touch, and it can be told to break.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "harness/execute/device/cpu_device.h"
#include "kernels/cpu/layer_parts.h"
#include "kernels/layer_call.h"
#include "kernels/merge.h"

namespace qb {

// Addresses of a device may have a bit that no address of the host has: to read or write there from
// anything but the device's operations is a segmentation fault.
inline constexpr std::uintptr_t kOnDevice = std::uintptr_t{1} << 55;

inline void* to_device(void* host) {
  return host == nullptr
             ? nullptr
             : reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(host) | kOnDevice);
}
inline void* to_host(const void* device) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(device) & ~kOnDevice);
}
inline TensorView to_host(TensorView view) {
  view.data = to_host(view.data);
  return view;
}

// Costs of the CPU's kernels on one thread, of schedules that are kept, and of the launches below.
class HostKernelCosts final : public CpuDevice::Costs {
 public:
  HostKernelCosts() : CpuDevice::Costs(1) {}
  [[nodiscard]] bool reads_schedule(Kernel) const override { return true; }
  [[nodiscard]] cuda::CallCost of_call(Kernel kernel, const AttentionArguments& a) const override {
    cuda::CallCost cost = CpuDevice::Costs::of_call(kernel, a);
    const Extent& q = a.q.extent;
    cost.executed_pairs = q.heads * q.length * a.k.extent.length;
    if (kernel != Kernel::flash) return cost;
    cost.list_bytes = a.schedule->bytes();
    *cost.workspace_bytes += cost.list_bytes;
    cost.executed_pairs = pairs_of(q.heads, q.head_dim, *a.schedule);
    return cost;
  }
  [[nodiscard]] std::int64_t bytes_of_linear(const LinearCall& call) const override {
    return call.rows * call.out * size_of(call.dtype);
  }
  [[nodiscard]] cuda::CallCost of_launch(const cuda::GroupedCall& call) const override {
    std::int64_t bytes = 0;
    std::int64_t pairs = 0;
    for (const cuda::GroupedWorker& worker : call.workers) {
      const std::int64_t end = worker.head_end == 0 ? call.q.extent.heads : worker.head_end;
      const std::int64_t heads = end - worker.head_begin;
      const std::int64_t rows = call.q.extent.batch * heads * worker.schedule->n_queries;
      bytes += rows * (call.out.extent.head_dim + 1) * size_of(DType::f32);
      pairs += pairs_of(heads, call.q.extent.head_dim, *worker.schedule);
    }
    return {.workspace_bytes = bytes, .executed_pairs = pairs};
  }

 private:
  [[nodiscard]] std::int64_t pairs_of(std::int64_t heads, std::int64_t head_dim,
                                      const TileSchedule& schedule) const {
    const KernelTiles kernel = tiles(Kernel::flash, head_dim);
    return heads * schedule.executed_pairs(kernel.key_step, kernel.row_group, kernel.row_cost);
  }
};

class HostComputeDevice : public CpuDevice {
 public:
  // Of one byte an element.
  static constexpr double kPeakFlopPerS = 8e15;

  HostComputeDevice() : CpuDevice(1) {
    facts_ = {.name = "a host that plays a GPU", .l2_bytes = 1 << 16};
  }
  // From the `operation`-th on (counting from 1) every operation and wait fails, as after an
  // illegal access.
  void lose_at(int operation) { lost_at_ = operation; }
  void name_as(std::string name, std::string id) {
    facts_.name = std::move(name);
    facts_.id = std::move(id);
  }
  void on_fill(std::function<void()> function) { on_fill_ = std::move(function); }
  void on_peak(std::function<void()> function) { on_peak_ = std::move(function); }
  [[nodiscard]] int operations() const { return operations_; }
  [[nodiscard]] int launches() const { return launches_; }
  [[nodiscard]] int schedules_kept() const { return schedules_kept_; }

  [[nodiscard]] const cuda::KernelCosts& costs() const override { return costs_; }
  void require(Kernel kernel, DType dtype, std::int64_t head_dim) const override {
    if (kernel == Kernel::flash && dtype == DType::f64)
      throw Unsupported("kernel flash takes no f64 inputs; the nearest is f32");
    if (head_dim > 256) throw Unsupported("head_dim is above 256");
  }
  [[nodiscard]] std::optional<double> peak_flop_per_s(DType dtype) override {
    if (on_peak_) on_peak_();
    return kPeakFlopPerS / static_cast<double>(size_of(dtype));
  }
  [[nodiscard]] std::string_view isa(Kernel, DType) override { return "host"; }

  void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context,
                 const cuda::OnStage& on_stage) override {
    const Buffer lists = take_lists(kernel, arguments, context.workspace, context.worker);
    attend(kernel, arguments, context.workspace, context.worker);
    if (kernel != Kernel::staged || !on_stage) return;
    for (const cuda::KernelStage stage : {cuda::KernelStage::scores, cuda::KernelStage::softmax,
                                          cuda::KernelStage::values, cuda::KernelStage::done}) {
      on_stage(stage);
      operate();
    }
  }
  [[nodiscard]] KeptSchedule keep_schedule(Kernel kernel, const AttentionArguments& kept,
                                           Allocator& memory, int worker) override {
    if (kernel != Kernel::flash) return {};
    operate();
    const auto lists = std::make_shared<Buffer>(take_lists(kernel, kept, memory, worker));
    ++schedules_kept_;
    return [this, lists, worker, schedule = *kept.schedule](AttentionArguments arguments,
                                                            Allocator& workspace) {
      arguments.schedule = &schedule;
      attend(Kernel::flash, arguments, workspace, worker);
    };
  }
  [[nodiscard]] Prepared prepare(const cuda::GroupedCall& call, Allocator& workspace) override {
    const auto launch = std::make_shared<Launched>(*this, call, workspace);
    return {[launch] { launch->attend(); }, [launch] { launch->merge(); }};
  }

  void copy_rows(const TensorView& source, const TensorView& destination) override {
    operate();
    CpuDevice::copy_rows(to_host(source), to_host(destination));
  }
  void clear_partial(const TensorView& out, const TensorView& lse) override {
    operate();
    CpuDevice::clear_partial(to_host(out), to_host(lse));
  }
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override {
    operate();
    CpuDevice::merge_partial(to_host(acc_out), to_host(acc_lse), to_host(part_out),
                             to_host(part_lse));
  }
  void combine(const TensorView& target, const TensorView& source, Combine how) override {
    operate();
    CpuDevice::combine(to_host(target), to_host(source), how);
  }
  void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                     const TensorView& denominator) override {
    operate();
    CpuDevice::weigh_partial(to_host(out), to_host(lse), to_host(maximum), to_host(denominator));
  }
  void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                         const TensorView& denominator) override {
    operate();
    CpuDevice::normalise_partial(to_host(out), to_host(lse), to_host(maximum),
                                 to_host(denominator));
  }

  // In float32 by the CPU's passes, rounded to the type of the call as a GPU rounds what it stores.
  void linear(const LinearCall& call, Allocator& workspace) override {
    operate();
    const Floats x(call.x, call.dtype, call.rows * call.in);
    const Floats weight(call.weight, call.dtype, call.out * call.in);
    const Floats bias(call.bias, call.dtype, call.bias == nullptr ? 0 : call.out);
    const Floats y(call.rows * call.out);
    cpu::linear({DType::f32, call.rows, call.in, call.out, x.data(), weight.data(),
                 call.bias == nullptr ? nullptr : bias.data(), y.data(), call.out},
                1);
    const Extent rows{1, 1, call.rows, call.out};
    const Tensor rounded(workspace, call.dtype, rows, "rounded");
    y.round_to(rounded.view().data, call.dtype);
    TensorView to = contiguous_view(call.y, call.dtype, rows);
    to.token_stride = call.y_stride;
    qb::copy_rows(rounded.view(), to);
  }
  void bias_gelu(const GeluCall& call) override {
    operate();
    const Floats y(call.y, call.dtype, call.rows * call.width);
    const Floats bias(call.bias, call.dtype, call.width);
    cpu::bias_gelu({DType::f32, call.rows, call.width, y.data(), bias.data()}, 1);
    y.round_to(call.y, call.dtype);
  }
  void add_norm(const NormCall& call) override {
    operate();
    const Floats y(call.y, call.dtype, call.rows * call.width);
    const Floats scale(call.scale, call.dtype, call.width);
    const Floats shift(call.shift, call.dtype, call.width);
    const Floats bias(call.bias, call.dtype, call.width);
    const Floats residual(call.residual, call.dtype, call.rows * call.width);
    cpu::add_norm({DType::f32, call.rows, call.width, y.data(), bias.data(), residual.data(),
                   scale.data(), shift.data(), call.epsilon},
                  1);
    y.round_to(call.y, call.dtype);
  }
  void upload(const TensorView& host, const TensorView& device) override {
    operate();
    CpuDevice::upload(host, to_host(device));
  }
  void download(const TensorView& device, const TensorView& host) override {
    operate();
    CpuDevice::download(to_host(device), host);
  }
  void fill(void* device, unsigned char value, std::size_t bytes) override {
    operate();
    if (on_fill_) on_fill_();
    CpuDevice::fill(to_host(device), value, bytes);
  }
  [[nodiscard]] cuda::ClockState clock() override {
    return {.sm_hz = 1.5e9, .reasons = ++clocks_ % 2 == 0 ? 0x4u : 0x0u, .reasons_known = true};
  }

  [[nodiscard]] int mark() override {
    marks_.push_back(operations_);
    return static_cast<int>(marks_.size()) - 1;
  }
  [[nodiscard]] bool has_passed(int) override {
    check();
    return true;
  }
  void wait() override { check(); }
  // The host is through with an operation a thousand times as soon.
  [[nodiscard]] double seconds(int from, int to, ClockKind clock) const override {
    const int count = marks_[static_cast<std::size_t>(to)] - marks_[static_cast<std::size_t>(from)];
    return clock == ClockKind::synchronized ? count : count / 1000.0;
  }
  void forget_marks() override { marks_.clear(); }

 protected:
  // One kernel, whose lists are there.
  virtual void attend(Kernel kernel, const AttentionArguments& arguments, Allocator& workspace,
                      int worker) {
    operate();
    ++launches_;
    qb::attention(kernel, arguments, {workspace, 1, worker});
  }

 private:
  // A matrix of any type as float32.
  class Floats {
   public:
    explicit Floats(std::int64_t n) : values_(static_cast<std::size_t>(n)) {}
    Floats(const void* from, DType dtype, std::int64_t n) : Floats(n) {
      convert(from, dtype, data(), DType::f32, n);
    }
    [[nodiscard]] float* data() const { return values_.data(); }
    void round_to(void* to, DType dtype) const {
      convert(data(), DType::f32, to, dtype, static_cast<std::int64_t>(values_.size()));
    }

   private:
    mutable std::vector<float> values_;
  };

  // Room only: the host reads the schedule where it lies.
  [[nodiscard]] Buffer take_lists(Kernel kernel, const AttentionArguments& arguments,
                                  Allocator& memory, int worker) const {
    const std::int64_t bytes = costs_.of_call(kernel, arguments).list_bytes;
    return bytes == 0 ? Buffer()
                      : Buffer(memory, static_cast<std::size_t>(bytes), "tile_lists", worker);
  }

  struct Share {
    cuda::GroupedWorker worker;
    TileSchedule schedule;
    Tensor out;
    Tensor lse;
  };

  class Launched {
   public:
    Launched(HostComputeDevice& device, cuda::GroupedCall call, Allocator& memory)
        : device_(device), call_(std::move(call)) {
      for (const cuda::GroupedWorker& worker : call_.workers) {
        Share share{worker, *worker.schedule, {}, {}};
        if (share.worker.head_end == 0) share.worker.head_end = call_.q.extent.heads;
        Extent extent = call_.out.extent;
        extent.heads = share.worker.head_end - share.worker.head_begin;
        extent.length = share.schedule.n_queries;
        share.out = Tensor(memory, DType::f32, extent, "out_partial", worker.worker);
        extent.head_dim = 1;
        share.lse = Tensor(memory, DType::f32, extent, "lse_partial", worker.worker);
        shares_.push_back(std::move(share));
      }
    }

    void attend() {
      device_.operate();
      ++device_.launches_;
      for (const Share& share : shares_) {
        const cuda::GroupedWorker& worker = share.worker;
        const std::int64_t group = call_.q.extent.heads / call_.k.extent.heads;
        const std::int64_t kv_begin = worker.head_begin / group;
        const std::int64_t kv_heads = (worker.head_end - 1) / group + 1 - kv_begin;
        const Tensor q =
            gather(call_.q.heads(worker.head_begin, worker.head_end - worker.head_begin),
                   worker.q_groups, share.schedule.n_queries);
        const Tensor k =
            gather(call_.k.heads(kv_begin, kv_heads), worker.kv_groups, share.schedule.n_keys);
        const Tensor v =
            gather(call_.v.heads(kv_begin, kv_heads), worker.kv_groups, share.schedule.n_keys);
        qb::attention(Kernel::flash,
                      {q.view(), k.view(), v.view(), &share.schedule, call_.scale, share.out.view(),
                       share.lse.view()},
                      {heap_allocator(), 1, worker.worker});
      }
    }

    void merge() {
      device_.operate();
      if (!call_.accumulate) qb::clear_partial(call_.out, call_.lse);
      for (const Share& share : shares_) {
        const std::int64_t heads = share.worker.head_end - share.worker.head_begin;
        std::int64_t at = 0;
        for (const TokenGroup& group : share.worker.q_groups) {
          const auto rows = [&](const TensorView& whole) {
            return whole.tokens(group.first, group.count, group.stride)
                .heads(share.worker.head_begin, heads);
          };
          qb::merge_partial(rows(call_.out), rows(call_.lse),
                            share.out.view().tokens(at, group.count),
                            share.lse.view().tokens(at, group.count));
          at += group.count;
        }
      }
    }

   private:
    [[nodiscard]] static Tensor gather(const TensorView& whole,
                                       const std::vector<TokenGroup>& groups, std::int64_t rows) {
      Extent extent = whole.extent;
      extent.length = rows;
      Tensor local(heap_allocator(), whole.dtype, extent, "local");
      std::int64_t at = 0;
      for (const TokenGroup& group : groups) {
        qb::copy_rows(whole.tokens(group.first, group.count, group.stride),
                      local.view().tokens(at, group.count));
        at += group.count;
      }
      if (at != rows) throw std::logic_error("the groups are not the rows of the schedule");
      return local;
    }

    HostComputeDevice& device_;
    cuda::GroupedCall call_;
    std::vector<Share> shares_;
  };

  void check() const {
    if (lost_at_ > 0 && operations_ >= lost_at_)
      throw CaseError(Status::crashed, "the device was lost: unspecified launch failure");
  }
  void operate() {
    ++operations_;
    check();
  }

  HostKernelCosts costs_;
  int operations_ = 0;
  int launches_ = 0;
  int schedules_kept_ = 0;
  int lost_at_ = 0;
  int clocks_ = 0;
  std::function<void()> on_fill_;
  std::function<void()> on_peak_;
  std::vector<int> marks_;
};

}  // namespace qb
