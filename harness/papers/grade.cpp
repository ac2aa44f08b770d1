// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/grade.h"

#include <algorithm>

#include "base/statistics.h"

namespace qb {

std::vector<GradedRow> graded_rows(std::span<const AnsweredPaper> papers, bool digitised) {
  std::vector<GradedRow> rows;
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& table : paper.tables)
      for (const PublishedAnswer& answer : table.answers)
        if (answer.predicted && table.table->digitised == digitised)
          rows.push_back({paper.paper, &answer,
                          answer.predicted->is_time ? 1.0 / answer.ratio() : answer.ratio()});
  return rows;
}

Grade grade_of(std::span<const GradedRow> rows) {
  if (rows.empty()) return {};
  std::vector<double> factors;
  for (const GradedRow& row : rows) factors.push_back(std::max(row.slowness, 1.0 / row.slowness));
  std::ranges::sort(factors);
  return {rows.size(), median(factors), factors[(9 * factors.size() - 1) / 10], factors.back()};
}

}  // namespace qb
