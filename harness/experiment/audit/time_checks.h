// SPDX-License-Identifier: Apache-2.0
// Checks the times of an ok row against its repeats, the repeats against each other, and what the
// row says of a backward pass.
#pragma once

#include <cstddef>
#include <string>

#include "base/csv.h"
#include "harness/experiment/audit/audited_row.h"

namespace qb {

// Clocks by their names: samples.csv has NAME_s, cases.csv has NAME_median_s.
inline constexpr const char* kCheckedClocks[] = {"wall_time", "critical_path", "worker_sum",
                                                 "longest_subsequence"};

// Identifies a repeat in samples.csv and parts.csv.
[[nodiscard]] inline std::string repeat_of(const CsvTable& table, std::size_t row) {
  return Row{&table, row}.text("warmup") + ' ' + Row{&table, row}.text("repeat");
}

// samples.csv must give the row's medians, intervals and counts, digit for digit.
void check_medians(AuditedRow& row);
// Each clock of a measured repeat must contain what it says that it contains, and fit n_cores (0:
// not known).
void check_clocks(AuditedRow& row, std::size_t n_cores);
// The row's times of workers must be those of its repeats, interval included.
void check_worker_parts(AuditedRow& row);
// The stages of a repeat must have the row's medians and end within the repeat.
void check_stages(AuditedRow& row);
// Each repeat of a layer must have all of its parts, which take from half to all of its time.
void check_parts(AuditedRow& row, const CsvTable& parts);
// The gradients of an ok row's backward pass must be there and within their tolerances. The times
// of two passes must be those that the samples give, and must add up to the wall clock of each
// repeat. Rows of other passes have none of these.
void check_passes(AuditedRow& row);

}  // namespace qb
