#include "harness/workload/layer/device_layer.h"

#include <algorithm>
#include <vector>

#include "harness/execute/memory/system_memory.h"
#include "harness/workload/layer/layer_device.h"

namespace qb {
namespace {

// For calls of which nothing is read but shapes, strides and alignment: as what an allocator hands
// out is aligned.
void* address_only() { return reinterpret_cast<void*>(kHugePageBytes); }

}  // namespace

class DeviceLayer::OnDevice final : public LayerDevice {
 public:
  OnDevice(ComputeDevice& device, const LayerShape& shape, DType dtype, const LayerOptions& options,
           ClockKind clock, Allocator& memory)
      : device_(device),
        shape_(shape),
        dtype_(dtype),
        options_(options),
        memory_(memory),
        watch_(device, clock) {
    const KernelTiles tiles = device.tiles(options.kernel, shape.head_dim);
    for (const QueryBlock& block : query_blocks(shape, options)) {
      blocks_.push_back({block.begin, block_schedule(shape, options, tiles, block), nullptr});
      AttentionArguments call =
          block_attention(shape, dtype, options.scale, block.rows(),
                          {address_only(), address_only(), address_only(), address_only()});
      call.out.dtype = DType::f32;
      call.schedule = &blocks_.back().schedule;
      blocks_.back().kept = device.keep_schedule(options.kernel, call, memory, 0);
      if (blocks_.back().kept) blocks_.back().schedule = {};
    }
  }

  DType dtype() const override { return dtype_; }

  void linear(const LinearCall& call) override { device_.linear(call, memory_); }
  void bias_gelu(const GeluCall& call) override { device_.bias_gelu(call); }
  void add_norm(const NormCall& call) override { device_.add_norm(call); }
  void attend(const QueryBlock& block, const AttentionArguments& arguments) override {
    const Block& own = *std::ranges::find(blocks_, block.begin, &Block::begin);
    AttentionArguments call = arguments;
    call.schedule = &own.schedule;
    if (dtype_ == DType::f32) return attend(own, call);
    const Tensor out(memory_, DType::f32, flat(arguments.out).extent, "context_f32");
    call.out.data = out.view().data;
    call.out.dtype = DType::f32;
    attend(own, call);
    device_.narrow_rows(out.view(), flat(arguments.out));
  }

  void timed(LayerPart part, const std::function<void()>& work) override {
    watch_.charge(&run_.times[static_cast<std::size_t>(part)]);
    work();
  }

  DeviceLayerRun run(const LayerWeights& weights, const TensorView& x, const TensorView& y) {
    run_ = {};
    watch_.start();
    compute_layer(*this, shape_, weights, x.data, y.data, options_, memory_);
    watch_.stop();
    run_.wall_s = watch_.wall_s();
    run_.device_s = watch_.device_s();
    return run_;
  }

 private:
  struct Block {
    std::int64_t begin = 0;
    TileSchedule schedule;  // empty where one is kept
    std::unique_ptr<KeptSchedule> kept;
  };

  void attend(const Block& block, const AttentionArguments& call) {
    if (block.kept) return block.kept->attend(call, memory_);
    device_.attention(options_.kernel, call, memory_, 0, {});
  }

  // Heads that lie side by side in rows without a gap, as one row.
  static TensorView flat(const TensorView& heads) {
    return contiguous_view(heads.data, heads.dtype, {1, 1, 1, heads.extent.elements()});
  }

  ComputeDevice& device_;
  const LayerShape shape_;
  const DType dtype_;
  const LayerOptions options_;
  Allocator& memory_;
  Stopwatch watch_;
  DeviceLayerRun run_;
  std::vector<Block> blocks_;
};

DeviceLayer::DeviceLayer(ComputeDevice& device, const LayerShape& shape, DType dtype,
                         const LayerOptions& options, ClockKind clock, Allocator& allocator) {
  device.require(options.kernel, dtype, shape.head_dim);
  on_device_ = std::make_unique<OnDevice>(device, shape, dtype, options, clock, allocator);
}

DeviceLayer::~DeviceLayer() = default;

DeviceLayerRun DeviceLayer::run(const LayerWeights& weights, const TensorView& x,
                                const TensorView& y) {
  return on_device_->run(weights, x, y);
}

}  // namespace qb
