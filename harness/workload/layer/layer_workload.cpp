// SPDX-License-Identifier: Apache-2.0
// An encoder layer around attention, computed by one worker on the CPU or on a GPU, or by several
// workers of one CPU with tensor parallelism. One worker on the CPU computes its backward pass too.
//
// A backward pass begins with what a forward pass keeps. If it alone is timed, a forward pass runs
// once before the runs (prepare()); if both are, each run computes one and then the other, and the
// tensors that only the backward pass needs come into being between the two.
#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/integers.h"
#include "harness/plan/pass.h"
#include "harness/run/device/cpu_device.h"
#include "harness/workload/layer/layer_backward.h"
#include "harness/workload/layer/layer_blocks.h"
#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/tensor_parallel.h"
#include "harness/workload/layer/transformer_layer.h"
#include "harness/workload/prediction.h"
#include "harness/workload/step_rows.h"
#include "harness/workload/workload.h"
#include "kernels/cpu/gemm.h"

namespace qb {
namespace {

// Adds the times of a pass to those of the one before it.
DeviceLayer::Run in_sequence(DeviceLayer::Run first, const DeviceLayer::Run& second) {
  for (std::size_t part = 0; part < kLayerParts; ++part) first.times[part] += second.times[part];
  first.wall_s += second.wall_s;
  first.device_s += second.device_s;
  return first;
}

// Tells whether several workers share the layer (tensor_parallel.h).
bool is_split_layer(const Case& c) { return c.algorithm == kTensorParallel; }

// The attention of the whole layer as one worker computes it; no plan splits its heads.
Case attention_of_layer(Case c) {
  if (!is_split_layer(c)) return c;
  c.algorithm = "dense";
  c.workers = 1;
  return c;
}

class Layer final : public Workload {
 public:
  explicit Layer(const Case& c) : Workload(c) {
    attention_ = plan_case(attention_of_layer(c));
    const Problem& problem = attention_.plan.problem;
    shape_ = {.batch = c.shape.batch,
              .n_tokens = c.shape.q_len,
              .heads = c.shape.q_heads,
              .head_dim = c.shape.head_dim,
              .feed_forward_dim = c.layer_feed_forward_dim,
              .kv_heads = c.shape.kv_heads};
    options_ = {problem.mask, problem.scale, c.kernel, c.layer_block_tokens, attention_.threads};
    if (is_split_layer(c)) (void)layer_share(shape_, c.workers);  // throws where it does not divide
  }

  // Pairs are those of the attention's plan; FLOP and bytes are those of the whole layer.
  RowValues predict(const cuda::KernelCosts* costs) override {
    const bool on_gpu = case_.device == Device::cuda;
    if (on_gpu && costs != nullptr && !infeasible(case_, flop())) rehearse_on(*costs);
    RowValues values = prediction_columns(case_, attention_);
    values.set("unmasked_flop", flop());
    if (on_gpu) return values;  // the rehearsal gave its columns
    // The plan counts the tiles of the whole sequence, not of blocks.
    if (options_.block_tokens != 0) values.erase("executed_pairs");
    if (is_split_layer(case_)) {
      predict_shares(values);
      return values;
    }
    const Rehearsal on_cpu = rehearse_layer(shape_, case_.dtype, options_,
                                            CpuDevice::Costs(options_.threads), case_.pass);
    values.set("predicted_active_peak_bytes", on_cpu.active_peak_bytes);
    values.set("predicted_device_peak_bytes", on_cpu.active_peak_bytes);
    return values;
  }
  double flop() const override {
    double sum = 0.0;
    for (const auto& entry : kWords<LayerPart>.rows) sum += flop_of(entry.first);
    return sum;
  }
  int threads() const override { return options_.threads; }
  std::optional<std::string> flaw() const override { return attention_.flaw; }

  // With `both`, the first run makes what each pass needs.
  void prepare() override {
    if (case_.pass != Passes::backward) return;
    (void)run_forward();
    layer_.reset();
    hold_kept();
    hold_gradients();
    ledger().reset_peaks();
  }

  // The one worker's time is the critical path, the sum and the wall clock at once.
  Sample run(bool verifying) override {
    if (split_) return run_split(verifying);
    std::vector<DeviceLayer::Run> passes;
    for (const Pass pass : passes_of(case_.pass))
      passes.push_back(pass == Pass::forward ? run_forward() : run_backward());
    DeviceLayer::Run all = passes.front();
    if (passes.size() > 1) all = in_sequence(all, passes.back());
    if (!verifying) times_.push_back(all.times);
    Sample sample{.wall_s = all.wall_s, .critical_path_s = all.wall_s, .worker_sum_s = all.wall_s};
    sample.longest_subsequence_s = all.times[static_cast<std::size_t>(LayerPart::attention)];
    if (passes.size() > 1) {
      sample.forward_s = passes.front().wall_s;
      sample.backward_s = passes.back().wall_s;
    }
    if (!is_on_host()) sample.device_s = all.device_s;
    return sample;
  }
  // One worker holds everything; of several, each has its share and reads the same hidden states.
  Peaks peaks() override {
    if (!split_) return {static_cast<std::int64_t>(ledger().active_peak_bytes())};
    std::int64_t most = 0;
    for (int w = 0; w < case_.workers; ++w)
      most = std::max(most, static_cast<std::int64_t>(ledger().worker_peak_bytes(w)));
    return {most};
  }

  Verification verify() override {
    get(y_.device(), y_.host());
    Verification verification =
        verify_layer(question(), floats(y_.host()),
                     layer_rows_to_verify(shape_.n_tokens, options_.block_tokens,
                                          case_.measure.verify_rows, case_.seed),
                     options_.threads);
    if (case_.pass == Passes::forward || !verification.correct) return verification;
    get(d_x_.device(), d_x_.host());
    Verification gradients = verify_layer_gradients(
        question(), floats(d_y_.host()), floats(d_x_.host()), *d_weights_, options_.threads);
    verification.correct = gradients.correct;
    verification.message = std::move(gradients.message);
    verification.layer_gradients = std::move(gradients.layer_gradients);
    return verification;
  }

  void report(CaseResult& result) override {
    for (std::size_t i = 0; i < times_.size(); ++i)
      for (const auto& [part, name] : kWords<LayerPart>.rows) {
        RowValues& row = result.parts.emplace_back();
        row.set("repeat", result.samples[i].repeat);
        row.set("warmup", result.samples[i].warmup);
        row.set("part", name);
        row.set("flop", flop_of(part));
        row.set("time_s", times_[i][static_cast<std::size_t>(part)]);
      }
  }

 private:
  static float* floats(const TensorView& view) { return static_cast<float*>(view.data); }

  [[nodiscard]] LayerQuestion question() const {
    return {.shape = shape_,
            .weights = *weights_,
            .x = floats(x_.host()),
            .mask = options_.mask,
            .scale = options_.scale,
            .dtype = case_.dtype,
            .eager = !is_on_host() && case_.kernel == Kernel::materialized};
  }

  [[nodiscard]] double flop_of(LayerPart part) const {
    const std::int64_t pairs = attention_.work.unmasked_pairs;
    double sum = 0.0;
    for (const Pass pass : passes_of(case_.pass))
      sum += pass == Pass::forward ? layer_part_flop(shape_, part, pairs)
                                   : layer_part_backward_flop(shape_, part, pairs);
    return sum;
  }

  // All workers exist at once, so that the peak of the case is a bound.
  void predict_shares(RowValues& values) const {
    const std::int64_t workers = case_.workers;
    LayerOptions options = options_;
    options.workers = case_.workers;
    options.threads = std::max(1, options_.threads / case_.workers);
    const Rehearsal one = rehearse_layer(layer_share(shape_, case_.workers), DType::f32, options,
                                         CpuDevice::Costs(options.threads));
    const std::int64_t states_bytes = shape_.states().elements() * size_of(DType::f32);
    values.set("predicted_device_peak_bytes", one.worker_peak_bytes);
    // All of them read the same hidden states.
    values.set("predicted_active_peak_bytes",
               states_bytes + workers * (one.active_peak_bytes.value() - states_bytes));
    const std::int64_t pairs = ceil_div(attention_.work.unmasked_pairs, workers);
    values.set("critical_path_pairs", pairs);
    values.set("responsibility_ratio",
               static_cast<double>(attention_.work.unmasked_pairs) / static_cast<double>(pairs));
    values.set("device_sent_bytes",
               all_reduce_sent_bytes(shape_, options_.block_tokens, case_.workers));
    // Each of two all-reduces moves every sum over 2 (W - 1) links.
    values.set("moved_bytes", 4 * (workers - 1) * states_bytes);
  }

  [[nodiscard]] const LayerWeights& weights_on_device() const {
    return device_weights_ ? *device_weights_ : *weights_;
  }

  DeviceLayer::Run run_forward() {
    if (is_on_host()) cpu::require_gemm("a transformer layer");
    if (case_.pass != Passes::forward) hold_kept();
    if (!layer_)
      layer_ = std::make_unique<DeviceLayer>(*device_, shape_, case_.dtype, options_, case_.clock,
                                             ledger());
    return layer_->run(weights_on_device(), x_.device(), y_.device(), kept_ ? &*kept_ : nullptr);
  }

  // The sums of the gradients of weights are cleared before the clock starts.
  DeviceLayer::Run run_backward() {
    hold_gradients();
    device_->clear_rows(d_weights_->view());
    return run_layer_backward(
        *device_, shape_, case_.dtype, options_, case_.clock, ledger(),
        {weights_on_device(), x_.device(), *kept_, d_y_.device(), d_x_.device(), *d_weights_});
  }

  Sample run_split(bool verifying) {
    cpu::require_gemm("a transformer layer");
    TensorParallelLayer::Run run =
        split_->run(x_.device(), y_.device(), network_of(case_).limit, message_timeout_s(case_));
    for (const LayerTimes& parts : run.parts)
      run.execution.longest_subsequence_s =
          std::max(run.execution.longest_subsequence_s,
                   parts[static_cast<std::size_t>(LayerPart::attention)]);
    // The parts of the worker that took longest; they contain its all-reduces.
    const std::vector<WorkerTime>& workers = run.execution.workers;
    const auto last = std::ranges::max_element(workers, {}, &WorkerTime::wall_s);
    if (!verifying) times_.push_back(run.parts[static_cast<std::size_t>(last - workers.begin())]);
    return sample_of(case_, run.execution);
  }

  void rehearse_on(const cuda::KernelCosts& costs) {
    try {
      attention_.gpu = rehearse_layer(shape_, case_.dtype, options_, costs);
    } catch (const Unsupported&) {
      attention_.gpu.reset();  // the run reports the reason
    }
  }

  void hold(const std::string&) override {
    times_.clear();
    const int threads = options_.threads;
    // Of a split layer each worker holds its share; the whole is for the reference alone.
    Allocator& of_weights = is_split_layer(case_) ? heap_allocator() : memory_of_host();
    weights_.emplace(random_weights(shape_, case_.seed, of_weights, threads));
    if (!is_shared()) {
      device_weights_.emplace(shape_, ledger(), case_.dtype);
      put(weights_->view(), device_weights_->view());
    }
    x_ = share(random_states(shape_, case_.seed, memory_of_host(), threads), case_.dtype,
               "hidden_states");
    y_ = poisoned_states("output");
    if (is_split_layer(case_))
      split_ = std::make_unique<TensorParallelLayer>(shape_, *weights_, options_, case_.workers,
                                                     ledger());
  }

  // The device reads the tensors of the host.
  [[nodiscard]] bool is_shared() const { return is_on_host() && case_.dtype == DType::f32; }
  [[nodiscard]] Allocator& memory_of_host() {
    return is_shared() ? host_memory() : heap_allocator();
  }

  // States that a pass writes whole, with a pattern that shows what it does not.
  [[nodiscard]] SharedTensor poisoned_states(std::string_view label, int worker = 0) {
    Tensor of_host(memory_of_host(), DType::f32, shape_.states(), label, worker);
    poison(of_host.view());
    return share(std::move(of_host), case_.dtype, label, worker);
  }

  // Makes room for what the forward pass keeps for the backward pass, unless it is there.
  void hold_kept() {
    if (!kept_) kept_.emplace(shape_, case_.dtype, options_, ledger());
  }

  // Makes what the backward pass needs besides, unless it is there. It belongs to no worker.
  void hold_gradients() {
    if (d_weights_) return;
    d_y_ = share(
        random_output_gradients(shape_, case_.seed, memory_of_host(), options_.threads, kRoot),
        case_.dtype, "d_output", kRoot);
    d_x_ = poisoned_states("d_hidden_states", kRoot);
    d_weights_.emplace(shape_, ledger(), DType::f32, "d_weights", kRoot);
    poison(d_weights_->view());
  }

  void release() override {
    layer_.reset();
    split_.reset();
    weights_.reset();
    device_weights_.reset();
    kept_.reset();
    d_weights_.reset();
    for (SharedTensor* const tensor : {&x_, &y_, &d_y_, &d_x_}) *tensor = {};
  }

  PlannedCase attention_;
  LayerShape shape_;
  LayerOptions options_;
  std::optional<LayerWeights> weights_;         // float32, on the host
  std::optional<LayerWeights> device_weights_;  // none where the device reads the host's
  SharedTensor x_;
  SharedTensor y_;
  std::optional<LayerKept> kept_;  // this and the next three: of a backward pass
  SharedTensor d_y_;
  SharedTensor d_x_;
  std::optional<LayerWeights> d_weights_;  // float32, on the device
  std::unique_ptr<DeviceLayer> layer_;
  std::unique_ptr<TensorParallelLayer> split_;  // in place of that
  std::vector<LayerTimes> times_;               // of each timed run
};

}  // namespace

std::unique_ptr<Workload> plan_layer(const Case& c) { return std::make_unique<Layer>(c); }

}  // namespace qb
