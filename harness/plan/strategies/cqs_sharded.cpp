// CQS-Attention where no root holds the sequence: group k starts and ends on worker k, as in a
// ring. A worker fetches the groups of its kept pairs from their owners while it computes its
// diagonal block, computes the kept pairs, and sends the partials of the foreign queries home. Each
// worker moves about sqrt(W) shards, where a ring moves W - 1.
#include "harness/plan/strategies/cqs.h"

namespace qb {
namespace {

// A worker's own tokens as lists of groups.
struct Lists {
  std::vector<int> queries;
  std::vector<int> keys;
};

// Steps: 0 the diagonal, beside the exchange; 1 the kept pairs; 2 the partials of the others.
void add_exchange(PlanBuilder& builder, int w, const std::vector<int>& material,
                  const Lists& lists) {
  const HeadRange heads = builder.all_heads();
  for (int owner : material) {
    if (owner == w) continue;
    const int queries = lists.queries[static_cast<std::size_t>(owner)];
    const int keys = lists.keys[static_cast<std::size_t>(owner)];
    for (const TensorRole what : {TensorRole::q, TensorRole::k, TensorRole::v})
      builder.send(
          owner, w, 0,
          {TransferKind::all_to_all, what, what == TensorRole::q ? queries : keys, heads, 0});
    builder.send(w, owner, 1, {TransferKind::all_to_all, TensorRole::partial, queries, heads, 0});
  }
}

}  // namespace

Plan plan_cqs_sharded(const Problem& problem, const StrategyOptions& options) {
  require_one_sequence(problem, "cqs_sharded");
  const int workers = options.workers;
  PlanBuilder builder(problem, "cqs_sharded", workers);
  QuorumBlocks blocks(builder, options);
  builder.plan.synchronisation = Synchronisation::rounds;
  builder.plan.result = Result::owners;
  Lists lists;
  for (int w = 0; w < workers; ++w) {
    builder.worker(w).q_groups = blocks.q_groups_of({w});
    builder.worker(w).kv_groups = {w};
    builder.worker(w).steps.resize(3);
    lists.queries.push_back(builder.add_list(builder.worker(w).q_groups));
    lists.keys.push_back(builder.add_list({w}));
  }
  for (int w = 0; w < workers; ++w) {
    blocks.add_diagonal(w, 0);
    add_exchange(builder, w, blocks.add_kept(w, 1), lists);
  }
  return std::move(builder.plan);
}

}  // namespace qb
