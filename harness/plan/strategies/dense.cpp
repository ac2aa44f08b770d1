// SPDX-License-Identifier: Apache-2.0
// Dense: one worker holds the whole sequence, or all packed ones. Every speed-up is relative to it.
#include <fmt/format.h>

#include "base/status.h"
#include "harness/plan/builder.h"
#include "harness/plan/layout.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_dense(const Problem& problem, const StrategyOptions& options) {
  if (options.workers != 1)
    throw Unsupported(
        fmt::format("dense computes the whole sequence on one worker and cannot use "
                    "{}; set workers to 1, or choose an algorithm that splits",
                    options.workers));
  Plan plan;
  plan.problem = problem;
  plan.algorithm = "dense";
  plan.pass = options.pass;
  const Shards whole = deal_contiguous(plan, 1);
  Worker worker{whole.q[0], whole.kv[0], {Step{}}, {}};
  for (int q : worker.q_groups)
    for (int kv : worker.kv_groups)
      if (const auto task = pair_task(problem, plan.q_groups, plan.kv_groups, q, kv))
        worker.steps[0].tasks.push_back(*task);
  plan.workers.push_back(std::move(worker));
  return plan;
}

}  // namespace qb
