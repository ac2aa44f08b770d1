// Tables of sparse attention: every pattern and N against dense, and how the times grow with N.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/sparse_cases.h"
#include "plots/frame/table.h"

namespace qb {

// Pattern, N, share of pairs kept, time, speed-up over dense, time over the ideal, executed over
// useful pairs, peak memory. No rows where the run has no pattern.
[[nodiscard]] Table sparse_attention_table(const SparseCases& cases);

// A row a line of four lengths or more: time = a N^b with its R^2, the least-squares line with its
// R^2, and the time a token with the largest deviation from it. No rows where the run has no
// pattern.
[[nodiscard]] Table sparse_growth_table(const SparseCases& cases);

// The exponents of the same fits in a sentence, and of those near 1 how far they are from
// proportional.
[[nodiscard]] std::vector<std::string> growth_notes(const SparseCases& cases);

}  // namespace qb
