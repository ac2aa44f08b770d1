#include "harness/workload/layer/transformer_layer.h"

#include "harness/execute/device/cpu_device.h"
#include "harness/workload/layer/device_layer.h"
#include "kernels/cpu/gemm.h"

namespace qb {

LayerTimes run_layer(const LayerShape& shape, const LayerWeights& weights, const float* x, float* y,
                     const LayerOptions& options, Allocator& allocator) {
  cpu::require_gemm("a transformer layer");
  CpuDevice device(options.threads);
  DeviceLayer layer(device, shape, DType::f32, options, ClockKind::synchronized, allocator);
  const auto states = [&](const float* data) {
    return contiguous_view(const_cast<float*>(data), DType::f32, shape.states());
  };
  return layer.run(weights, states(x), states(y)).times;
}

double layer_part_flop(const LayerShape& shape, LayerPart part, std::int64_t pairs) {
  const auto tokens = static_cast<double>(shape.batch * shape.n_tokens);
  const auto hidden = static_cast<double>(shape.hidden());
  const auto wide = static_cast<double>(shape.feed_forward_dim);
  switch (part) {
    case LayerPart::qkv:
      return 6.0 * tokens * hidden * hidden;
    case LayerPart::attention:
      return 4.0 * static_cast<double>(shape.batch) * static_cast<double>(pairs) * hidden;
    case LayerPart::attention_output:
      return 2.0 * tokens * hidden * hidden;
    case LayerPart::feed_forward_in:
    case LayerPart::feed_forward_out:
      return 2.0 * tokens * hidden * wide;
    case LayerPart::attention_norm:
    case LayerPart::gelu:
    case LayerPart::output_norm:
      break;
  }
  return 0.0;
}

}  // namespace qb
