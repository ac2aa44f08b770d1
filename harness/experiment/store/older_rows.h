// Columns that follow from a case's plan, in rows of older runs: machines that are gone need no new
// run.
#pragma once

#include "base/csv.h"
#include "harness/workload/case.h"

namespace qb {

// The first schema version whose rows say what a device and the root hold and send.
inline constexpr int kDeviceBytesSince = 11;

// Throws UsageError where a value is not one of its parameter.
[[nodiscard]] Case case_of_row(const CsvTable& cases, std::size_t row);

// Fills in what the devices and the root of older rows hold and send. A plan that works in place
// holds the caller's tensors, which older rows did not count as the worker's.
void complete_older_rows(CsvTable& cases);

}  // namespace qb
