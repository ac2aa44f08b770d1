// SPDX-License-Identifier: Apache-2.0
// Launches of the compiled kernels, for the host code around them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/flash/flash_parameters.h"
#include "kernels/cuda/flash/flash_work.h"
#include "kernels/cuda/flash/tensor_map.h"

namespace qb::cuda {

// Does what the first launch of a kernel on the current device needs; later calls cost nothing.
void prepare_sm80(const FlashShape& shape, bool bf16);
void prepare_sm90(const FlashShape& shape, bool bf16);

// Returns the driver's function, found through the runtime: nothing links the driver library.
// Throws EnvironmentError where the driver has none.
[[nodiscard]] EncodeTiled tensor_map_encoder();

// Launches n_items blocks, one for each item.
void launch_sm80(const FlashParameters& parameters, const FlashShape& shape, bool bf16, int n_items,
                 void* stream);
// Launches a grid of n_blocks, at most one for each item, that take the items one after another.
void launch_sm90(const FlashParameters& parameters, const TensorMaps& maps, const FlashShape& shape,
                 bool bf16, int n_blocks, void* stream);
void launch_merge(const MergeParameters& parameters, int n_head_slots, void* stream);
// Writes row r of all heads from row r of the partials; without partials it writes the identity.
void launch_merge_rows(const MergeParameters& parameters, std::int64_t n_rows, int n_head_slots,
                       void* stream);
// Copies rows of `columns` 16-bit elements, times factor (1, -1 or 0), to rows of padded_columns.
struct PadParameters {
  TensorAddress from;
  TensorAddress to;
  std::int32_t n_tokens = 0;
  std::int32_t heads = 0;
  std::int32_t columns = 0;
  std::int32_t padded_columns = 0;
  float factor = 1.0F;
};
void launch_pad(const PadParameters& parameters, int n_head_slots, void* stream);

// Allows the kernel this many bytes on the current device. The runtime is asked once for each
// kernel and device; after that a call costs only a look-up.
void allow_shared_memory(const void* kernel, int bytes);

// Calls function(true or false) with a constant, so that a type can depend on it.
template <class Function>
void with_constant(bool value, Function function) {
  if (value)
    function(std::true_type{});
  else
    function(std::false_type{});
}

// Calls function(config) with the Config of the compiled kernel: with that of this padded head
// dimension, at most kMostDim, and of this type of inputs.
template <template <bool, int> class Config, int kMostDim, class Function>
void with_config(int padded_dim, bool bf16, Function function) {
  with_constant(bf16, [&](auto is_bf16) {
    constexpr bool kBf16 = decltype(is_bf16)::value;
    if (padded_dim == 64)
      function(Config<kBf16, 64>{});
    else if (padded_dim == 128)
      function(Config<kBf16, 128>{});
    else if constexpr (kMostDim == 256)
      function(Config<kBf16, 256>{});
  });
}

}  // namespace qb::cuda
