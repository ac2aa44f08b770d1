// SPDX-License-Identifier: Apache-2.0
// What a run says of noise: that its machine is busy as it begins, and by how much one case, which
// it measures a second time once all are done, differs from itself.
#pragma once

#include <optional>
#include <string>

#include "base/csv.h"
#include "base/schema/row.h"
#include "base/statistics.h"

namespace qb {

// A sentence where others computed on these cores in the minute before; else empty. `loads` are the
// load averages as the kernel prints them.
[[nodiscard]] std::string busy_note(const std::string& loads, int cores);

// The row of the longest measured case that takes at most 5 % of the run's time, or 2 s; none where
// all take longer.
[[nodiscard]] std::optional<std::size_t> row_to_repeat(const CsvTable& cases);

// By the clock that `compare` takes of such a case.
[[nodiscard]] NoiseFloor noise_floor_of(const std::string& case_label, const Row& first,
                                        const RowValues& second);

}  // namespace qb
