// A compute device for tests: the CPU's kernels behind the interface of a GPU. Its clocks count
// operations, and it can be told to break.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "harness/execute/device/compute_device.h"
#include "kernels/cpu/layer_parts.h"
#include "kernels/layer_call.h"
#include "kernels/merge.h"

namespace qb {

// Of the CPU's kernels, each on one thread, and of the launches below.
class HostKernelCosts final : public cuda::KernelCosts {
 public:
  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const override {
    return kernel_tiles(kernel, head_dim);
  }
  [[nodiscard]] cuda::CallCost of_call(Kernel kernel, const AttentionArguments& a) const override {
    const Extent& q = a.q.extent;
    const Extent& k = a.k.extent;
    // Of flash the schedule too, which can be kept.
    const std::int64_t lists = kernel == Kernel::flash ? a.schedule->bytes() : 0;
    return {.workspace_bytes =
                lists +
                kernel_workspace_bytes(kernel, q, k, a.q.dtype, 1, a.v.extent.head_dim,
                                       kernel == Kernel::staged ? a.schedule->stored_pairs() : -1),
            .list_bytes = lists,
            .executed_pairs = kernel == Kernel::flash ? pairs_of(q.heads, q.head_dim, *a.schedule)
                                                      : q.heads * q.length * k.length};
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

class HostComputeDevice : public ComputeDevice {
 public:
  // Of one byte an element.
  static constexpr double kPeakFlopPerS = 8e15;

  // From the `operation`-th on (counting from 1) every operation and wait fails, as after an
  // illegal access.
  void lose_at(int operation) { lost_at_ = operation; }
  void name_as(std::string name, std::string id) {
    facts_.name = std::move(name);
    facts_.id = std::move(id);
  }
  [[nodiscard]] int operations() const { return operations_; }
  [[nodiscard]] int launches() const { return launches_; }
  [[nodiscard]] int schedules_kept() const { return schedules_kept_; }

  [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
  void require(Kernel kernel, DType dtype, std::int64_t head_dim) const override {
    if (kernel == Kernel::flash && dtype == DType::f64)
      throw Unsupported("kernel flash takes no f64 inputs; the nearest is f32");
    if (head_dim > 256) throw Unsupported("head_dim is above 256");
  }
  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const override {
    return costs_.tiles(kernel, head_dim);
  }
  [[nodiscard]] const cuda::KernelCosts& costs() const override { return costs_; }
  [[nodiscard]] std::optional<double> peak_flop_per_s(DType dtype) override {
    if (on_peak_) on_peak_();
    return kPeakFlopPerS / static_cast<double>(size_of(dtype));
  }
  [[nodiscard]] std::string_view isa(Kernel, DType) override { return "host"; }

  void attention(Kernel kernel, const AttentionArguments& arguments, Allocator& workspace,
                 int worker, const cuda::OnStage& on_stage) override {
    const Buffer lists = take_lists(kernel, arguments, workspace, worker);
    attend(kernel, arguments, workspace, worker);
    if (kernel != Kernel::staged || !on_stage) return;
    for (const cuda::KernelStage stage : {cuda::KernelStage::scores, cuda::KernelStage::softmax,
                                          cuda::KernelStage::values, cuda::KernelStage::done}) {
      on_stage(stage);
      operate();
    }
  }
  [[nodiscard]] std::unique_ptr<KeptSchedule> keep_schedule(Kernel kernel,
                                                            const AttentionArguments& arguments,
                                                            Allocator& memory,
                                                            int worker) override {
    if (kernel != Kernel::flash) return nullptr;
    operate();
    Buffer lists = take_lists(kernel, arguments, memory, worker);
    ++schedules_kept_;
    return std::make_unique<Kept>(*this, *arguments.schedule, std::move(lists), worker);
  }
  [[nodiscard]] std::unique_ptr<PreparedCall> prepare(const cuda::GroupedCall& call,
                                                      Allocator& workspace) override;
  void copy_rows(const TensorView& source, const TensorView& destination) override {
    operate();
    qb::copy_rows(source, destination);
  }
  void clear_partial(const TensorView& out, const TensorView& lse) override {
    operate();
    qb::clear_partial(out, lse);
  }
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override {
    operate();
    qb::merge_partial(acc_out, acc_lse, part_out, part_lse);
  }

  void combine(const TensorView& target, const TensorView& source, Combine how) override {
    operate();
    qb::combine(target, source, how);
  }
  void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                     const TensorView& denominator) override {
    operate();
    qb::weigh_partial(out, lse, maximum, denominator);
  }
  void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                         const TensorView& denominator) override {
    operate();
    qb::normalise_partial(out, lse, maximum, denominator);
  }

  // In float32 by the CPU's passes, rounded to the type of the call as a GPU rounds what it stores.
  void linear(const LinearCall& call, Allocator& workspace) override {
    operate();
    const Floats x(call.x, call.dtype, call.rows * call.in);
    const Floats weight(call.weight, call.dtype, call.out * call.in);
    const Floats bias(call.bias, call.dtype, call.bias == nullptr ? 0 : call.out);
    const Floats y(call.rows * call.out);
    cpu::linear({call.in, call.out, weight.data(), call.bias == nullptr ? nullptr : bias.data()},
                call.rows, x.data(), y.data(), call.out, 1);
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
    cpu::bias_gelu(call.rows, call.width, y.data(),
                   Floats(call.bias, call.dtype, call.width).data(), 1);
    y.round_to(call.y, call.dtype);
  }
  void add_norm(const NormCall& call) override {
    operate();
    const Floats y(call.y, call.dtype, call.rows * call.width);
    const Floats scale(call.scale, call.dtype, call.width);
    const Floats shift(call.shift, call.dtype, call.width);
    cpu::add_norm({call.width, scale.data(), shift.data(), call.epsilon}, call.rows, y.data(),
                  Floats(call.bias, call.dtype, call.width).data(),
                  Floats(call.residual, call.dtype, call.rows * call.width).data(), 1);
    y.round_to(call.y, call.dtype);
  }
  void narrow_rows(const TensorView& source, const TensorView& destination) override {
    operate();
    for (std::int64_t b = 0; b < source.extent.batch; ++b)
      for (std::int64_t h = 0; h < source.extent.heads; ++h)
        for (std::int64_t t = 0; t < source.extent.length; ++t)
          convert(source.row(b, h, t), source.dtype, destination.row(b, h, t), destination.dtype,
                  source.extent.head_dim);
  }

  [[nodiscard]] MemorySource memory(AllocatorKind) override { return system_memory(); }
  void upload(const TensorView& host, const TensorView& device) override {
    operate();
    qb::copy_rows(host, device);
  }
  void download(const TensorView& device, const TensorView& host) override {
    operate();
    qb::copy_rows(device, host);
  }
  void fill(void* device, unsigned char value, std::size_t bytes) override {
    operate();
    if (on_fill_) on_fill_();
    std::memset(device, value, bytes);
  }
  [[nodiscard]] cuda::ClockState clock() override {
    return {.sm_hz = 1.5e9, .reasons = ++clocks_ % 2 == 0 ? 0x4u : 0x0u, .reasons_known = true};
  }
  void on_fill(std::function<void()> function) { on_fill_ = std::move(function); }
  void on_peak(std::function<void()> function) { on_peak_ = std::move(function); }

  [[nodiscard]] int mark() override {
    marks_.push_back(operations_);
    return static_cast<int>(marks_.size()) - 1;
  }
  [[nodiscard]] bool has_passed(int) override {
    check();
    return true;
  }
  void wait() override { check(); }
  [[nodiscard]] double device_seconds(int from, int to) const override {
    return marks_[static_cast<std::size_t>(to)] - marks_[static_cast<std::size_t>(from)];
  }
  // The host is through with an operation a thousand times as soon.
  [[nodiscard]] double host_seconds(int from, int to) const override {
    return device_seconds(from, to) / 1000.0;
  }
  void forget_marks() override { marks_.clear(); }
  [[nodiscard]] std::function<void()> record(const std::function<void()>& enqueue) override {
    return enqueue;
  }

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

  class Kept final : public KeptSchedule {
   public:
    Kept(HostComputeDevice& device, TileSchedule schedule, Buffer lists, int worker)
        : device_(device),
          schedule_(std::move(schedule)),
          lists_(std::move(lists)),
          worker_(worker) {}
    void attend(const AttentionArguments& arguments, Allocator& workspace) override {
      AttentionArguments with_own = arguments;
      with_own.schedule = &schedule_;
      device_.attend(Kernel::flash, with_own, workspace, worker_);
    }

   private:
    HostComputeDevice& device_;
    TileSchedule schedule_;
    Buffer lists_;
    int worker_;
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

  class Prepared final : public PreparedCall {
   public:
    Prepared(HostComputeDevice& device, cuda::GroupedCall call, Allocator& memory)
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

    void attend() override {
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

    void merge() override {
      device_.operate();
      if (!call_.accumulate) qb::clear_partial(call_.out, call_.lse);
      for (const Share& share : shares_) {
        const std::int64_t heads = share.worker.head_end - share.worker.head_begin;
        std::int64_t at = 0;
        for (const cuda::RowGroup& group : share.worker.q_groups) {
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
                                       const std::vector<cuda::RowGroup>& groups,
                                       std::int64_t rows) {
      Extent extent = whole.extent;
      extent.length = rows;
      Tensor local(heap_allocator(), whole.dtype, extent, "local");
      std::int64_t at = 0;
      for (const cuda::RowGroup& group : groups) {
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
  std::function<void()> on_fill_;
  std::function<void()> on_peak_;
  int clocks_ = 0;
  DeviceFacts facts_{"a host that plays a GPU", 1 << 16};
  std::vector<int> marks_;
};

inline std::unique_ptr<PreparedCall> HostComputeDevice::prepare(const cuda::GroupedCall& call,
                                                                Allocator& workspace) {
  return std::make_unique<Prepared>(*this, call, workspace);
}

}  // namespace qb
