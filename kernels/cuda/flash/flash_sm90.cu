// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_sm90.cuh"

#include <cudaTypedefs.h>

#include <type_traits>

#include "kernels/cuda/flash/flash_kernels.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

// The checks below compare tensor_map.h with cuda.h.
template <class Enumeration>
constexpr bool is_number(Enumeration theirs, unsigned ours) {
  return std::is_same_v<std::underlying_type_t<Enumeration>, unsigned> &&
         static_cast<unsigned>(theirs) == ours;
}
static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));
static_assert(alignof(TensorMap) % alignof(CUtensorMap) == 0);
static_assert(is_number(CUDA_SUCCESS, driver::kSuccess));
static_assert(is_number(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, driver::kFloat16));
static_assert(is_number(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, driver::kFloat32));
static_assert(is_number(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, driver::kBfloat16));
static_assert(is_number(CU_TENSOR_MAP_INTERLEAVE_NONE, driver::kNoInterleave));
static_assert(is_number(CU_TENSOR_MAP_SWIZZLE_128B, driver::kSwizzle128Bytes));
static_assert(is_number(CU_TENSOR_MAP_L2_PROMOTION_L2_256B, driver::kPromoteTo256Bytes));
static_assert(is_number(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, driver::kFillWithZeros));
static_assert(
    std::is_same_v<PFN_cuTensorMapEncodeTiled_v12000,
                   CUresult (*)(CUtensorMap*, CUtensorMapDataType, std::uint32_t, void*,
                                const std::uint64_t*, const std::uint64_t*, const std::uint32_t*,
                                const std::uint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill)>);

// It is empty in the machine code of other architectures, where it is never launched.
template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    flash_sm90_kernel(const __grid_constant__ FlashParameters parameters,
                      const __grid_constant__ TensorMaps maps) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  Sm90Block<C>(parameters, maps, ptx::shared_base()).run();
#endif
}

template <bool kBf16, int kD>
using OfDim = Sm90<kBf16, kD>;

template <class Function>
void with_shape(const FlashShape& shape, bool bf16, Function function) {
  if (shape.key_block == kLongKeys)
    return with_constant(
        bf16, [&](auto is_bf16) { function(Sm90<decltype(is_bf16)::value, 128, kLongKeys>{}); });
  with_config<OfDim, 256>(shape.padded_dim, bf16, function);
}

}  // namespace

EncodeTiled tensor_map_encoder() {
  static const auto found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
    QB_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                   cudaEnableDefault, &result));
    if (result != cudaDriverEntryPointSuccess || function == nullptr)
      throw EnvironmentError(
          "the NVIDIA driver has no cuTensorMapEncodeTiled: it is older than 12.0");
    return reinterpret_cast<EncodeTiled>(function);
  }();
  return found;
}

void prepare_sm90(const FlashShape& shape, bool bf16) {
  with_shape(shape, bf16, [](auto config) {
    using C = decltype(config);
    allow_shared_memory(reinterpret_cast<const void*>(flash_sm90_kernel<C>), C::kSharedBytes);
  });
}

void launch_sm90(const FlashParameters& parameters, const TensorMaps& maps, const FlashShape& shape,
                 bool bf16, int n_blocks, void* stream) {
  if (n_blocks == 0) return;
  with_shape(shape, bf16, [&](auto config) {
    using C = decltype(config);
    flash_sm90_kernel<C><<<static_cast<unsigned>(n_blocks), C::kThreads, C::kSharedBytes,
                           static_cast<cudaStream_t>(stream)>>>(parameters, maps);
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
