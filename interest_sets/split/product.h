// SPDX-License-Identifier: Apache-2.0
// Applies CQS to a general matrix product C = A B (supplement F of CQS-Attention). The rows of A
// are cut into W1 groups and the columns of B into W2: W = W1 + W2 groups over W workers. A kept
// pair is a task, one block of C, only where one group is of rows and the other of columns.
#pragma once

#include <cstdint>
#include <vector>

#include "interest_sets/split/distillation.h"

namespace qb {

struct ProductBlock {
  std::int64_t row_begin = 0;
  std::int64_t row_end = 0;
  std::int64_t column_begin = 0;
  std::int64_t column_end = 0;

  [[nodiscard]] std::int64_t elements() const {
    return (row_end - row_begin) * (column_end - column_begin);
  }
  friend bool operator==(const ProductBlock&, const ProductBlock&) = default;
};

struct ProductPlan {
  int row_groups = 0;  // W1
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::vector<ProductBlock>> workers;

  [[nodiscard]] std::int64_t elements(std::size_t worker) const;
  [[nodiscard]] int idle_workers() const;
  // Returns rows * columns / largest share of a worker: the greatest speed-up of the split.
  [[nodiscard]] double ratio() const;
};

// Groups g < row_groups are groups of rows, the others are groups of columns. A block that two
// workers share (balanced, even W) is cut at half of its rows. Throws UsageError unless 1 <=
// row_groups < W, rows >= W1 and columns >= W2.
[[nodiscard]] ProductPlan product_plan(const InterestSet& set, int row_groups, std::int64_t rows,
                                       std::int64_t columns,
                                       Distillation distillation = Distillation::published);

}  // namespace qb
