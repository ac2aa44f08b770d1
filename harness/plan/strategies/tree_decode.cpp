// SPDX-License-Identifier: Apache-2.0
// Tree Attention's decoding (Shyam et al., arXiv 2408.04093): every worker holds the query and a
// contiguous part of the cache, and three all-reduces give every worker the answer: the maximum of
// the LSE, then the denominators and the numerators relative to it. Each all-reduce is written out
// as a binomial tree: towards worker 0 in ceil(log2 W) rounds, and back.
#include "harness/plan/builder.h"
#include "harness/plan/layout.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

// Adds one all-reduce from `step` on and returns the step that receives the last messages.
int add_all_reduce(PlanBuilder& builder, TensorRole what, int list, int step) {
  const int workers = builder.n_workers();
  const PlanBuilder::Message message{TransferKind::all_reduce, what, list, builder.all_heads(), 0};
  int reach = 1;
  for (; reach < workers; reach *= 2, ++step)
    for (int w = reach; w < workers; w += 2 * reach) builder.send(w, w - reach, step, message);
  for (reach /= 2; reach >= 1; reach /= 2, ++step)
    for (int w = reach; w < workers; w += 2 * reach) builder.send(w - reach, w, step, message);
  return step;
}

}  // namespace

Plan plan_tree_decode(const Problem& problem, const StrategyOptions& options) {
  require_one_sequence(problem, "tree_decode");
  const int workers = options.workers;
  PlanBuilder builder(problem, "tree_decode", workers);
  Plan& plan = builder.plan;
  plan.synchronisation = Synchronisation::rounds;
  plan.result = Result::everyone;
  plan.q_groups = contiguous_groups(problem.shape.q_len, 1);
  plan.kv_groups = contiguous_groups(problem.shape.kv_len, workers);
  const int queries = builder.add_list({0});
  for (int w = 0; w < workers; ++w) {
    builder.worker(w).q_groups = {0};
    builder.worker(w).kv_groups = {w};
    builder.add_task(builder.step(w, 0), 0, w);
  }
  int step = 0;
  for (const TensorRole what :
       {TensorRole::row_max, TensorRole::denominator, TensorRole::numerator})
    step = add_all_reduce(builder, what, queries, step);
  for (int w = 0; w < workers; ++w) (void)builder.step(w, step);
  return std::move(builder.plan);
}

}  // namespace qb
