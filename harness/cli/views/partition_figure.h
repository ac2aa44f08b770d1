// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "harness/plan/work/picture.h"
#include "harness/plan/work/work.h"
#include "plots/figures/figures.h"

namespace qb {

// Draws which worker of a plan computes which pairs. Throws UsageError as partition_of() does.
[[nodiscard]] inline Figure partition_figure(const Plan& plan, const Work& work,
                                             const std::string& title) {
  Partition of{title, static_cast<double>(plan.problem.shape.q_len),
               static_cast<double>(plan.problem.shape.kv_len)};
  for (const WorkerWork& worker : work.workers)
    of.pairs.push_back(static_cast<double>(worker.unmasked_pairs));
  return partition_of(partition_rectangles(plan), of);
}

}  // namespace qb
