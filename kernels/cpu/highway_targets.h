// SPDX-License-Identifier: Apache-2.0
// Lists the instruction sets to compile for. Include it before any header of Highway.
//
// x86: AVX-512, AVX2 + FMA, SSE4 and the scalar fallback; Arm: NEON. The others are left out
// because they would add compile time for machines that one of these serves as well (AVX3_DL,
// SSSE3), or because their vectors have no compile-time size and cannot be put in arrays (SVE).
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

#define HWY_DISABLED_TARGETS                                                   \
  (HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | \
   QB_SANITIZER_DISABLED_TARGETS)
