// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/instruction_set.h"

#include <fmt/format.h>
#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>

#include "base/status.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/highway.h>

namespace qb {
namespace {

std::int64_t highway_target(InstructionSet set) {
  switch (set) {
    case InstructionSet::scalar:
      return HWY_SCALAR;
    case InstructionSet::sse4:
      return HWY_SSE4;
    case InstructionSet::neon:
      return HWY_NEON;
    case InstructionSet::avx2:
      return HWY_AVX2;
    case InstructionSet::avx512:
    case InstructionSet::avx512_bf16:
    case InstructionSet::avx512_amx:
      return HWY_AVX3;
  }
  return 0;
}

bool cpu_has_bf16_products() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

// Asks Linux for the tile registers, which it gives to a process, its threads and its children.
bool may_use_bf16_tiles() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr unsigned kBf16AndTiles = 1u << 22 | 1u << 24;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & kBf16AndTiles) != kBf16AndTiles) return false;
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

std::atomic<InstructionSet>& current() {
  static std::atomic<InstructionSet> set{available_instruction_sets().front()};
  return set;
}

}  // namespace

const std::vector<InstructionSet>& available_instruction_sets() {
  static const std::vector<InstructionSet> sets = [] {
    const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
    std::vector<InstructionSet> found;
    for (const auto& [set, word] : kWords<InstructionSet>.rows)
      if ((usable & highway_target(set)) != 0 &&
          (set < InstructionSet::avx512_bf16 || cpu_has_bf16_products()) &&
          (set != InstructionSet::avx512_amx || may_use_bf16_tiles()))
        found.push_back(set);
    std::reverse(found.begin(), found.end());
    return found;
  }();
  return sets;
}

InstructionSet instruction_set() { return current().load(std::memory_order_relaxed); }

void use_instruction_set(InstructionSet set) {
  const auto& sets = available_instruction_sets();
  if (std::ranges::find(sets, set) == sets.end()) {
    std::vector<std::string_view> names;
    for (const InstructionSet known : sets) names.push_back(word(known));
    throw Unsupported(fmt::format("this CPU and build have no instruction set {}; they have: {}",
                                  word(set), join(names, ", ")));
  }
  current() = set;
  hwy::SetSupportedTargetsForTest(highway_target(set));
  hwy::GetChosenTarget().DeInit();
  cpu::limit_gemm(set);
}

}  // namespace qb
