// SPDX-License-Identifier: Apache-2.0
// Computes single-precision products of row-major matrices with oneDNN. Only gemm.cpp uses the
// library; a build may do without it (gemm_none.cpp).
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

// In a build without oneDNN this throws Unsupported: `what` needs it. So does every product.
void require_gemm(std::string_view what);

// c [rows, columns] := a [rows, depth] * b [depth, columns], or c += a * b where `add` is set. The
// calling thread computes it alone: a caller with several threads gives each its rows. Any thread
// may call it. Throws std::runtime_error where the library reports a failure.
void gemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Matrix& a,
          const Matrix& b, float* c, std::int64_t c_row_stride, bool add = false);

// Limits the library to this instruction set; this has no effect after its first product.
void limit_gemm(InstructionSet set);

// Returns the library's instruction set on this CPU, such as "avx2"; "none" without oneDNN.
[[nodiscard]] std::string_view gemm_isa();

}  // namespace qb::cpu
