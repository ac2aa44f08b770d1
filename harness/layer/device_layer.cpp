#include "harness/layer/device_layer.h"

#include "harness/layer/layer_device.h"

namespace qb {
namespace {

class OnDevice final : public LayerDevice {
 public:
  OnDevice(ComputeDevice& device, DType dtype, Kernel kernel, ClockKind clock, Allocator& memory)
      : device_(device), dtype_(dtype), kernel_(kernel), memory_(memory), watch_(device, clock) {
    watch_.start();
  }

  DType dtype() const override { return dtype_; }
  KernelTiles tiles(std::int64_t head_dim) const override {
    return device_.tiles(kernel_, head_dim);
  }

  void linear(const LinearCall& call) override { device_.linear(call, memory_); }
  void bias_gelu(const GeluCall& call) override { device_.bias_gelu(call); }
  void add_norm(const NormCall& call) override { device_.add_norm(call); }
  void attend(const AttentionArguments& arguments) override {
    if (dtype_ == DType::f32) return device_.attention(kernel_, arguments, memory_, 0, {});
    AttentionArguments wide = arguments;
    const Tensor out(memory_, DType::f32, flat(arguments.out).extent, "context_f32");
    wide.out.data = out.view().data;
    wide.out.dtype = DType::f32;
    device_.attention(kernel_, wide, memory_, 0, {});
    device_.narrow_rows(out.view(), flat(arguments.out));
  }

  void timed(LayerPart part, const std::function<void()>& work) override {
    watch_.charge(&run_.times[static_cast<std::size_t>(part)]);
    work();
  }

  DeviceLayerRun finish() {
    watch_.stop();
    run_.wall_s = watch_.wall_s();
    run_.device_s = watch_.device_s();
    return run_;
  }

 private:
  // Heads that lie side by side in rows without a gap, as one row.
  static TensorView flat(const TensorView& heads) {
    return contiguous_view(heads.data, heads.dtype, {1, 1, 1, heads.extent.elements()});
  }

  ComputeDevice& device_;
  DType dtype_;
  Kernel kernel_;
  Allocator& memory_;
  Stopwatch watch_;
  DeviceLayerRun run_;
};

}  // namespace

DeviceLayerRun run_device_layer(ComputeDevice& device, const LayerShape& shape,
                                const LayerWeights& weights, const TensorView& x,
                                const TensorView& y, const LayerOptions& options, ClockKind clock,
                                Allocator& allocator) {
  device.require(options.kernel, x.dtype, shape.head_dim);
  OnDevice layer(device, x.dtype, options.kernel, clock, allocator);
  compute_layer(layer, shape, weights, x.data, y.data, options, allocator);
  return layer.finish();
}

}  // namespace qb
