// SPDX-License-Identifier: Apache-2.0
// The part of Highway that lies in its library, which Debian has as a shared one only: which of the
// instruction sets this CPU has. highway_targets.h names those that a kernel may be compiled for.
#include "kernels/cpu/highway_targets.h"
// After highway_targets.h
#include <hwy/highway.h>

#include <cstdint>

namespace hwy {
namespace {

// 0 where all are meant.
std::int64_t& chosen_for_test() {
  static std::int64_t targets = 0;
  return targets;
}

std::int64_t targets_of_cpu() {
  std::int64_t targets = HWY_SCALAR;
  const bool sse4 = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("f16c");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  if (sse4) targets |= HWY_SSE4;
  if (avx2) targets |= HWY_AVX2;
  if (avx512) targets |= HWY_AVX3;
  return targets;
}

}  // namespace

std::int64_t SupportedTargets() {
  static const std::int64_t of_cpu = targets_of_cpu();
  return chosen_for_test() == 0 ? of_cpu : chosen_for_test();
}

void SetSupportedTargetsForTest(std::int64_t targets) { chosen_for_test() = targets; }

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
