// SPDX-License-Identifier: Apache-2.0
// For tests: the CPU's device in the place of a GPU. It computes both passes of attention and takes
// memory as the CPU does, and keeps schedules. Its clock counts operations, its tensors may be
// where the host cannot touch them, and it can be told to break.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "harness/run/device/cpu_device.h"

namespace qb {

// An address of a device may have a bit that no address of the host has: whatever reads or writes
// there, except the device's operations, is a segmentation fault.
inline constexpr std::uintptr_t kOnDevice = std::uintptr_t{1} << 55;

inline void* to_host(const void* device) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(device) & ~kOnDevice);
}
inline TensorView to_host(TensorView view) {
  view.data = to_host(view.data);
  return view;
}

// The costs of the probe: flash takes lists, which are as large as its schedule.
class ProbeCosts final : public CpuDevice::Costs {
 public:
  ProbeCosts() : Costs(1) {}
  bool reads_schedule(Kernel) const override { return true; }
  cuda::CallCost of_call(Kernel kernel, const AttentionArguments& a) const override {
    return with_lists(kernel, a, Costs::of_call(kernel, a));
  }
  cuda::CallCost of_backward_call(Kernel kernel, const BackwardArguments& a) const override {
    return with_lists(kernel, a, Costs::of_backward_call(kernel, a));
  }

 private:
  template <class Arguments>
  [[nodiscard]] cuda::CallCost with_lists(Kernel kernel, const Arguments& a,
                                          cuda::CallCost cost) const {
    cost.executed_pairs = a.q.extent.heads * a.q.extent.length * a.k.extent.length;
    if (kernel != Kernel::flash) return cost;
    const KernelTiles t = tiles(kernel, a.q.extent.head_dim);
    cost.executed_pairs =
        a.q.extent.heads * a.schedule->executed_pairs(t.key_step, t.row_group, t.row_cost);
    *cost.workspace_bytes += cost.list_bytes = a.schedule->bytes();
    return cost;
  }
};

class DeviceProbe : public LayerDevice {
 public:
  using View = TensorView;
  static constexpr double kPeakFlopPerS = 8e15;  // of one byte an element

  std::map<std::string_view, int> counts{};            // of what the device was asked for, by name
  std::function<void(std::string_view)> on_request{};  // is called with each name
  int operations = 0;
  // From this operation on (counting from 1) all fail, and every wait, as after an illegal access.
  int lost_at = 0;

  const Facts& facts() const override { return facts_; }
  const cuda::KernelCosts& costs() const override { return costs_; }
  std::string_view isa(Kernel, DType) override { return "host"; }
  void require(Kernel kernel, DType dtype, std::int64_t head_dim) const override {
    if (kernel == Kernel::flash && dtype == DType::f64)
      throw Unsupported("kernel flash takes no f64 inputs; the nearest is f32");
    if (head_dim > kMaxHeadDim) throw Unsupported("head_dim is above 256");
  }
  std::optional<double> peak_flop_per_s(DType dtype) override {
    request("peak");
    return kPeakFlopPerS / static_cast<double>(size_of(dtype));
  }
  cuda::ClockState clock() override {
    request("clock");
    return {1.5e9, counts["clock"] % 2 == 0 ? 0x4u : 0x0u, true};
  }
  MemorySource memory(AllocatorKind kind) override { return host_.memory(kind); }

  void attention(Kernel kernel, const AttentionArguments& call, const KernelContext& context,
                 const cuda::OnStage& on_stage) override {
    const Buffer lists = room(costs_.of_call(kernel, call).list_bytes, "tile_lists",
                              context.workspace, context.worker);
    attend(kernel, call, context.workspace, context.worker);
    if (kernel != Kernel::staged || !on_stage) return;
    using enum cuda::KernelStage;
    for (const cuda::KernelStage stage : {scores, softmax, values, done}) {
      on_stage(stage);
      operate();
    }
  }
  Prepared prepare(const cuda::GroupedCall& call, Allocator& workspace) override {
    const Prepared each = LayerDevice::prepare(call, workspace);
    return {[=, this] { return request("launch"), each.attend(); }, each.merge};
  }
  KeptSchedule keep_schedule(Kernel kernel, const AttentionArguments& kept, Allocator& memory,
                             int worker) override {
    if (kernel != Kernel::flash) return {};
    return keep("keep_schedule", costs_.of_call(kernel, kept), kept, memory, worker,
                [this, kernel, worker](const AttentionArguments& call, Allocator& workspace) {
                  attend(kernel, call, workspace, worker);
                });
  }
  void attention_backward(Kernel kernel, const BackwardArguments& call,
                          const KernelContext& context) override {
    const Buffer lists = room(costs_.of_backward_call(kernel, call).list_bytes, "tile_lists",
                              context.workspace, context.worker);
    attend_backward(kernel, call, context.workspace, context.worker);
  }
  KeptBackward keep_backward_schedule(Kernel kernel, const BackwardArguments& kept,
                                      Allocator& memory, int worker) override {
    if (kernel != Kernel::flash) return {};
    return keep("keep_backward_schedule", costs_.of_backward_call(kernel, kept), kept, memory,
                worker,
                [this, kernel, worker](const BackwardArguments& call, Allocator& workspace) {
                  attend_backward(kernel, call, workspace, worker);
                });
  }
  void compute_delta(const View& out, const View& d_out, const View& delta) override {
    operate().compute_delta(to_host(out), to_host(d_out), to_host(delta));
  }
  void sink_gradients(const View& lse, const View& delta, const View& sinks,
                      const View& d_sinks) override {
    operate().sink_gradients(to_host(lse), to_host(delta), to_host(sinks), to_host(d_sinks));
  }
  void copy_rows(const View& from, const View& to) override {
    operate().copy_rows(to_host(from), to_host(to));
  }
  void clear_rows(const View& rows) override { operate().clear_rows(to_host(rows)); }
  void add_rows(const View& sum, const View& part) override {
    operate().add_rows(to_host(sum), to_host(part));
  }
  void clear_partial(const View& out, const View& lse) override {
    operate().clear_partial(to_host(out), to_host(lse));
  }
  void merge_partial(const View& out, const View& lse, const View& o, const View& l) override {
    operate().merge_partial(to_host(out), to_host(lse), to_host(o), to_host(l));
  }
  void combine(const View& target, const View& source, Combine how) override {
    operate().combine(to_host(target), to_host(source), how);
  }
  void weigh_partial(const View& out, const View& lse, const View& max, const View& sum) override {
    operate().weigh_partial(to_host(out), to_host(lse), to_host(max), to_host(sum));
  }
  void normalise_partial(const View& out, const View& lse, const View& m, const View& d) override {
    operate().normalise_partial(to_host(out), to_host(lse), to_host(m), to_host(d));
  }
  void linear(const LinearCall& call, Allocator& memory) override {
    operate().linear(call, memory);
  }
  void bias_gelu(const GeluCall& call) override { operate().bias_gelu(call); }
  void add_norm(const NormCall& call) override { operate().add_norm(call); }
  void upload(const View& host, const View& to) override { operate().upload(host, to_host(to)); }
  void download(const View& from, const View& host) override {
    operate().download(to_host(from), host);
  }
  void fill(void* device, unsigned char value, std::size_t bytes) override {
    operate("fill").fill(to_host(device), value, bytes);
  }

  int mark() override {
    marks_.push_back(operations);
    return static_cast<int>(marks_.size()) - 1;
  }
  bool has_passed(int) override { return check(), true; }
  void wait() override { check(); }
  // The host is through with an operation a thousand times as soon.
  double seconds(int from, int to, ClockKind clock) const override {
    const int count = marks_[static_cast<std::size_t>(to)] - marks_[static_cast<std::size_t>(from)];
    return clock == ClockKind::synchronized ? count : count / 1000.0;
  }
  void forget_marks() override { marks_.clear(); }

 protected:
  // One kernel, whose lists are there.
  virtual void attend(Kernel kernel, AttentionArguments call, Allocator& memory, int worker) {
    for (View* view : {&call.q, &call.k, &call.v, &call.out, &call.lse}) *view = to_host(*view);
    operate("attention").attention(kernel, call, {memory, 1, worker}, {});
  }
  virtual void attend_backward(Kernel kernel, BackwardArguments call, Allocator& memory,
                               int worker) {
    for (View* view : {&call.q, &call.k, &call.v, &call.d_out, &call.lse, &call.delta, &call.d_q,
                       &call.d_k, &call.d_v})
      *view = to_host(*view);
    operate("attention_backward").attention_backward(kernel, call, {memory, 1, worker});
  }
  // Memory that nothing is written to.
  [[nodiscard]] static Buffer room(std::int64_t bytes, const char* label, Allocator& memory,
                                   int worker) {
    return bytes == 0 ? Buffer() : Buffer(memory, static_cast<std::size_t>(bytes), label, worker);
  }
  Facts facts_{.name = "a host that plays a GPU", .l2_bytes = 1 << 16};

 private:
  // Takes the lists of a call, and keeps its schedule, which the host reads where it lies.
  template <class Arguments, class Play>
  [[nodiscard]] std::function<void(const Arguments&, Allocator&)> keep(std::string_view name,
                                                                       const cuda::CallCost& cost,
                                                                       const Arguments& kept,
                                                                       Allocator& memory,
                                                                       int worker, Play play) {
    operate();
    const auto lists =
        std::make_shared<Buffer>(room(cost.list_bytes, "tile_lists", memory, worker));
    request(name);
    return [lists, play, schedule = *kept.schedule](Arguments call, Allocator& workspace) {
      call.schedule = &schedule;
      play(call, workspace);
    };
  }
  void check() const {
    if (lost_at > 0 && operations >= lost_at)
      throw CaseError(Status::crashed, "the device was lost: unspecified launch failure");
  }
  void request(std::string_view name) {
    ++counts[name];
    if (on_request) on_request(name);
  }
  CpuDevice& operate(std::string_view name = "other") {
    request(name);
    ++operations;
    check();
    return host_;
  }

  CpuDevice host_{1};
  ProbeCosts costs_;
  std::vector<int> marks_;
};

}  // namespace qb
