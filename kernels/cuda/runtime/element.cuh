// SPDX-License-Identifier: Apache-2.0
// Defines 16-bit elements without the toolkit's headers for them, which take longer to compile than
// the kernels that use them, groups of elements, and the sizes of a grid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/dtype.h"

namespace qb::cuda {

struct Half {
  unsigned short bits;
};
struct Bfloat16 {
  unsigned short bits;
};

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(Half value) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;
}
__device__ inline float to_float(Bfloat16 value) {
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
}

template <class Element>
__device__ inline Element from_float(float value);
template <>
__device__ inline float from_float<float>(float value) {
  return value;
}
template <>
__device__ inline Half from_float<Half>(float value) {
  Half result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
}
template <>
__device__ inline Bfloat16 from_float<Bfloat16>(float value) {
  Bfloat16 result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
}

// Holds elements that are loaded and stored at once.
template <class E, int kWidth>
struct alignas(sizeof(E) * kWidth) ElementGroup {
  using Element = E;
  static constexpr int kSize = kWidth;
  Element at[kWidth];

  __device__ float load(int i) const { return to_float(at[i]); }
  __device__ void store(int i, float value) { at[i] = from_float<Element>(value); }
};

// Calls function(element of that type). `what` names the caller that does not support f64.
template <class Function>
void of_type(DType dtype, const char* what, Function function) {
  switch (dtype) {
    case DType::f16:
      return function(Half{});
    case DType::bf16:
      return function(Bfloat16{});
    case DType::f32:
      return function(float{});
    case DType::f64:
      break;
  }
  throw std::invalid_argument(std::string(what) + " take no f64");
}

// Calls function(group) with 16-byte groups where `elements`, the length of every row, is a
// multiple of them and every pointer begins at one, else with single elements.
template <class Function>
void of_groups(DType dtype, const char* what, std::int64_t elements,
               std::initializer_list<const void*> pointers, Function function) {
  of_type(dtype, what, [&](auto element) {
    using Element = decltype(element);
    constexpr int kWide = 16 / static_cast<int>(sizeof(Element));
    const bool wide = elements % kWide == 0 &&
                      std::all_of(pointers.begin(), pointers.end(), [](const void* pointer) {
                        return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
                      });
    if (wide)
      function(ElementGroup<Element, kWide>{});
    else
      function(ElementGroup<Element, 1>{});
  });
}

inline constexpr int kThreads = 256;  // in a block of the kernels that memory limits
inline constexpr std::int64_t kMaxGridY = 65535;

inline unsigned grid(std::int64_t blocks) {
  if (blocks > std::numeric_limits<int>::max())
    throw std::invalid_argument("the call has more rows than a GPU's grid has blocks");
  return static_cast<unsigned>(blocks);
}

}  // namespace qb::cuda
