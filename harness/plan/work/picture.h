// The partition of the N x N pairs as a table of rectangles, for drawing.
#pragma once

#include <cstdint>

#include "base/csv.h"
#include "harness/plan/plan.h"

namespace qb {

// Sides of a picture in cells: up to so many tokens a cell of a pattern is one pair, beyond them a
// square of as many tokens as it takes.
inline constexpr std::int64_t kPictureCells = 256;

// Records of worker, q_begin, q_end, k_begin, k_end, allowed, offset; token positions are global,
// ends exclusive. One record a task whose pairs are all allowed (`all`) or those of a causal mask
// (`causal`: local key index <= local query index + offset). A task under a pattern is cut into
// cells, equal neighbours joined: `cells` where every pair is allowed, `some` where a part is, and
// no record where none is. (Beyond 64 tokens a side the pattern's own word for a cell is taken,
// which may be `some` for none or all.) Groups must be contiguous (throws Unsupported).
[[nodiscard]] CsvTable partition_rectangles(const Plan& plan, std::int64_t cells = kPictureCells);

}  // namespace qb
