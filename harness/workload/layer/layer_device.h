// What a transformer layer is computed with: products, passes and attention, on the CPU or on a
// device, in one element type.
#pragma once

#include <functional>
#include <vector>

#include "harness/workload/layer/transformer_layer.h"
#include "kernels/layer_call.h"
#include "kernels/tile_schedule.h"

namespace qb {

// Query rows [begin, end) of the sequence.
struct QueryBlock {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t rows() const { return end - begin; }
};

// One after another.
[[nodiscard]] std::vector<QueryBlock> query_blocks(const LayerShape& shape,
                                                   const LayerOptions& options);
// The spans of a block's rows over all keys, for a kernel of such tiles.
[[nodiscard]] TileSchedule block_schedule(const LayerShape& shape, const LayerOptions& options,
                                          const KernelTiles& tiles, const QueryBlock& block);

// Where a block's attention reads and writes: heads side by side in rows.
struct BlockBuffers {
  void* queries = nullptr;
  void* keys_values = nullptr;
  void* context = nullptr;
  void* lse = nullptr;
};
// Without a schedule.
[[nodiscard]] AttentionArguments block_attention(const LayerShape& shape, DType dtype, double scale,
                                                 std::int64_t rows, const BlockBuffers& buffers);

class LayerDevice {
 public:
  virtual ~LayerDevice() = default;
  // Of states, weights and everything that is kept between parts.
  [[nodiscard]] virtual DType dtype() const = 0;

  virtual void linear(const LinearCall& call) = 0;
  virtual void bias_gelu(const GeluCall& call) = 0;
  virtual void add_norm(const NormCall& call) = 0;
  // As qb::attention, but `out` is of dtype(), and the schedule of the block's rows is the device's
  // to give: the arguments have none.
  virtual void attend(const QueryBlock& block, const AttentionArguments& arguments) = 0;

  // Does the work, or enqueues it; its time is the part's.
  virtual void timed(LayerPart part, const std::function<void()>& work) = 0;
};

// run_layer() with a device: weights, x and y are of its type and where it reads them. What comes
// from the allocator is its memory. Done when the device has done it.
void compute_layer(LayerDevice& device, const LayerShape& shape, const LayerWeights& weights,
                   const void* x, void* y, const LayerOptions& options, Allocator& allocator);

}  // namespace qb
