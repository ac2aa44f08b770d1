// SPDX-License-Identifier: Apache-2.0
// Replaces gemm.cpp in test programs that are linked without oneDNN: it computes products by loops,
// so that code which uses products is tested there too. No program that measures links it.
#include <stdexcept>

#include "kernels/cpu/gemm.h"

namespace qb::cpu {
namespace {

float element(const Matrix& matrix, std::int64_t row, std::int64_t column) {
  return matrix.transposed ? matrix.data[column * matrix.row_stride + row]
                           : matrix.data[row * matrix.row_stride + column];
}

bool fits(const Matrix& matrix, std::int64_t rows, std::int64_t columns) {
  return matrix.row_stride >= (matrix.transposed ? rows : columns);
}

}  // namespace

void require_gemm(std::string_view) {}

void gemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Matrix& a,
          const Matrix& b, float* c, std::int64_t c_row_stride, bool add) {
  if (c_row_stride < columns || !fits(a, rows, depth) || !fits(b, depth, columns))
    throw std::runtime_error("rows of a matrix lie less than a row apart");
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      float sum = 0.0f;
      for (std::int64_t x = 0; x < depth; ++x) sum += element(a, i, x) * element(b, x, j);
      c[i * c_row_stride + j] = add ? c[i * c_row_stride + j] + sum : sum;
    }
}

void limit_gemm(InstructionSet) {}

std::string_view gemm_isa() { return "loops"; }

}  // namespace qb::cpu
