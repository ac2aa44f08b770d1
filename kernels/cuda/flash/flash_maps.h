// SPDX-License-Identifier: Apache-2.0
// Describes inputs as boxes for the copy engine, and encodes the maps that tell it of them.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cuda/flash/flash_work.h"
#include "kernels/cuda/flash/tensor_map.h"

namespace qb::cuda {

struct BoxedInputs {
  // A tensor that the copy engine reads in boxes of `rows` tokens and 128 bytes: dimensions
  // (columns, residue, index, head, batch), where token = index * stride + residue. So groups of
  // every stride-th token are boxes too.
  struct Tensor {
    void* data = nullptr;
    std::int64_t extents[5] = {};
    std::int64_t strides[5] = {};  // in elements; the first is 1
    int rows = 0;
    friend bool operator==(const Tensor&, const Tensor&) = default;
  };

  Tensor q;
  Tensor k;
  Tensor v;
  DType dtype = DType::bf16;
  friend bool operator==(const BoxedInputs&, const BoxedInputs&) = default;
};

// Describes an aligned tensor, of which groups of every stride-th token are read, `rows` at a time.
[[nodiscard]] BoxedInputs::Tensor boxed_tensor(const TensorView& view, std::int64_t stride,
                                               int rows);

// The inputs of the call must be aligned and its kernel `hopper`.
[[nodiscard]] BoxedInputs boxed_inputs(const GroupedCall& call, const WorkLists& lists);

// Throws EnvironmentError where the driver refuses a tensor. The maps are written into their final
// place: the driver wants them aligned, and gcc 12 does not align what a function returns by value.
void encode(const BoxedInputs& inputs, EncodeTiled encode_tiled, TensorMaps& maps);
void encode(const BoxedInputs::Tensor& tensor, DType dtype, EncodeTiled encode_tiled,
            TensorMap& map);

// Keeps the maps of a call site, and encodes them again only where the tensors have changed.
class KeptMaps {
 public:
  // Returns the maps that encode() writes. They are valid until the next call.
  const TensorMaps& of(const BoxedInputs& inputs, EncodeTiled encode_tiled);

 private:
  std::optional<BoxedInputs> inputs_;
  TensorMaps maps_;
};

}  // namespace qb::cuda
