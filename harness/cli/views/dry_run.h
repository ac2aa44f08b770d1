// SPDX-License-Identifier: Apache-2.0
// What `qb run --dry-run` shows: the cases with their predicted cost, why some cannot run, and what
// all of them take.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/sweep/earlier_times.h"
#include "harness/workload/case.h"

namespace qb {

// `cases` are as they run on this machine; `out` is the folder that `earlier` was read from.
[[nodiscard]] std::string dry_run_text(const std::string& name, const std::vector<Case>& cases,
                                       const EarlierTimes& earlier, const std::string& out);

}  // namespace qb
