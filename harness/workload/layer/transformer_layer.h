// SPDX-License-Identifier: Apache-2.0
// One encoder layer as BERT has it, with norms after the residual sums:
//
//   a = norm(x + attention(x Wq, x Wk, x Wv) Wo)      y = norm(a + gelu(a W1) W2)
//
// Every product has a bias. Hidden states are [batch, N, H] with the heads side by side in H. The
// layer runs in blocks of query tokens (Blockwise Parallel Transformer, Liu and Abbeel 2023, arXiv
// 2305.19370): it computes keys and values of the whole sequence first, then block by block the
// queries, attention, feed-forward and norms, so that the feed-forward's activation [N, F] never
// exists whole. The plain layer has one block. Keys and values are freed after the last block's
// attention. Sequences of a batch run one after another. layer_backward.h has the backward pass.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/words.h"
#include "harness/run/device/stopwatch.h"
#include "harness/workload/layer/layer_weights.h"
#include "kernels/attention.h"
#include "kernels/mask/mask.h"

namespace qb {

struct LayerKept;

// They run in this order. The norms and the GELU add the biases and residual sums before them. The
// all-reduces of tensor parallelism belong to the products before them.
enum class LayerPart {
  qkv,
  attention,
  attention_output,
  attention_norm,
  feed_forward_in,
  gelu,
  feed_forward_out,
  output_norm
};

QB_WORDS(LayerPart, "layer part", qkv, attention, attention_output, attention_norm, feed_forward_in,
         gelu, feed_forward_out, output_norm);
inline constexpr std::size_t kLayerParts = std::size(kWords<LayerPart>.rows);

inline constexpr double kLayerNormEpsilon = 1e-12;

struct LayerOptions {
  Mask mask;  // for one sequence: no segments
  double scale = 1.0;
  Kernel kernel = Kernel::flash;
  std::int64_t block_tokens = 0;  // 0, or N and above: the plain layer
  int threads = 1;
  // tensor_parallel.h: the layer is the share of one of `workers` workers. Then it is in f32 on the
  // host, and all_reduce adds the others' parts of `count` sums to its own; `received` has room for
  // one worker's part of them, rounded up. Without all_reduce (a rehearsal) nothing is added.
  int workers = 1;
  std::function<void(float* sums, std::int64_t count, float* received)> all_reduce{};
};

using LayerTimes = std::array<double, kLayerParts>;  // seconds over all blocks and sequences

// Runs one layer any number of times. On a GPU it makes the blocks' schedules once and keeps what
// flash reads of them on the device, so that a run is kernels only. On the CPU each run makes them,
// and their time counts as attention, as it does where a worker computes.
class DeviceLayer {
 public:
  struct Run {
    LayerTimes times{};     // on the device's clock; on a GPU a part lasts until the next begins
    double wall_s = 0.0;    // on the host's clock, until the device has finished
    double device_s = 0.0;  // 0 on the CPU
  };

  // The device and the allocator of its memory must outlive it. Throws Unsupported, OutOfMemory.
  DeviceLayer(ComputeDevice& device, const LayerShape& shape, DType dtype,
              const LayerOptions& options, ClockKind clock, Allocator& allocator);
  ~DeviceLayer();
  DeviceLayer(const DeviceLayer&) = delete;
  DeviceLayer& operator=(const DeviceLayer&) = delete;

  // weights, x [batch, N, H] and y are in the device's memory and have the layer's type: f16, bf16
  // or f32, as has all that parts keep for later parts; the computation is in float32. Attention's
  // output is float32, so a 16-bit layer rounds it in a separate pass, which counts as attention.
  // Throws OutOfMemory.
  //
  // keep: filled with what the backward pass of this run needs (layer_blocks.h), which costs copies
  // of the products that norms and the GELU overwrite; nullptr where none follows. It is made for
  // the same shape, type and options.
  [[nodiscard]] Run run(const LayerWeights& weights, const TensorView& x, const TensorView& y,
                        const LayerKept* keep = nullptr);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// FLOP of a part: 2 for each multiply-add of a matrix product, 4 d for each of `pairs` query-key
// pairs a head; norms and GELU count as 0.
[[nodiscard]] double layer_part_flop(const LayerShape& shape, LayerPart part, std::int64_t pairs);

}  // namespace qb
