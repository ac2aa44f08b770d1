#include "kernels/cuda/flash_sm90.cuh"

#include <cudaTypedefs.h>

#include <string>

#include "kernels/cuda/check.cuh"
#include "kernels/cuda/flash_kernels.h"

namespace qb::cuda {
namespace {

// Empty in the machine code of other architectures, where it is never launched.
template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    flash_sm90_kernel(const __grid_constant__ FlashParameters parameters,
                      const __grid_constant__ TensorMaps maps) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  Sm90Block<C>(parameters, maps, ptx::shared_base()).run();
#endif
}

// The driver's function, found through the runtime: nothing links the driver library.
PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  static const auto found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
    QB_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                   cudaEnableDefault, &result));
    if (result != cudaDriverEntryPointSuccess || function == nullptr)
      throw EnvironmentError(
          "the NVIDIA driver has no cuTensorMapEncodeTiled: it is older than 12.0");
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  }();
  return found;
}

CUtensorMap encode(const BoxedTensor& tensor, bool bf16) {
  CUtensorMap map{};
  cuuint64_t extents[5];
  cuuint64_t strides[4];
  for (int i = 0; i < 5; ++i) extents[i] = static_cast<cuuint64_t>(tensor.extents[i]);
  for (int i = 0; i < 4; ++i) strides[i] = static_cast<cuuint64_t>(2 * tensor.strides[i + 1]);
  const cuuint32_t box[5] = {kPanelColumns, 1, static_cast<cuuint32_t>(tensor.rows), 1, 1};
  const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  const CUresult result =
      encoder()(&map, bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 5,
                tensor.data, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw EnvironmentError("cuTensorMapEncodeTiled refused a tensor of " +
                           std::to_string(tensor.extents[2]) + " tokens: CUresult " +
                           std::to_string(static_cast<int>(result)));
  return map;
}

template <class C>
void launch(const FlashParameters& parameters, const TensorMaps& maps, int n_blocks,
            cudaStream_t stream) {
  QB_CUDA_CHECK(cudaFuncSetAttribute(flash_sm90_kernel<C>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, C::kSharedBytes));
  flash_sm90_kernel<C>
      <<<static_cast<unsigned>(n_blocks), C::kThreads, C::kSharedBytes, stream>>>(parameters, maps);
  QB_CUDA_CHECK(cudaGetLastError());
}

template <bool kBf16>
void launch_type(const FlashParameters& parameters, const TensorMaps& maps, int padded_dim,
                 int n_blocks, cudaStream_t stream) {
  if (padded_dim == 64)
    launch<Sm90<kBf16, 64>>(parameters, maps, n_blocks, stream);
  else
    launch<Sm90<kBf16, 128>>(parameters, maps, n_blocks, stream);
}

}  // namespace

void launch_sm90(const FlashParameters& parameters, const BoxedInputs& inputs,
                 const FlashShape& shape, bool bf16, int n_blocks, void* stream) {
  if (n_blocks == 0) return;
  const TensorMaps maps{encode(inputs.q, bf16), encode(inputs.k, bf16), encode(inputs.v, bf16)};
  const auto to = static_cast<cudaStream_t>(stream);
  if (bf16)
    launch_type<true>(parameters, maps, shape.padded_dim, n_blocks, to);
  else
    launch_type<false>(parameters, maps, shape.padded_dim, n_blocks, to);
}

}  // namespace qb::cuda
