// SPDX-License-Identifier: Apache-2.0
// Columns that follow from a case's plan, in rows of older runs: machines that are gone need no new
// run.
#pragma once

#include "base/csv.h"

namespace qb {

// Fills in what the devices and the root of older rows hold and send. A plan that works in place
// holds the caller's tensors, which older rows did not count as the worker's.
void complete_older_rows(CsvTable& cases);

}  // namespace qb
