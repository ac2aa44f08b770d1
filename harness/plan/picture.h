// SPDX-License-Identifier: Apache-2.0
// Writes the partition of the N x N pairs of a head as a table of rectangles, for drawing.
#pragma once

#include <cstdint>

#include "base/csv.h"
#include "harness/plan/plan.h"

namespace qb {

// Cells per side of a picture: a cell is one pair, or a square if there are more tokens.
inline constexpr std::int64_t kPictureCells = 256;

// Records of worker, q_begin, q_end, k_begin, k_end, allowed; positions are global, ends exclusive.
// They are of the first head; other workers may have others. A task without a mask has one record.
// Others are cut into cells, and equal neighbours are joined: `all` if every pair is allowed,
// `some` if a part is, no record if none is. (Beyond 64 tokens a side the mask's own answer is
// used, which may be `some` for none or all.) Of strided groups the pairs of the first `cells`
// tokens alone have records.
[[nodiscard]] CsvTable partition_rectangles(const Plan& plan, std::int64_t cells = kPictureCells);

}  // namespace qb
