// The passes of the materialized kernel over one row of scores, vectorised.
#pragma once

#include <cstdint>

namespace qb::cpu {

// row[j] := row[j] * factor + shift
void scale_and_shift_row(float* row, std::int64_t n, float factor, float shift);

// row := softmax(row) in place; returns its natural log-sum-exp. A row that is -inf throughout
// becomes 0 with LSE -inf; a NaN makes the whole row NaN.
[[nodiscard]] float softmax_row(float* row, std::int64_t n);

}  // namespace qb::cpu
