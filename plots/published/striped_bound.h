// What balancing the rounds of a causal ring can gain.
//
// Of c = N/W tokens a worker the contiguous ring's rounds cost c(c+1)/2, then W - 1 times c² pairs;
// the striped ones c(c+1)/2 each. The quotient of the sums tends to 2 - 1/W. A kernel that computes
// whole tiles does n(n+1)/2 of n² tiles of a causal block, n = c/tile: the same formula in n.
// (Striped Attention, arXiv 2311.09431, section 2)
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/csv.h"

namespace qb {

// [(n+1) + 2(W-1)n] / [W(n+1)] for n tokens or tiles a side of a worker's block; 1 for n <= 1.
[[nodiscard]] double speed_up_bound(double n, std::int64_t workers);

// Tokens a side of the tile that explains the executed pairs of a causal ring case, whose blocks
// off the diagonal are computed whole; NaN where there is none. One token where the kernel computes
// unmasked pairs alone, the block where it computes all of it.
[[nodiscard]] double executed_tile(const CsvTable& cases, std::size_t row);

}  // namespace qb
