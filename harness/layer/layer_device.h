// What a transformer layer is computed with: products, passes and attention, on the CPU or on a
// device, in one element type.
#pragma once

#include <functional>

#include "harness/layer/transformer_layer.h"
#include "kernels/layer_call.h"

namespace qb {

class LayerDevice {
 public:
  virtual ~LayerDevice() = default;
  // Of states, weights and everything that is kept between parts.
  [[nodiscard]] virtual DType dtype() const = 0;
  // Of the attention kernel.
  [[nodiscard]] virtual KernelTiles tiles(std::int64_t head_dim) const = 0;

  virtual void linear(const LinearCall& call) = 0;
  virtual void bias_gelu(const GeluCall& call) = 0;
  virtual void add_norm(const NormCall& call) = 0;
  // As qb::attention, but `out` is of dtype().
  virtual void attend(const AttentionArguments& arguments) = 0;

  // Does the work, or enqueues it; its time is the part's.
  virtual void timed(LayerPart part, const std::function<void()>& work) = 0;
};

// run_layer() with a device: weights, x and y are of its type and where it reads them. What comes
// from the allocator is its memory. Done when the device has done it.
void compute_layer(LayerDevice& device, const LayerShape& shape, const LayerWeights& weights,
                   const void* x, void* y, const LayerOptions& options, Allocator& allocator);

}  // namespace qb
