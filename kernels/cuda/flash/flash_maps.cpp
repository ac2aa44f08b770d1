// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_maps.h"

#include <fmt/format.h>

#include "base/status.h"
#include "kernels/cuda/flash/flash_layout.h"

namespace qb::cuda {

BoxedInputs::Tensor boxed_tensor(const TensorView& view, std::int64_t stride, int rows) {
  const Extent& x = view.extent;
  return {view.data,
          {x.head_dim, stride, x.length / stride, x.heads, x.batch},
          {1, view.token_stride, view.token_stride * stride, view.head_stride, view.batch_stride},
          rows};
}

void encode(const BoxedInputs::Tensor& tensor, DType dtype, EncodeTiled encode_tiled,
            TensorMap& map) {
  const auto element_bytes = static_cast<std::uint32_t>(size_of(dtype));
  const unsigned type = dtype == DType::f32   ? driver::kFloat32
                        : dtype == DType::f16 ? driver::kFloat16
                                              : driver::kBfloat16;
  std::uint64_t extents[5];
  std::uint64_t strides[4];
  for (int i = 0; i < 5; ++i) extents[i] = static_cast<std::uint64_t>(tensor.extents[i]);
  for (int i = 0; i < 4; ++i)
    strides[i] = element_bytes * static_cast<std::uint64_t>(tensor.strides[i + 1]);
  const std::uint32_t box[5] = {kPanelRowBytes / element_bytes, 1,
                                static_cast<std::uint32_t>(tensor.rows), 1, 1};
  const std::uint32_t steps[5] = {1, 1, 1, 1, 1};
  const unsigned result =
      encode_tiled(&map, type, 5, tensor.data, extents, strides, box, steps, driver::kNoInterleave,
                   driver::kSwizzle128Bytes, driver::kPromoteTo256Bytes, driver::kFillWithZeros);
  if (result != driver::kSuccess)
    throw EnvironmentError(fmt::format(
        "cuTensorMapEncodeTiled refused a tensor of {} x {} tokens and {} columns: CUresult {}",
        tensor.extents[2], tensor.extents[1], tensor.extents[0], result));
}

BoxedInputs boxed_inputs(const GroupedCall& call, const WorkLists& lists) {
  return {boxed_tensor(call.q, lists.q_map_stride, lists.shape.tile_rows),
          boxed_tensor(call.k, lists.k_map_stride, lists.shape.key_block),
          boxed_tensor(call.v, lists.k_map_stride, lists.shape.key_block), call.q.dtype};
}

void encode(const BoxedInputs& inputs, EncodeTiled encode_tiled, TensorMaps& maps) {
  encode(inputs.q, inputs.dtype, encode_tiled, maps.q);
  encode(inputs.k, inputs.dtype, encode_tiled, maps.k);
  encode(inputs.v, inputs.dtype, encode_tiled, maps.v);
}

const TensorMaps& KeptMaps::of(const BoxedInputs& inputs, EncodeTiled encode_tiled) {
  if (inputs_ == inputs) return maps_;
  inputs_.reset();
  encode(inputs, encode_tiled, maps_);
  inputs_ = inputs;
  return maps_;
}

}  // namespace qb::cuda
