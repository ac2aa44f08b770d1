// One encoder layer as BERT has it, with norms after the residual sums:
//
//   a = norm(x + attention(x Wq, x Wk, x Wv) Wo)      y = norm(a + gelu(a W1) W2)
//
// Every product has a bias. Hidden states are [batch, N, H] with the heads side by side in H. They
// are float32 on the CPU here; device_layer.h has the layer on any device.
//
// The layer runs in blocks of query tokens (Blockwise Parallel Transformer, Liu and Abbeel 2023,
// arXiv 2305.19370): it computes keys and values of the whole sequence first, then for one block
// after another the queries, attention, feed-forward and norms, so that the feed-forward's
// activation [N, F] never exists whole. The plain layer has one block as long as the sequence. Keys
// and values are freed after the last block's attention. Sequences of a batch run one after
// another.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/words.h"
#include "harness/workload/layer/layer_weights.h"
#include "kernels/attention.h"
#include "kernels/mask/mask.h"

namespace qb {

// The order is that in which they run. Biases and residual sums are in the pass that follows them:
// the norms and the GELU.
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

template <>
inline constexpr auto kWords<LayerPart> =
    word_table<LayerPart>("layer part", {{LayerPart::qkv, "qkv"},
                                         {LayerPart::attention, "attention"},
                                         {LayerPart::attention_output, "attention_output"},
                                         {LayerPart::attention_norm, "attention_norm"},
                                         {LayerPart::feed_forward_in, "feed_forward_in"},
                                         {LayerPart::gelu, "gelu"},
                                         {LayerPart::feed_forward_out, "feed_forward_out"},
                                         {LayerPart::output_norm, "output_norm"}});
inline constexpr std::size_t kLayerParts = std::size(kWords<LayerPart>.rows);

inline constexpr double kLayerNormEpsilon = 1e-12;

struct LayerOptions {
  Mask mask;  // for one sequence: no segments
  double scale = 1.0;
  Kernel kernel = Kernel::flash;
  std::int64_t block_tokens = 0;  // 0, or N and above: the plain layer
  int threads = 1;
};

// Seconds of each part, summed over blocks and sequences.
using LayerTimes = std::array<double, kLayerParts>;

// x and y are [batch, N, H], contiguous and do not overlap. All other memory but the weights comes
// from the allocator, and is freed.
LayerTimes run_layer(const LayerShape& shape, const LayerWeights& weights, const float* x, float* y,
                     const LayerOptions& options, Allocator& allocator);

// FLOP of a part: 2 for each multiply-add of a matrix product, 4 d for each of `pairs` query-key
// pairs a head; norms and GELU count as 0.
[[nodiscard]] double layer_part_flop(const LayerShape& shape, LayerPart part, std::int64_t pairs);

}  // namespace qb
