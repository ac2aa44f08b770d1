// Inputs as boxes for the copy engine, and the maps that tell it of them.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cuda/flash/flash_work.h"
#include "kernels/cuda/flash/tensor_map.h"

namespace qb::cuda {

// A 16-bit tensor that the copy engine reads in boxes of `rows` tokens and 64 columns: dimensions
// (columns, residue, index, head, batch), token = index * stride + residue. So groups of every
// stride-th token are boxes too.
struct BoxedTensor {
  void* data = nullptr;
  std::int64_t extents[5] = {};
  std::int64_t strides[5] = {};  // in elements; the first is 1
  int rows = 0;
  friend bool operator==(const BoxedTensor&, const BoxedTensor&) = default;
};

struct BoxedInputs {
  BoxedTensor q;
  BoxedTensor k;
  BoxedTensor v;
  bool bf16 = true;  // else f16
  friend bool operator==(const BoxedInputs&, const BoxedInputs&) = default;
};

// Of a call whose inputs are aligned and whose kernel is `hopper`.
[[nodiscard]] BoxedInputs boxed_inputs(const GroupedCall& call, const WorkLists& lists);

// Throws EnvironmentError where the driver refuses a tensor. The maps are written where they are to
// stay: the driver wants them aligned, and gcc 12 does not align what a function returns by value.
void encode(const BoxedInputs& inputs, EncodeTiled encode_tiled, TensorMaps& maps);

// The maps of a call site. From one call to the next its tensors mostly stay where they are, and
// then nothing is encoded.
class KeptMaps {
 public:
  // As encode(). Valid until the next call.
  const TensorMaps& of(const BoxedInputs& inputs, EncodeTiled encode_tiled);

 private:
  std::optional<BoxedInputs> inputs_;
  TensorMaps maps_;
};

}  // namespace qb::cuda
