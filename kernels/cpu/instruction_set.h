// SPDX-License-Identifier: Apache-2.0
// CPU kernels run with the best instruction set that this CPU has, unless another one is forced.
#pragma once

#include <vector>

#include "base/words.h"

namespace qb {

enum class InstructionSet { scalar, sse4, neon, avx2, avx512, avx512_bf16, avx512_amx };

QB_WORDS(InstructionSet, "instruction set",
         scalar,       // portable code
         sse4,         // 128 bits, no fused multiply-add
         neon,         // 128 bits
         avx2,         // 256 bits, with FMA
         avx512,       // 512 bits: F, VL, DQ, BW
         avx512_bf16,  // also products of bf16 pairs
         avx512_amx);  // also products of bf16 tiles

// Returns the instruction sets that this CPU has and this build holds code for, best first.
[[nodiscard]] const std::vector<InstructionSet>& available_instruction_sets();

[[nodiscard]] InstructionSet instruction_set();  // the one in use

// Makes all CPU kernels of this process use it from now on; the products of `materialized` too,
// where none has run yet. Throws Unsupported with the available ones where this CPU or build lacks
// it. It must not be called while a kernel runs.
void use_instruction_set(InstructionSet set);

namespace cpu {

[[nodiscard]] inline bool bf16_products() {
  return instruction_set() >= InstructionSet::avx512_bf16;
}

[[nodiscard]] inline bool bf16_tiles() { return instruction_set() == InstructionSet::avx512_amx; }

}  // namespace cpu
}  // namespace qb
