// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/split/product.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace qb {
namespace {

// Returns where group `group` of `groups` over n begins.
std::int64_t begin_of(std::int64_t n, int groups, int group) {
  const std::int64_t larger = n % groups;
  return n / groups * group + std::max<std::int64_t>(0, group - (groups - larger));
}

}  // namespace

std::int64_t ProductPlan::elements(std::size_t worker) const {
  std::int64_t sum = 0;
  for (const ProductBlock& block : workers[worker]) sum += block.elements();
  return sum;
}

int ProductPlan::idle_workers() const {
  return static_cast<int>(
      std::ranges::count_if(workers, [](const auto& blocks) { return blocks.empty(); }));
}

double ProductPlan::ratio() const {
  std::int64_t most = 1;
  for (std::size_t worker = 0; worker < workers.size(); ++worker)
    most = std::max(most, elements(worker));
  return static_cast<double>(rows) * static_cast<double>(columns) / static_cast<double>(most);
}

ProductPlan product_plan(const InterestSet& set, int row_groups, std::int64_t rows,
                         std::int64_t columns, Distillation distillation) {
  const int column_groups = set.modulus - row_groups;
  if (row_groups < 1 || column_groups < 1)
    throw UsageError(fmt::format("{} row groups of W = {}: both matrices need a group", row_groups,
                                 set.modulus));
  if (rows < row_groups || columns < column_groups)
    throw UsageError(fmt::format("{} rows and {} columns are too few for {} and {} groups", rows,
                                 columns, row_groups, column_groups));
  ProductPlan plan{row_groups, rows, columns, {}};
  const auto pairs = kept_residue_pairs(set, distillation);
  for (int worker = 0; worker < set.modulus; ++worker) {
    std::vector<ProductBlock>& blocks = plan.workers.emplace_back();
    for (const GroupPair& pair : distill(set.modulus, pairs, worker, distillation)) {
      if (pair.first >= row_groups || pair.second < row_groups) continue;
      ProductBlock block{begin_of(rows, row_groups, pair.first),
                         begin_of(rows, row_groups, pair.first + 1),
                         begin_of(columns, column_groups, pair.second - row_groups),
                         begin_of(columns, column_groups, pair.second - row_groups + 1)};
      const std::int64_t middle = block.row_begin + (block.row_end - block.row_begin) / 2;
      if (pair.share == Share::lower) block.row_end = middle;
      if (pair.share == Share::upper) block.row_begin = middle;
      if (block.elements() > 0) blocks.push_back(block);
    }
  }
  return plan;
}

}  // namespace qb
