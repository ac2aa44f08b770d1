// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_kept.h"

namespace qb {

LayerKept::LayerKept(const LayerShape& shape, DType dtype, const LayerOptions& options,
                     Allocator& allocator) {
  const auto of_tokens = [&](std::int64_t width, std::string_view label) {
    return Tensor(allocator, dtype, {shape.batch, 1, shape.n_tokens, width}, label);
  };
  queries = of_tokens(query_stride(shape), "kept_queries");
  keys_values = of_tokens(key_value_stride(shape), "kept_keys_values");
  context = of_tokens(shape.query_width(), "kept_context");
  lse = Tensor(allocator, DType::f32, {shape.batch, shape.heads, shape.n_tokens, 1}, "kept_lse");
  if (is_blockwise(shape, options)) return;
  attention_output = of_tokens(shape.hidden(), "kept_attention_output");
  pre_activation = of_tokens(shape.feed_forward_dim, "kept_pre_activation");
  feed_forward_output = of_tokens(shape.hidden(), "kept_feed_forward_output");
}

TensorView LayerKept::rows_of(const Tensor& tensor, std::int64_t sequence, const Range& block) {
  TensorView rows = tensor.view().tokens(block.begin, block.count());
  rows.data = rows.row(sequence, 0, 0);
  rows.extent.batch = 1;
  return rows;
}

TensorView LayerKept::lse_of(std::int64_t sequence, const Range& block) const {
  const std::int64_t heads = lse.view().extent.heads;
  return contiguous_view(lse.view().row_as<float>(sequence, 0, 0) + heads * block.begin, DType::f32,
                         {1, heads, block.count(), 1});
}

std::int64_t LayerKept::bytes() const {
  std::int64_t sum = 0;
  for (const Tensor* const tensor : {&queries, &keys_values, &context, &lse, &attention_output,
                                     &pre_activation, &feed_forward_output})
    if (tensor->view().data != nullptr) sum += tensor->view().bytes();
  return sum;
}

}  // namespace qb
