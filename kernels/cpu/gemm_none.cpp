// SPDX-License-Identifier: Apache-2.0
// This file replaces gemm.cpp where there is no oneDNN.
#include <fmt/format.h>

#include "base/status.h"
#include "kernels/cpu/gemm.h"

namespace qb::cpu {

void require_gemm(std::string_view what) {
  throw Unsupported(
      fmt::format("{} on the CPU needs oneDNN, and this program was built without it", what));
}

void gemm(std::int64_t, std::int64_t, std::int64_t, const Matrix&, const Matrix&, float*,
          std::int64_t, bool) {
  require_gemm("a product of matrices");
}

void limit_gemm(InstructionSet) {}

std::string_view gemm_isa() { return "none"; }

}  // namespace qb::cpu
