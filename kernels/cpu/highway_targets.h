// SPDX-License-Identifier: Apache-2.0
// Lists the instruction sets to compile for. Include it before any header of Highway.
//
// x86: AVX-512, AVX2 + FMA, SSE4 and the scalar fallback; Arm: NEON. The others, of which newer
// releases of Highway have more, are left out because one of these serves their machines as well
// (AVX3_SPR, SSSE3), or because their vectors have no compile-time size (SVE).
//
// The thread sanitizer checks what threads share, which is the same under each; under the other
// sanitizers the scalar code tests the narrow vectors, and AVX2 and AVX-512 test the wide ones.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define QB_SANITIZER_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3)
#elif defined(__SANITIZE_ADDRESS__)
#define QB_SANITIZER_DISABLED_TARGETS HWY_SSE4
#else
#define QB_SANITIZER_DISABLED_TARGETS 0
#endif

#define HWY_BROKEN_EMU128 1  // the fallback is HWY_SCALAR, whatever the compiler
#define HWY_DISABLED_TARGETS \
  (~(HWY_AVX3 | HWY_AVX2 | HWY_SSE4 | HWY_NEON | HWY_SCALAR) | QB_SANITIZER_DISABLED_TARGETS)
