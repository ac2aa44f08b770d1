// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/split/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

// The borders of all blocks make a grid, each cell of which is wholly inside or outside a block.
bool covers_exactly_once(const ProductPlan& plan) {
  std::set<std::int64_t> row_lines = {0, plan.rows};
  std::set<std::int64_t> column_lines = {0, plan.columns};
  for (const auto& blocks : plan.workers)
    for (const ProductBlock& block : blocks) {
      if (block.row_begin < 0 || block.row_end > plan.rows || block.column_begin < 0 ||
          block.column_end > plan.columns)
        return false;
      row_lines.insert({block.row_begin, block.row_end});
      column_lines.insert({block.column_begin, block.column_end});
    }
  std::int64_t elements = 0;
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const auto& blocks : plan.workers)
    for (const ProductBlock& block : blocks) {
      elements += block.elements();
      for (auto row = row_lines.lower_bound(block.row_begin); *row < block.row_end; ++row)
        for (auto column = column_lines.lower_bound(block.column_begin); *column < block.column_end;
             ++column)
          if (!seen.emplace(*row, *column).second) return false;
    }
  return elements == plan.rows * plan.columns;
}

}  // namespace qb
