// SPDX-License-Identifier: Apache-2.0
// `--filter KEY=VALUE` for verbs that read runs: the comparisons of a spec's filters, on rows.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"

namespace qb {

// Says of each row of a cases.csv whether every filter holds. Throws UsageError for a filter that
// `qb run` would refuse, or if one leaves no row.
[[nodiscard]] std::vector<bool> rows_kept(const CsvTable& cases,
                                          const std::vector<std::string>& filters);

}  // namespace qb
