// The layer with the CPU's kernels, in float32.
#include "harness/execute/player/worker.h"
#include "harness/workload/layer/layer_device.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/layer_parts.h"

namespace qb {
namespace {

const float* floats(const void* data) { return static_cast<const float*>(data); }
float* floats(void* data) { return static_cast<float*>(data); }

class CpuLayer final : public LayerDevice {
 public:
  CpuLayer(const LayerShape& shape, const LayerOptions& options, Allocator& workspace)
      : shape_(shape), options_(options), workspace_(workspace) {}

  DType dtype() const override { return DType::f32; }

  void linear(const LinearCall& call) override {
    cpu::linear({call.in, call.out, floats(call.weight), floats(call.bias)}, call.rows,
                floats(call.x), floats(call.y), call.y_stride, options_.threads);
  }
  void bias_gelu(const GeluCall& call) override {
    cpu::bias_gelu(call.rows, call.width, floats(call.y), floats(call.bias), options_.threads);
  }
  void add_norm(const NormCall& call) override {
    cpu::add_norm({call.width, floats(call.scale), floats(call.shift), call.epsilon}, call.rows,
                  floats(call.y), floats(call.bias), floats(call.residual), options_.threads);
  }
  void attend(const QueryBlock& block, const AttentionArguments& arguments) override {
    const TileSchedule schedule =
        block_schedule(shape_, options_, kernel_tiles(options_.kernel, shape_.head_dim), block);
    AttentionArguments with_schedule = arguments;
    with_schedule.schedule = &schedule;
    attention(options_.kernel, with_schedule, {workspace_, options_.threads, 0});
  }

  void timed(LayerPart part, const std::function<void()>& work) override {
    const double begin_s = now_s();
    work();
    times_[static_cast<std::size_t>(part)] += now_s() - begin_s;
  }
  [[nodiscard]] const LayerTimes& times() const { return times_; }

 private:
  const LayerShape& shape_;
  const LayerOptions& options_;
  Allocator& workspace_;
  LayerTimes times_{};
};

}  // namespace

LayerTimes run_layer(const LayerShape& shape, const LayerWeights& weights, const float* x, float* y,
                     const LayerOptions& options, Allocator& allocator) {
  cpu::require_gemm("a transformer layer");
  CpuLayer device(shape, options, allocator);
  compute_layer(device, shape, weights, x, y, options, allocator);
  return device.times();
}

}  // namespace qb
