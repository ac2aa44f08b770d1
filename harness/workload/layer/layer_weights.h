// SPDX-License-Identifier: Apache-2.0
// The 16 tensors of an encoder layer, in float32. Their names are those of a layer in a BERT
// checkpoint (the state dict of a BertLayer). A weight is [out, in]: the layer multiplies by its
// transpose.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "kernels/allocator.h"
#include "kernels/tensor.h"

namespace qb {

// N is n_tokens, H the hidden width, heads * head_dim in a whole layer, and F the width of the
// feed-forward. What a worker of tensor_parallel.h computes is a layer with a part of the heads and
// of F, and the whole of H.
struct LayerShape {
  std::int64_t batch = 1;
  std::int64_t n_tokens = 0;
  std::int64_t heads = 1;
  std::int64_t head_dim = 64;
  std::int64_t feed_forward_dim = 0;
  std::int64_t kv_heads = 0;      // 0: as many as heads
  std::int64_t hidden_width = 0;  // 0: heads * head_dim

  [[nodiscard]] std::int64_t hidden() const {
    return hidden_width == 0 ? query_width() : hidden_width;
  }
  [[nodiscard]] std::int64_t query_width() const { return heads * head_dim; }
  [[nodiscard]] std::int64_t key_heads() const { return kv_heads == 0 ? heads : kv_heads; }
  [[nodiscard]] std::int64_t key_width() const { return key_heads() * head_dim; }
  // The hidden states that go in and come out, [batch, N, H].
  [[nodiscard]] Extent states() const { return {batch, 1, n_tokens, hidden()}; }
  friend bool operator==(const LayerShape&, const LayerShape&) = default;
};

// The order is that in memory: query, key and value are one weight and one bias, [3H, H] and [3H]
// without grouped heads, so that one product can compute any neighbours of them.
enum class LayerTensor {
  query_weight,
  key_weight,
  value_weight,
  query_bias,
  key_bias,
  value_bias,
  attention_output_weight,
  attention_output_bias,
  attention_norm_scale,
  attention_norm_shift,
  feed_forward_in_weight,
  feed_forward_in_bias,
  feed_forward_out_weight,
  feed_forward_out_bias,
  output_norm_scale,
  output_norm_shift
};

[[nodiscard]] constexpr bool is_of_keys_or_values(LayerTensor tensor) {
  return tensor == LayerTensor::key_weight || tensor == LayerTensor::value_weight ||
         tensor == LayerTensor::key_bias || tensor == LayerTensor::value_bias;
}

template <>
inline constexpr auto kWords<LayerTensor> = word_table<LayerTensor>(
    "layer tensor", {{LayerTensor::query_weight, "attention.self.query.weight"},
                     {LayerTensor::key_weight, "attention.self.key.weight"},
                     {LayerTensor::value_weight, "attention.self.value.weight"},
                     {LayerTensor::query_bias, "attention.self.query.bias"},
                     {LayerTensor::key_bias, "attention.self.key.bias"},
                     {LayerTensor::value_bias, "attention.self.value.bias"},
                     {LayerTensor::attention_output_weight, "attention.output.dense.weight"},
                     {LayerTensor::attention_output_bias, "attention.output.dense.bias"},
                     {LayerTensor::attention_norm_scale, "attention.output.LayerNorm.weight"},
                     {LayerTensor::attention_norm_shift, "attention.output.LayerNorm.bias"},
                     {LayerTensor::feed_forward_in_weight, "intermediate.dense.weight"},
                     {LayerTensor::feed_forward_in_bias, "intermediate.dense.bias"},
                     {LayerTensor::feed_forward_out_weight, "output.dense.weight"},
                     {LayerTensor::feed_forward_out_bias, "output.dense.bias"},
                     {LayerTensor::output_norm_scale, "output.LayerNorm.weight"},
                     {LayerTensor::output_norm_shift, "output.LayerNorm.bias"}});

// Returns [out, in], [out] or, for norms, [H].
[[nodiscard]] std::vector<std::int64_t> tensor_shape(const LayerShape& shape, LayerTensor tensor);
[[nodiscard]] std::int64_t tensor_elements(const LayerShape& shape, LayerTensor tensor);

// y [rows, out] = x [rows, in] weight^T + bias
struct LayerProduct {
  LayerTensor weight;
  LayerTensor bias;
  std::int64_t in;
  std::int64_t out;
};
// Returns the product by this weight, which is a matrix.
[[nodiscard]] LayerProduct product_of(const LayerShape& shape, LayerTensor weight);

// norm(y + bias + residual) scale + shift
struct LayerNorm {
  LayerTensor bias;  // of the product before it
  LayerTensor scale;
  LayerTensor shift;
};
inline constexpr LayerNorm kAttentionNorm{LayerTensor::attention_output_bias,
                                          LayerTensor::attention_norm_scale,
                                          LayerTensor::attention_norm_shift};
inline constexpr LayerNorm kOutputNorm{LayerTensor::feed_forward_out_bias,
                                       LayerTensor::output_norm_scale,
                                       LayerTensor::output_norm_shift};

// One allocation with unspecified contents: the weights, or their gradients.
class LayerWeights {
 public:
  LayerWeights(const LayerShape& shape, Allocator& allocator, DType dtype = DType::f32,
               std::string_view label = "weights", int worker = 0);
  [[nodiscard]] float* data(LayerTensor tensor) const;  // f32 only
  [[nodiscard]] void* at(LayerTensor tensor) const;
  [[nodiscard]] const TensorView& view() const { return tensor_.view(); }  // [1, 1, 1, elements]

 private:
  std::vector<std::int64_t> offsets_;  // in elements, by tensor
  Tensor tensor_;
};

// Seeded weights have the deviation 1/sqrt(in), so that standard normal states keep their size and
// scores differ by about 1 within a row; biases and shifts have the deviation 0.02; norms scale by
// about 1. Any thread count gives the same bits.
[[nodiscard]] LayerWeights random_weights(const LayerShape& shape, std::uint64_t seed,
                                          Allocator& allocator, int threads);

// Standard normal hidden states [batch, N, H] of the same seed, labelled `hidden_states`.
[[nodiscard]] Tensor random_states(const LayerShape& shape, std::uint64_t seed,
                                   Allocator& allocator, int threads);

// Standard normal gradients of the layer's output, of the same seed too, labelled `d_output`.
[[nodiscard]] Tensor random_output_gradients(const LayerShape& shape, std::uint64_t seed,
                                             Allocator& allocator, int threads, int worker = 0);

}  // namespace qb
