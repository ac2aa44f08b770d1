// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/row_filter.h"

#include "harness/experiment/spec/sweep.h"

namespace qb {

std::vector<bool> rows_kept(const CsvTable& cases, const std::vector<std::string>& filters) {
  return kept_by(filters, "--filter", cases.size(),
                 [&](std::size_t row, const Parameter& parameter) {
                   return cases.text(row, parameter.column);
                 });
}

}  // namespace qb
