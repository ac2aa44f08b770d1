// An encoder layer around attention, computed by one worker on the CPU or on a GPU, or by several
// workers of one CPU with tensor parallelism.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/integers.h"
#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/execute/device/cpu_device.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/tensor_parallel.h"
#include "harness/workload/layer/transformer_layer.h"
#include "harness/workload/prediction.h"
#include "harness/workload/workload.h"
#include "kernels/cpu/gemm.h"

namespace qb {
namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw Unsupported("a transformer layer " + otherwise);
}

void require_supported_on_gpu(const Case& c) {
  require(c.kernel == Kernel::flash || c.kernel == Kernel::materialized,
          fmt::format("takes flash or materialized on a GPU, not {}", word(c.kernel)));
  require(
      c.dtype != DType::f32 || c.kernel == Kernel::materialized,
      "in f32 takes kernel materialized on a GPU, not flash; the nearest of flash is dtype f16");
  require(c.launch == Launch::alone,
          fmt::format("has one worker, so that launch is alone, not {}", word(c.launch)));
  require(c.l2_cache != L2Cache::rotated,
          "has one set of weights, so that l2_cache is flushed or warm, not rotated");
}

bool is_split(const Case& c) { return c.algorithm == kTensorParallel; }

void require_supported_split(const Case& c) {
  require(c.ranks == Ranks::threads && c.device != Device::cuda,
          fmt::format("by tensor_parallel needs ranks: threads and device: cpu, not {} and {}",
                      word(c.ranks), word(c.device)));
  require(c.dtype == DType::f32,
          fmt::format("by tensor_parallel is computed in f32, not {}", word(c.dtype)));
}

void require_supported(const Case& c) {
  if (is_split(c))
    require_supported_split(c);
  else
    require(c.algorithm == "dense" && c.workers == 1 && c.ranks == Ranks::serial,
            fmt::format("is computed by one worker: algorithm: dense, workers: 1 and ranks: "
                        "serial, not {}, {} and {}; or by several: algorithm: tensor_parallel and "
                        "ranks: threads",
                        c.algorithm, c.workers, word(c.ranks)));
  if (c.device == Device::cuda)
    require_supported_on_gpu(c);
  else
    require(c.kernel != Kernel::staged && c.kernel != Kernel::cudnn,
            fmt::format("takes flash, materialized or reference, not {}", word(c.kernel)));
  require(c.dtype != DType::f64, "is computed in f16, bf16 or f32, not f64");
  require(!c.worker_speeds, "has workers of one speed; leave out worker_speeds");
  require(c.shape.kv_len == c.shape.q_len && !c.sequences,
          "attends to its own tokens: leave out kv_len and sequences");
}

// The attention of the whole layer as one worker computes it; no plan splits its heads.
Case whole_attention(Case c) {
  if (!is_split(c)) return c;
  c.algorithm = "dense";
  c.workers = 1;
  return c;
}

class Layer final : public Workload {
 public:
  explicit Layer(const Case& c) : Workload(c) {
    require_supported(c);
    attention_ = plan_case(whole_attention(c));
    const Problem& problem = attention_.plan.problem;
    shape_ = {.batch = c.shape.batch,
              .n_tokens = c.shape.q_len,
              .heads = c.shape.q_heads,
              .head_dim = c.shape.head_dim,
              .feed_forward_dim = c.layer_feed_forward_dim,
              .kv_heads = c.shape.kv_heads};
    options_ = {problem.mask, problem.scale, c.kernel, c.layer_block_tokens, attention_.threads};
    if (is_split(c)) (void)layer_share(shape_, c.workers);  // throws where it does not divide
  }

  // Pairs are those of the attention's plan; FLOP and bytes are those of the whole layer.
  RowValues predict(const cuda::KernelCosts* costs) override {
    const bool on_gpu = case_.device == Device::cuda;
    if (on_gpu && costs != nullptr && !infeasible(case_, flop())) rehearse_on(*costs);
    RowValues values = prediction_columns(case_, attention_);
    values["unmasked_flop"] = to_text(flop());
    if (on_gpu) return values;  // the rehearsal gave its columns
    // The plan counts the tiles of the whole sequence, not of blocks.
    if (options_.block_tokens != 0) values.erase("executed_pairs");
    if (is_split(case_)) {
      predict_shares(values);
      return values;
    }
    const Rehearsal on_cpu =
        rehearse_layer(shape_, case_.dtype, options_, CpuDevice::Costs(options_.threads));
    values["predicted_worker_active_peak_bytes"] = to_text(on_cpu.worker_peak_bytes.value());
    values["predicted_active_peak_bytes"] = to_text(on_cpu.active_peak_bytes.value());
    return values;
  }
  double flop() const override {
    double sum = 0.0;
    for (const auto& entry : kWords<LayerPart>.rows) sum += flop_of(entry.first);
    return sum;
  }
  int threads() const override { return options_.threads; }
  std::optional<std::string> flaw() const override { return attention_.flaw; }

  // The one worker's time is the critical path, the sum and the wall clock at once.
  Sample run(bool verifying) override {
    if (is_on_host()) cpu::require_gemm("a transformer layer");
    if (split_) return run_split(verifying);
    if (!layer_)
      layer_ = std::make_unique<DeviceLayer>(*device_, shape_, case_.dtype, options_, case_.clock,
                                             ledger());
    const LayerWeights& weights = device_weights_ ? *device_weights_ : *weights_;
    const DeviceLayer::Run run = layer_->run(weights, x_.device(), y_.device());
    worker_peak_bytes_ = static_cast<std::int64_t>(ledger().worker_peak_bytes(0));
    if (!verifying) times_.push_back(run.times);
    Sample sample{.wall_s = run.wall_s, .critical_path_s = run.wall_s, .worker_sum_s = run.wall_s};
    sample.longest_subsequence_s = run.times[static_cast<std::size_t>(LayerPart::attention)];
    if (!is_on_host()) sample.device_s = run.device_s;
    return sample;
  }
  std::optional<std::int64_t> worker_peak_bytes() const override { return worker_peak_bytes_; }

  Verification verify() override {
    get(y_.device(), y_.host());
    return verify_layer({shape_, *weights_, floats(x_.host()), options_.mask, options_.scale,
                         case_.dtype, !is_on_host() && case_.kernel == Kernel::materialized},
                        floats(y_.host()),
                        layer_rows_to_verify(shape_.n_tokens, options_.block_tokens,
                                             case_.measure.verify_rows, case_.seed),
                        options_.threads);
  }

  void report(CaseResult& result) override {
    if (split_) report_messages(result);
    for (std::size_t i = 0; i < times_.size(); ++i)
      for (const auto& [part, name] : kWords<LayerPart>.rows)
        result.parts.push_back({to_text(std::int64_t{result.samples[i].repeat}),
                                result.samples[i].warmup ? "1" : "0", std::string(name),
                                to_text(flop_of(part)),
                                to_text(times_[i][static_cast<std::size_t>(part)])});
  }

 private:
  static float* floats(const TensorView& view) { return static_cast<float*>(view.data); }

  [[nodiscard]] double flop_of(LayerPart part) const {
    return layer_part_flop(shape_, part, attention_.work.unmasked_pairs);
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
    values["predicted_worker_active_peak_bytes"] = to_text(one.worker_peak_bytes.value());
    // All of them read the same hidden states.
    values["predicted_active_peak_bytes"] =
        to_text(states_bytes + workers * (one.active_peak_bytes.value() - states_bytes));
    const std::int64_t pairs = ceil_div(attention_.work.unmasked_pairs, workers);
    values["critical_path_pairs"] = to_text(pairs);
    values["responsibility_ratio"] =
        to_text(static_cast<double>(attention_.work.unmasked_pairs) / static_cast<double>(pairs));
    values["worker_sent_bytes"] =
        to_text(all_reduce_sent_bytes(shape_, options_.block_tokens, case_.workers));
    // Each of two all-reduces moves every sum over 2 (W - 1) links.
    values["moved_bytes"] = to_text(4 * (workers - 1) * states_bytes);
  }

  Sample run_split(bool verifying) {
    TensorParallelLayer::Run run = split_->run(x_.device(), y_.device());
    worker_peak_bytes_ = 0;
    Sample sample{.wall_s = run.wall_s, .critical_path_s = run.wall_s};
    for (int w = 0; w < case_.workers; ++w) {
      const TensorParallelLayer::WorkerRun& worker = run.workers[static_cast<std::size_t>(w)];
      worker_peak_bytes_ =
          std::max(worker_peak_bytes_, static_cast<std::int64_t>(ledger().worker_peak_bytes(w)));
      sample.worker_sum_s += worker.wall_s;
      sample.longest_subsequence_s =
          std::max(sample.longest_subsequence_s,
                   worker.times[static_cast<std::size_t>(LayerPart::attention)]);
    }
    if (!verifying) {
      // The parts of the worker that took longest; they contain its all-reduces.
      const auto longest =
          std::ranges::max_element(run.workers, {}, &TensorParallelLayer::WorkerRun::wall_s);
      times_.push_back(longest->times);
      runs_.push_back(std::move(run));
    }
    return sample;
  }

  // Adds for each part the median over repeats of the worker that has the most of it.
  void report_messages(CaseResult& result) const {
    using WorkerRun = TensorParallelLayer::WorkerRun;
    const auto add = [&](const char* column, double (*seconds)(const WorkerRun&)) {
      std::vector<double> most;
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (result.samples[i].warmup) continue;
        most.push_back(0.0);
        for (const WorkerRun& worker : runs_[i].workers)
          most.back() = std::max(most.back(), seconds(worker));
      }
      result.values[column] = to_text(median(most));
    };
    add("compute_median_s", [](const WorkerRun& w) { return w.wall_s - w.all_reduce_s; });
    // Nothing is computed during an all-reduce, which hides none of it.
    const auto on_the_way = [](const WorkerRun& w) { return w.all_reduce_s - w.idle_s; };
    add("communication_median_s", on_the_way);
    add("exposed_communication_median_s", on_the_way);
    add("idle_median_s", [](const WorkerRun& w) { return w.idle_s; });
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
    runs_.clear();
    const int threads = options_.threads;
    const bool is_shared = is_on_host() && case_.dtype == DType::f32;
    Allocator& memory = is_shared ? host_memory() : heap_allocator();
    // Of a split layer each worker holds its share; the whole is for the reference alone.
    Allocator& of_weights = is_split(case_) ? heap_allocator() : memory;
    weights_.emplace(case_.layer_weights ? read_weights(*case_.layer_weights, shape_, of_weights)
                                         : random_weights(shape_, case_.seed, of_weights, threads));
    if (!is_shared) {
      device_weights_.emplace(shape_, ledger(), case_.dtype);
      put(weights_->view(), device_weights_->view());
    }
    x_ = share(random_states(shape_, case_.seed, memory, threads), case_.dtype, "hidden_states");
    Tensor y(memory, DType::f32, shape_.states(), "output");
    poison(y.view(), TensorView{});
    y_ = share(std::move(y), case_.dtype, "output");
    if (is_split(case_))
      split_ = std::make_unique<TensorParallelLayer>(
          shape_, *weights_,
          TensorParallelOptions{options_, case_.workers, link_of(case_), message_timeout_s(case_)},
          ledger());
  }

  void release() override {
    layer_.reset();
    split_.reset();
    weights_.reset();
    device_weights_.reset();
    x_ = {};
    y_ = {};
  }

  PlannedCase attention_;
  LayerShape shape_;
  LayerOptions options_;
  std::optional<LayerWeights> weights_;         // float32, on the host
  std::optional<LayerWeights> device_weights_;  // none where the device reads the host's
  SharedTensor x_;
  SharedTensor y_;
  std::unique_ptr<DeviceLayer> layer_;
  std::unique_ptr<TensorParallelLayer> split_;  // in place of that
  std::int64_t worker_peak_bytes_ = 0;
  std::vector<LayerTimes> times_;               // of each timed run
  std::vector<TensorParallelLayer::Run> runs_;  // likewise, where the layer is split
};

}  // namespace

std::unique_ptr<Workload> plan_layer(const Case& c) { return std::make_unique<Layer>(c); }

}  // namespace qb
