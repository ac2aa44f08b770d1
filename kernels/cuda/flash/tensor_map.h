// SPDX-License-Identifier: Apache-2.0
// Declares tensor maps, which describe a tensor to the copy engine of sm_90a, as cuda.h does:
// builds without CUDA test the code that fills them, and flash_sm90.cu compares the declarations.
#pragma once

#include <cstdint>

namespace qb::cuda {

// Only the driver and the copy engine read its content.
struct alignas(128) TensorMap {
  std::uint64_t opaque[16] = {};
};

struct TensorMaps {
  TensorMap q;
  TensorMap k;
  TensorMap v;
};

// cuTensorMapEncodeTiled, which returns a CUresult. Dimensions are innermost first; strides are in
// bytes, without the first dimension.
using EncodeTiled = unsigned (*)(TensorMap* map, unsigned type, std::uint32_t rank, void* address,
                                 const std::uint64_t* extents, const std::uint64_t* strides,
                                 const std::uint32_t* box, const std::uint32_t* steps,
                                 unsigned interleave, unsigned swizzle, unsigned promotion,
                                 unsigned fill);

namespace driver {
inline constexpr unsigned kSuccess = 0;
inline constexpr unsigned kFloat16 = 6;
inline constexpr unsigned kFloat32 = 7;
inline constexpr unsigned kBfloat16 = 9;
inline constexpr unsigned kNoInterleave = 0;
inline constexpr unsigned kSwizzle128Bytes = 3;
inline constexpr unsigned kPromoteTo256Bytes = 3;
inline constexpr unsigned kFillWithZeros = 0;
}  // namespace driver

}  // namespace qb::cuda
