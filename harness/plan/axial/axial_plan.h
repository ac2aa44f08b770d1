// SPDX-License-Identifier: Apache-2.0
// Axial attention (kernels/mixer/) over W workers, as FastFold has it (dynamic axial parallelism,
// Cheng et al. 2022): the tokens are a tensor of R rows and C columns. A worker holds some rows and
// attends within them; in round 0 an all-to-all transposes the tensor, and it attends within
// some columns; in round 1 another brings its rows back. Only the output of a pass travels: in each
// round a worker that holds a W-th of the tensor sends (W - 1) / W of that. Unequal shards differ
// by one row and by one column, so that the busiest worker has ceil(R / W) C^2 + ceil(C / W) R^2
// of the RC (C + R) pairs.
#pragma once

#include "harness/plan/scan/scan_plan.h"

namespace qb {

// The tokens of some rows and some columns of the tensor.
struct AxialPart {
  Range rows{};
  Range columns{};
  [[nodiscard]] std::int64_t count() const { return rows.count() * columns.count(); }
  friend bool operator==(const AxialPart&, const AxialPart&) = default;
};

struct AxialMessage {
  int round = 0;
  int from = 0;
  int to = 0;
  AxialPart part{};
};

struct AxialPlan {
  static constexpr int kRounds = 2;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  int workers = 1;
  std::vector<AxialMessage> messages{};  // in the order in which they leave and arrive

  // What the worker holds before that round: columns before round 1, else rows.
  [[nodiscard]] AxialPart held(int worker, int round) const;
  // The tokens of the worker's rows.
  [[nodiscard]] Range tokens(int worker) const;
};

// Throws Unsupported if a worker would have no row or no column.
[[nodiscard]] AxialPlan plan_axial(std::int64_t rows, std::int64_t columns, int workers);

// Returns the first error: a worker sends what it does not hold, gets what it should not hold or
// twice, or lacks something after a round.
[[nodiscard]] std::optional<std::string> check(const AxialPlan& plan);

}  // namespace qb
