// SPDX-License-Identifier: Apache-2.0
// Computes exp2 on vectors of float32, for arguments of at most 127. Every softmax here uses it.
//
// x = n + f with n = floor(x); 2^f by the polynomial of degree 5 that is nearest to it on [0, 1]
// among those that are exactly 1 at 0 (relative error 8.2e-8, with rounding 1.5e-7, without bias);
// times 2^n by exponent scaling where the instruction set has it, else by writing n into the
// exponent. -inf gives exactly 0, NaN stays NaN. Below -126 the result is 0, or the subnormal
// number where the exponent is scaled.
#if defined(QB_KERNELS_CPU_EXP2_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_EXP2_INL_H
#undef QB_KERNELS_CPU_EXP2_INL_H
#else
#define QB_KERNELS_CPU_EXP2_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Computes 2^f for f in [0, 1].
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2_fraction(D d, V f) {
  V p = hn::Set(d, 0.0018671300495043397f);
  p = hn::MulAdd(p, f, hn::Set(d, 0.009017030708491802f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.05579991266131401f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.24016444385051727f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.6931512951850891f));
  return hn::MulAdd(p, f, hn::Set(d, 1.0f));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2_fast(D d, V x) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(d) == 16) {
    constexpr int kFloorNoExceptions = 0x09;
    const V f{_mm512_reduce_ps(x.raw, kFloorNoExceptions)};  // x - floor(x); 0 if x is infinite
    return V{_mm512_scalef_ps(exp2_fraction(d, f).raw, x.raw)};
  }
#endif
  const hn::RebindToUnsigned<D> du;
  const V least = hn::Set(d, -127.0f);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  x = hn::Max(least, x);  // in this order: NaN as the second operand is kept
#else
  x = hn::IfThenElse(hn::Lt(x, least), least, x);
#endif
  const V floor = hn::Floor(x);
  const V p = exp2_fraction(d, hn::Sub(x, floor));
  // The low bits of this sum hold n + 127; a conversion would have to handle overflow.
  const V biased = hn::Add(floor, hn::Set(d, 12582912.0f + 127.0f));
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, biased))));
}

}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
