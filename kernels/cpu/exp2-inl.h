// exp2 on vectors of float32, for arguments of at most 127: the exponential of every softmax here.
//
// x = n + f with n integer and f in [-1/2, 1/2]; 2^f by a polynomial of degree 6 (relative error
// 2.6e-9 before rounding, and exactly 1 at 0); 2^n by writing n into the exponent. Adding 1.5 *
// 2^23 + 127 rounds to the integer and leaves n + 127 in the low bits of the sum, which a shift
// moves into the exponent. Arguments below -126.5, -inf among them, give exactly 0. NaN stays NaN.
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

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2_fast(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const V round_to_integer = hn::Set(d, 12582912.0f + 127.0f);
  x = hn::Max(hn::Set(d, -127.0f), x);  // in this order: NaN as the second operand is kept
  const V rounded = hn::Add(x, round_to_integer);
  const V f = hn::Sub(x, hn::Sub(rounded, round_to_integer));
  V p = hn::Set(d, 0.00015594677824992687f);
  p = hn::MulAdd(p, f, hn::Set(d, 0.0013406643411144614f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.009617692790925503f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.055503103882074356f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.24022652208805084f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.6931472420692444f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, rounded))));
}

}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
