// SPDX-License-Identifier: Apache-2.0
// CQS-Attention without a root: group k starts and ends on worker k, as in a ring. A worker fetches
// the groups of its kept pairs while it computes its diagonal block, then computes the kept pairs
// and returns the partials of foreign queries, or in the backward pass its sums of dQ, dK and dV of
// foreign groups. It moves about sqrt(W) shards, a ring W - 1.
#include <memory>

#include "harness/plan/strategies/cqs.h"

namespace qb {
namespace {

struct Exchange {
  PlanBuilder builder;
  QuorumBlocks blocks;
  std::vector<std::vector<int>> owners;    // workers whose tokens a worker fetches, ascending
  std::vector<std::vector<int>> fetchers;  // workers that fetch a worker's tokens, ascending

  Exchange(const Problem& problem, const StrategyOptions& options)
      : builder(problem, "cqs_sharded", options.workers, options.pass, options.gradients),
        blocks(builder, options) {
    builder.plan.synchronisation = Synchronisation::rounds;
    builder.plan.result = Result::owners;
    fetchers.resize(static_cast<std::size_t>(options.workers));
    for (int w = 0; w < options.workers; ++w) {
      (void)builder.add_list(blocks.q_groups_of({w}));
      (void)builder.add_list(blocks.kv_groups_of({w}));
      owners.push_back(blocks.kept_groups(w));
      std::erase(owners.back(), w);
      for (int owner : owners.back()) fetchers[static_cast<std::size_t>(owner)].push_back(w);
    }
  }

  // Returns a worker's own tokens as lists of groups, of queries or of keys.
  [[nodiscard]] static int list_of(int worker, TensorRole what) {
    return 2 * worker + (is_of_keys(what) ? 1 : 0);
  }

  // Returns a message of `owner`'s tokens, as its sender or receiver sees it.
  [[nodiscard]] Transfer part(TensorRole what, int owner, int peer) const {
    return builder.transfer(
        {TransferKind::all_to_all, what, list_of(owner, what), builder.all_heads(), 0}, peer);
  }

  void add_inputs(std::vector<Transfer>& messages, int owner, int peer) const {
    for (const TensorRole what : query_inputs(builder.plan.pass))
      messages.push_back(part(what, owner, peer));
    for (const TensorRole what : kKeyInputs) messages.push_back(part(what, owner, peer));
  }
  void add_results(std::vector<Transfer>& messages, int owner, int peer) const {
    for (const TensorRole what : results_of(builder.plan.pass))
      messages.push_back(part(what, owner, peer));
  }

  // Steps: 0 is the diagonal, during the exchange; 1 the kept pairs; 2 the results of the others.
  [[nodiscard]] Worker worker(int index, bool with_steps) const {
    Worker worker{blocks.q_groups_of({index}), blocks.kv_groups_of({index}), {}, {}};
    if (!with_steps) return worker;
    worker.steps.resize(3);
    blocks.add_diagonal(builder, index, worker.steps[0]);
    blocks.add_kept(builder, index, worker.steps[1]);
    for (int fetcher : fetchers[static_cast<std::size_t>(index)]) {
      add_inputs(worker.steps[0].sends, index, fetcher);
      add_results(worker.steps[2].receives, index, fetcher);
    }
    for (int owner : owners[static_cast<std::size_t>(index)]) {
      add_inputs(worker.steps[1].receives, owner, owner);
      add_results(worker.steps[1].sends, owner, owner);
    }
    return worker;
  }
};

}  // namespace

Plan plan_cqs_sharded(const Problem& problem, const StrategyOptions& options) {
  const auto exchange = std::make_shared<const Exchange>(problem, options);
  Plan plan = exchange->builder.plan;
  plan.workers = Workers(options.workers, [exchange](int w, bool with_steps) {
    return exchange->worker(w, with_steps);
  });
  return plan;
}

}  // namespace qb
