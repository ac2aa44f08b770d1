// Writes the partition of the N x N pairs as a table of rectangles, for drawing.
#pragma once

#include <cstdint>

#include "base/csv.h"
#include "harness/plan/plan.h"

namespace qb {

// Cells per side of a picture. Up to this many tokens a cell of a pattern is one pair; beyond, it
// is a square of as many tokens as needed.
inline constexpr std::int64_t kPictureCells = 256;

// Records of worker, q_begin, q_end, k_begin, k_end, allowed, offset; token positions are global,
// ends exclusive. A task has one record if its pairs are all allowed (`all`) or those of a causal
// mask (`causal`: local key index <= local query index + offset). A task under a pattern is cut
// into cells, and equal neighbours are joined: `cells` if every pair is allowed, `some` if a part
// is, and no record if none is. (Beyond 64 tokens a side the pattern's own answer for a cell is
// used, which may be `some` for none or all.) Groups must be contiguous (throws Unsupported).
[[nodiscard]] CsvTable partition_rectangles(const Plan& plan, std::int64_t cells = kPictureCells);

}  // namespace qb
