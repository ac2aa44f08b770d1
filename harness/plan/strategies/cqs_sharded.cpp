// SPDX-License-Identifier: Apache-2.0
// CQS-Attention without a root: group k starts and ends on worker k, as in a ring. A worker fetches
// the groups of its kept pairs while it computes its diagonal block, then computes the kept pairs
// and returns the partials of foreign queries, or in the backward pass its sums of dQ, dK and dV of
// foreign groups. It moves about sqrt(W) shards, a ring W - 1.
#include <memory>
#include <span>
#include <vector>

#include "harness/plan/strategies/cqs.h"

namespace qb {
namespace {

struct Exchange {
  PlanBuilder builder;
  QuorumBlocks blocks;
  std::vector<std::vector<int>> owners;        // workers whose tokens a worker fetches, ascending
  std::vector<std::vector<int>> fetchers;      // workers that fetch a worker's tokens, ascending
  std::vector<std::vector<Transfer>> inputs;   // by owner
  std::vector<std::vector<Transfer>> results;  // likewise

  Exchange(const Problem& problem, const StrategyOptions& options)
      : builder(problem, "cqs_sharded", options.workers, options.pass, options.gradients),
        blocks(builder, options) {
    builder.plan.synchronisation = Synchronisation::rounds;
    builder.plan.result = Result::owners;
    fetchers.resize(static_cast<std::size_t>(options.workers));
    for (int w = 0; w < options.workers; ++w) {
      (void)builder.add_list(blocks.q_groups_of({w}));
      (void)builder.add_list(blocks.kv_groups_of({w}));
      add_parts(query_inputs(options.pass), w, inputs.emplace_back());
      add_parts(kKeyInputs, w, inputs.back());
      add_parts(results_of(options.pass), w, results.emplace_back());
      owners.push_back(blocks.kept_groups(w));
      std::erase(owners.back(), w);
      for (int owner : owners.back()) fetchers[static_cast<std::size_t>(owner)].push_back(w);
    }
  }

  // Adds these tensors of a worker's own tokens, as messages without a peer.
  void add_parts(std::span<const TensorRole> tensors, int owner,
                 std::vector<Transfer>& parts) const {
    for (const TensorRole what : tensors)
      parts.push_back(
          builder.transfer({TransferKind::all_to_all, what, 2 * owner + (is_of_keys(what) ? 1 : 0),
                            builder.all_heads(), 0},
                           owner, 0));
  }

  static void add(const std::vector<Transfer>& parts, int peer, std::vector<Transfer>& messages) {
    for (Transfer part : parts) {
      part.peer = peer;
      messages.push_back(part);
    }
  }

  // Steps: 0 is the diagonal, during the exchange; 1 the kept pairs; 2 the results of the others.
  [[nodiscard]] Worker worker(int index, Workers::Parts parts) const {
    Worker worker{blocks.q_groups_of({index}), blocks.kv_groups_of({index}), {}, {}};
    if (parts == Workers::Parts::share) return worker;
    worker.steps.resize(3);
    if (parts == Workers::Parts::all) {
      blocks.add_diagonal(builder, index, worker.steps[0]);
      blocks.add_kept(builder, index, worker.steps[1]);
    }
    for (int fetcher : fetchers[static_cast<std::size_t>(index)]) {
      add(inputs[static_cast<std::size_t>(index)], fetcher, worker.steps[0].sends);
      add(results[static_cast<std::size_t>(index)], fetcher, worker.steps[2].receives);
    }
    for (int owner : owners[static_cast<std::size_t>(index)]) {
      add(inputs[static_cast<std::size_t>(owner)], owner, worker.steps[1].receives);
      add(results[static_cast<std::size_t>(owner)], owner, worker.steps[1].sends);
    }
    return worker;
  }
};

}  // namespace

Plan plan_cqs_sharded(const Problem& problem, const StrategyOptions& options) {
  const auto exchange = std::make_shared<const Exchange>(problem, options);
  Plan plan = exchange->builder.plan;
  plan.workers = Workers(options.workers, [exchange](int w, Workers::Parts parts) {
    return exchange->worker(w, parts);
  });
  return plan;
}

}  // namespace qb
