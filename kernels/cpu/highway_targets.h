// Instruction sets that the Highway files of this room are compiled for. Include before any header
// of Highway.
//
// x86: AVX-512, AVX2 + FMA, SSE4 and the scalar fallback; Arm: NEON. The others are left out
// because they would add compile time for machines that one of these serves as well (AVX3_DL,
// SSSE3), or because their vectors have no compile-time size and cannot stand in arrays (SVE).
#pragma once

#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
