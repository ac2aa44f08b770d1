// Dense: one worker holds the whole sequence. Every speed-up is relative to it.
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
  require_one_sequence(problem, "dense");
  Plan plan;
  plan.problem = problem;
  plan.algorithm = "dense";
  plan.q_groups = contiguous_groups(problem.shape.q_len, 1);
  plan.kv_groups = contiguous_groups(problem.shape.kv_len, 1);
  Worker worker{{0}, {0}, {Step{}}, {}};
  if (const auto task = pair_task(problem, plan.q_groups, plan.kv_groups, 0, 0))
    worker.steps[0].tasks.push_back(*task);
  plan.workers.push_back(std::move(worker));
  return plan;
}

}  // namespace qb
