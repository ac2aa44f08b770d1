// SPDX-License-Identifier: Apache-2.0
#include "harness/rehearse/device_rehearsal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "harness/run/device/mixer_device.h"
#include "harness/run/memory/memory_ledger.h"

namespace qb {
namespace {

// It gives any amount, and none of it may be touched.
MemorySource addresses_only() {
  auto next = std::make_shared<std::uintptr_t>(kHugePageBytes);
  return {.available = [] { return std::numeric_limits<std::uint64_t>::max(); },
          .reserve =
              [next](std::size_t bytes) {
                const std::uintptr_t at = *next;
                *next += (bytes / kHugePageBytes + 1) * kHugePageBytes;
                return reinterpret_cast<void*>(at);
              },
          .release = [](void*, std::size_t) {}};
}

// The executor's stopwatch assigns the pairs that its clock counts to workers and steps.
class RehearsalDevice final : public LayerGradientsDevice, public MixerDevice {
 public:
  explicit RehearsalDevice(const cuda::KernelCosts& costs) : costs_(costs) {}

  [[nodiscard]] bool knows_memory() const { return knows_memory_; }
  [[nodiscard]] bool knows_pairs() const { return knows_pairs_; }

  const Facts& facts() const override { return facts_; }
  const cuda::KernelCosts& costs() const override { return costs_; }
  bool reads_schedule(Kernel kernel) const override { return costs_.reads_schedule(kernel); }
  std::string_view isa(Kernel, DType) override { return {}; }

  void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context,
                 const cuda::OnStage&) override {
    const cuda::CallCost cost = costs_.of_call(kernel, arguments);
    (void)take(cost, context.workspace, context.worker);
    compute(cost);
  }
  Prepared prepare(const cuda::GroupedCall& call, Allocator& workspace) override {
    const std::optional<cuda::CallCost> cost = costs_.of_launch(call);
    if (!cost) return LayerGradientsDevice::prepare(call, workspace);
    const int worker = call.workers.empty() ? 0 : call.workers.front().worker;
    const auto taken = std::make_shared<Buffer>(take(*cost, workspace, worker));
    return {[this, cost, taken] { compute(*cost); }, [] {}};
  }
  KeptSchedule keep_schedule(Kernel kernel, const AttentionArguments& arguments, Allocator& memory,
                             int worker) override {
    if (kernel != Kernel::flash) return {};
    return keep<AttentionArguments>(costs_.of_call(kernel, arguments), memory, worker);
  }
  KeptBackward keep_backward_schedule(Kernel kernel, const BackwardArguments& arguments,
                                      Allocator& memory, int worker) override {
    if (kernel != Kernel::flash) return {};
    return keep<BackwardArguments>(costs_.of_backward_call(kernel, arguments), memory, worker);
  }
  void attention_backward(Kernel kernel, const BackwardArguments& arguments,
                          const KernelContext& context) override {
    const cuda::CallCost cost = costs_.of_backward_call(kernel, arguments);
    (void)take(cost, context.workspace, context.worker);
    compute(cost);
  }
  void compute_delta(const TensorView&, const TensorView&, const TensorView&) override {}
  void sink_gradients(const TensorView&, const TensorView&, const TensorView&,
                      const TensorView&) override {}
  void copy_rows(const TensorView&, const TensorView&) override {}
  void clear_rows(const TensorView&) override {}
  void add_rows(const TensorView&, const TensorView&) override {}
  void clear_partial(const TensorView&, const TensorView&) override {}
  void merge_partial(const TensorView&, const TensorView&, const TensorView&,
                     const TensorView&) override {}
  void combine(const TensorView&, const TensorView&, Combine) override {}
  void weigh_partial(const TensorView&, const TensorView&, const TensorView&,
                     const TensorView&) override {}
  void normalise_partial(const TensorView&, const TensorView&, const TensorView&,
                         const TensorView&) override {}
  void linear(const LinearCall& call, Allocator& workspace) override {
    hold_for_a_moment(costs_.bytes_of_linear(call), workspace);
  }
  void bias_gelu(const GeluCall&) override {}
  void add_norm(const NormCall&) override {}
  void linear_backward(const LinearBackwardCall& call, Allocator& workspace) override {
    hold_for_a_moment(costs_.bytes_of_linear_backward(call), workspace);
  }
  void bias_gelu_backward(const GeluBackwardCall&) override {}
  void add_norm_backward(const NormBackwardCall& call, Allocator& workspace) override {
    hold_for_a_moment(costs_.bytes_of_norm_backward(call), workspace);
  }
  MemorySource memory(AllocatorKind) override { return addresses_only(); }
  void upload(const TensorView&, const TensorView&) override {}
  void download(const TensorView&, const TensorView&) override {}
  void fill(void*, unsigned char, std::size_t) override {}

  int mark() override {
    marks_.push_back(pairs_);
    return static_cast<int>(marks_.size()) - 1;
  }
  double seconds(int from, int to, ClockKind) const override {
    return static_cast<double>(marks_[static_cast<std::size_t>(to)] -
                               marks_[static_cast<std::size_t>(from)]);
  }
  void forget_marks() override { marks_.clear(); }

 private:
  // Takes the lists of a call now, and the rest of what it costs each time that it is made.
  template <class Arguments>
  [[nodiscard]] std::function<void(const Arguments&, Allocator&)> keep(cuda::CallCost cost,
                                                                       Allocator& memory,
                                                                       int worker) {
    const auto lists = std::make_shared<Buffer>(
        take({.workspace_bytes = cost.list_bytes, .executed_pairs = 0}, memory, worker));
    if (cost.workspace_bytes) *cost.workspace_bytes -= cost.list_bytes;
    return [this, cost, lists, worker](const Arguments&, Allocator& workspace) {
      (void)take(cost, workspace, worker);
      compute(cost);
    };
  }
  [[nodiscard]] Buffer take(const cuda::CallCost& cost, Allocator& workspace, int worker) {
    if (!cost.workspace_bytes) knows_memory_ = false;
    const auto bytes = static_cast<std::size_t>(cost.workspace_bytes.value_or(0));
    return bytes == 0 ? Buffer() : Buffer(workspace, bytes, "workspace", worker);
  }
  void hold_for_a_moment(std::int64_t workspace_bytes, Allocator& workspace) {
    (void)take({.workspace_bytes = workspace_bytes, .executed_pairs = 0}, workspace, 0);
  }
  bool computes_operators() const override { return false; }
  void compute(const cuda::CallCost& cost) {
    if (!cost.executed_pairs) knows_pairs_ = false;
    pairs_ += cost.executed_pairs.value_or(0);
  }

  const cuda::KernelCosts& costs_;
  bool knows_memory_ = true;
  bool knows_pairs_ = true;
  std::int64_t pairs_ = 0;
  std::vector<std::int64_t> marks_;
  Facts facts_;
};

// Rounds up: a worker may compute only a share of the heads.
std::int64_t per_head(double pairs_of_heads, const Plan& plan) {
  const std::int64_t heads = plan.problem.shape.q_heads;
  return (std::llround(pairs_of_heads) + heads - 1) / heads;
}

// Does not set the pairs.
Rehearsal peaks_of(const RehearsalDevice& device, const MemoryLedger& ledger, std::size_t workers) {
  Rehearsal result;
  if (!device.knows_memory()) return result;
  result.active_peak_bytes = static_cast<std::int64_t>(ledger.active_peak_bytes());
  std::uint64_t worst = 0;
  for (std::size_t w = 0; w < workers; ++w)
    worst = std::max(worst, ledger.worker_peak_bytes(static_cast<int>(w)));
  if (workers > 0) result.worker_peak_bytes = static_cast<std::int64_t>(worst);
  return result;
}

void add_pairs(const Plan& plan, const Execution& execution, Rehearsal& result) {
  result.executed_pairs = 0;
  if (execution.workers.empty()) result.executed_pairs = per_head(execution.device_s, plan);
  for (const WorkerTime& worker : execution.workers) {
    std::vector<std::int64_t>& steps = result.step_pairs.emplace_back();
    for (const StepTime& step : worker.steps) {
      steps.push_back(per_head(step.compute_s, plan));
      *result.executed_pairs += steps.back();
    }
  }
}

}  // namespace

std::unique_ptr<LayerGradientsDevice> rehearsal_device(const cuda::KernelCosts& costs) {
  return std::make_unique<RehearsalDevice>(costs);
}

MemoryLedger::Options over_addresses() {
  return {.source = addresses_only(), .allocator = AllocatorKind::direct};
}

Rehearsal rehearse(const Plan& plan, Kernel kernel, Launch launch, const cuda::KernelCosts& costs) {
  RehearsalDevice device(costs);
  MemoryLedger ledger(over_addresses());
  ExecutionArguments arguments;
  std::vector<Tensor> tensors;
  for (const auto& [view, name, dtype, extent] : caller_tensors(plan))
    arguments.*view = tensors.emplace_back(ledger, dtype, extent, name).view();
  arguments.kernel = kernel;
  arguments.launch = launch;
  arguments.allocator = &ledger;
  ledger.reset_peaks();
  const Execution execution = DeviceExecutor(plan, arguments, device).run();

  Rehearsal result = peaks_of(device, ledger, execution.workers.size());
  if (device.knows_pairs()) add_pairs(plan, execution, result);
  return result;
}

Rehearsal rehearse(const cuda::KernelCosts& costs,
                   const std::function<double(ComputeDevice&, MemoryLedger&)>& run) {
  RehearsalDevice device(costs);
  MemoryLedger ledger(over_addresses());
  const double pairs = run(device, ledger);
  Rehearsal result = peaks_of(device, ledger, 1);
  if (device.knows_pairs()) result.executed_pairs = std::llround(pairs);
  return result;
}

}  // namespace qb
