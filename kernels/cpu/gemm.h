// Single-precision matrix products by the BLAS of this build, oneDNN. Row-major. The only place
// that knows the library, which a build may be without (gemm_none.cpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/cpu/instruction_set.h"

namespace qb::cpu {

struct Matrix {
  const float* data = nullptr;
  std::int64_t row_stride = 0;
  bool transposed = false;  // the product takes the transpose of what is stored
};

// Throws Unsupported in a build without oneDNN, naming `what` needs it. So does every product
// there.
void require_gemm(std::string_view what);

// c [rows, columns] := a [rows, depth] * b [depth, columns], or c += it where `add`, by the calling
// thread alone: a caller with several threads gives each its rows. Thread-safe. Throws
// std::runtime_error where the library reports a failure.
void gemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Matrix& a,
          const Matrix& b, float* c, std::int64_t c_row_stride, bool add = false);

// Keeps the library to this instruction set: it can be told once, before its first product; later
// calls are without effect.
void limit_gemm(InstructionSet set);

// The instruction set that the library chose for this CPU: "avx512_core_bf16", "avx2", …; "none"
// without it.
[[nodiscard]] std::string_view gemm_isa();

}  // namespace qb::cpu
