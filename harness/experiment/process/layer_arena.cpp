#include "harness/experiment/process/layer_arena.h"

#include <optional>

#include "harness/execute/player/worker.h"
#include "harness/execute/verify/verify.h"
#include "harness/experiment/process/gpu_arena.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/workload/layer/device_layer.h"
#include "harness/workload/layer/layer_weights.h"

namespace qb {
namespace {

// Weights, states and the output in float32.
struct LayerTensors {
  std::optional<LayerWeights> weights;
  Tensor x;
  Tensor y;

  void fill(const Case& c, const PlannedLayer& planned, Allocator& memory) {
    const int threads = planned.options.threads;
    weights.emplace(c.layer_weights ? read_weights(*c.layer_weights, planned.shape, memory)
                                    : random_weights(planned.shape, c.seed, memory, threads));
    x = random_states(planned.shape, c.seed, memory, threads);
    y = Tensor(memory, DType::f32, planned.shape.states(), "output");
    poison(y.view(), TensorView{});
  }

  [[nodiscard]] const float* states() const { return static_cast<const float*>(x.view().data); }
  [[nodiscard]] float* output() const { return static_cast<float*>(y.view().data); }
  [[nodiscard]] LayerQuestion question(const PlannedLayer& planned) const {
    return {planned.shape, *weights, states(), planned.options.mask, planned.options.scale};
  }
};

class CpuLayerArena final : public LayerArena {
 public:
  CpuLayerArena(const Case& c, const PlannedLayer& planned, bool record)
      : case_(c), planned_(planned), ledger_(ledger_options(c, record)) {}

  MemoryLedger& ledger() override { return ledger_; }
  void fill() override { tensors_.fill(case_, planned_, ledger_); }
  LayerTimes execute(bool, Sample& sample) override {
    const double begin_s = now_s();
    const LayerTimes times = run_layer(planned_.shape, *tensors_.weights, tensors_.states(),
                                       tensors_.output(), planned_.options, ledger_);
    sample.wall_s = now_s() - begin_s;
    return times;
  }
  LayerQuestion question() const override { return tensors_.question(planned_); }
  const float* output() const override { return tensors_.output(); }

 private:
  const Case& case_;
  const PlannedLayer& planned_;
  MemoryLedger ledger_;
  LayerTensors tensors_;
};

// The ledger counts the GPU's memory; what is verified stays on the host.
class GpuLayerArena final : public LayerArena {
 public:
  GpuLayerArena(const Case& c, const PlannedLayer& planned, bool record, ComputeDevice& device)
      : case_(c),
        planned_(planned),
        device_(device),
        ledger_(gpu_ledger_options(c, record, device)) {}

  MemoryLedger& ledger() override { return ledger_; }

  void fill() override {
    host_.fill(case_, planned_, heap_allocator());
    weights_.emplace(planned_.shape, ledger_, case_.dtype);
    put(host_.weights->view(), weights_->view());
    x_ = Tensor(ledger_, case_.dtype, planned_.shape.states(), "hidden_states");
    put(host_.x.view(), x_.view());
    y_ = Tensor(ledger_, case_.dtype, planned_.shape.states(), "output");
    const Tensor poisoned(heap_allocator(), case_.dtype, planned_.shape.states(), "poison");
    poison(poisoned.view(), TensorView{});
    device_.upload(poisoned.view(), y_.view());
    device_.wait();
  }

  LayerTimes execute(bool verifying, Sample& sample) override {
    if (!layer_)
      layer_ = std::make_unique<DeviceLayer>(device_, planned_.shape, case_.dtype, planned_.options,
                                             case_.clock, ledger_);
    const DeviceLayerRun run = layer_->run(*weights_, x_.view(), y_.view());
    sample.wall_s = run.wall_s;
    sample.device_s = run.device_s;
    if (verifying) download_output();
    return run.times;
  }

  LayerQuestion question() const override {
    LayerQuestion question = host_.question(planned_);
    question.dtype = case_.dtype;
    question.eager = planned_.options.kernel == Kernel::materialized;
    return question;
  }
  const float* output() const override { return host_.output(); }

  void begin_sample() override {
    if (case_.l2_cache == L2Cache::flushed) flush_.flush(device_, ledger_);
  }
  void end_sample(Sample& sample) override { add_clock(device_, sample); }

 private:
  static void copy(const TensorView& from, const TensorView& to) {
    convert(from.data, from.dtype, to.data, to.dtype, from.extent.elements());
  }

  // Rounded to the layer's type, on the host too: the oracle gets what the device does.
  void put(const TensorView& host, const TensorView& device) {
    const Tensor rounded(heap_allocator(), case_.dtype, host.extent, "rounded");
    copy(host, rounded.view());
    copy(rounded.view(), host);
    device_.upload(rounded.view(), device);
    device_.wait();
  }

  void download_output() {
    const Tensor rounded(heap_allocator(), case_.dtype, planned_.shape.states(), "rounded");
    device_.download(y_.view(), rounded.view());
    copy(rounded.view(), host_.y.view());
  }

  const Case& case_;
  const PlannedLayer& planned_;
  ComputeDevice& device_;
  MemoryLedger ledger_;
  LayerTensors host_;
  std::optional<LayerWeights> weights_;
  Tensor x_;
  Tensor y_;
  std::unique_ptr<DeviceLayer> layer_;
  CacheFlush flush_;
};

}  // namespace

std::unique_ptr<LayerArena> make_cpu_layer_arena(const Case& c, const PlannedLayer& planned,
                                                 bool record) {
  return std::make_unique<CpuLayerArena>(c, planned, record);
}

std::unique_ptr<LayerArena> make_gpu_layer_arena(const Case& c, const PlannedLayer& planned,
                                                 bool record, ComputeDevice& device) {
  return std::make_unique<GpuLayerArena>(c, planned, record, device);
}

}  // namespace qb
