// SPDX-License-Identifier: Apache-2.0
// The picture of a plan: which worker computes which pairs.
#pragma once

#include <string>

#include "harness/plan/picture.h"
#include "harness/plan/work/work.h"
#include "plots/figures/figures.h"

namespace qb {

// Throws UsageError if there are more workers than can be told apart.
[[nodiscard]] inline Figure partition_figure(const Plan& plan, const Work& work,
                                             const std::string& title) {
  Partition partition;
  partition.title = title;
  partition.rectangles = partition_rectangles(plan);
  partition.queries = plan.problem.shape.q_len;
  partition.keys = plan.problem.shape.kv_len;
  partition.masked = work.unmasked_pairs < partition.queries * partition.keys;
  for (const WorkerWork& worker : work.workers)
    partition.pairs.push_back(static_cast<double>(worker.unmasked_pairs));
  return partition_of(partition);
}

}  // namespace qb
