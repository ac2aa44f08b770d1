// CQS-Attention where no root holds the sequence: group k starts and ends on worker k, as in a
// ring. A worker fetches the groups of its kept pairs from their owners while it computes its
// diagonal block, computes the kept pairs, and sends the partials of the foreign queries home. Each
// worker moves about sqrt(W) shards, where a ring moves W - 1.
#include <algorithm>
#include <set>

#include "harness/plan/builder.h"
#include "harness/plan/strategy.h"
#include "interest_sets/distillation.h"

namespace qb {
namespace {

// Steps: 0 the diagonal, beside the exchange; 1 the kept pairs; 2 the partials of the others.
void add_exchange(PlanBuilder& builder, int w, const std::set<int>& material,
                  const std::vector<int>& lists) {
  const HeadRange heads = builder.all_heads();
  for (int owner : material) {
    if (owner == w) continue;
    const int list = lists[static_cast<std::size_t>(owner)];
    for (const TensorRole what : {TensorRole::q, TensorRole::k, TensorRole::v})
      builder.send(owner, w, 0, {TransferKind::all_to_all, what, list, heads, 0});
    builder.send(w, owner, 1, {TransferKind::all_to_all, TensorRole::partial, list, heads, 0});
  }
}

}  // namespace

Plan plan_cqs_sharded(const Problem& problem, const StrategyOptions& options) {
  require_one_sequence(problem, "cqs_sharded");
  const InterestSet set = cqs_interest_set(problem.shape, options);
  const int workers = options.workers;
  PlanBuilder builder(problem, "cqs_sharded", workers);
  Plan& plan = builder.plan;
  plan.synchronisation = Synchronisation::rounds;
  plan.result = Result::owners;
  (void)deal_contiguous(plan, workers);
  std::vector<int> lists;
  for (int w = 0; w < workers; ++w) lists.push_back(builder.add_list({w}));
  for (int w = 0; w < workers; ++w) {
    builder.worker(w).q_groups = {w};
    builder.worker(w).kv_groups = {w};
    builder.worker(w).steps.resize(3);
  }
  for (int w = 0; w < workers; ++w) {
    builder.add_task(builder.step(w, 0), w, w);
    std::set<int> material;
    for (const GroupPair& pair : distill(set, w)) {
      material.insert({pair.first, pair.second});
      builder.add_task(builder.step(w, 1), pair.first, pair.second);
      builder.add_task(builder.step(w, 1), pair.second, pair.first);
    }
    add_exchange(builder, w, material, lists);
  }
  return std::move(builder.plan);
}

}  // namespace qb
