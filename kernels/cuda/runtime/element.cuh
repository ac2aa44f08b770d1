// Defines 16-bit elements without the toolkit's headers for them, which take longer to compile than
// the kernels that use them.
#pragma once

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

// Holds 16 bytes of elements, loaded and stored at once.
template <class Element>
struct alignas(16) Pack {
  static constexpr int kSize = 16 / static_cast<int>(sizeof(Element));
  Element at[kSize];
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
  throw std::invalid_argument(std::string(what) + ": f64");
}

}  // namespace qb::cuda
