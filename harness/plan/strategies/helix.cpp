// SPDX-License-Identifier: Apache-2.0
// Helix Parallelism (Bhatia et al., arXiv 2507.07120), which vLLM calls decode context parallelism:
// W = T x D workers share the heads out over T and the cache over D. A share of the heads is whole
// groups that share keys; worker h + T x has share h of the keys of tokens t with t mod D = x. It
// owns the output of slice x of its share: H heads, for all B new tokens of the batch.
//
// all_to_all: every worker has the queries of its whole share from the beginning. It sends O and
// LSE of each slice to the slice's owner, B H (d e_O + 4) bytes to each of D - 1, which merges
// them.
//
// reduce_scatter: it has the queries of its slice and all-gathers those of its share, B H d e bytes
// to each. Once it has computed it all-gathers the LSE of the share, B D H 4 bytes, by which each
// worker weighs its own O. An owner then only adds: a reduce-scatter of B H d e_O bytes to each.
#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"
#include "harness/plan/builder.h"
#include "harness/plan/layout.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

// Part i of the heads, in whole groups of `group`; parts differ by a group at most.
Range part_of(const Range& heads, std::int64_t i, std::int64_t parts, std::int64_t group) {
  const std::int64_t groups = heads.count() / group;
  return {heads.begin + i * groups / parts * group, heads.begin + (i + 1) * groups / parts * group};
}

}  // namespace

int helix_shares(const Shape& shape, int workers, int asked) {
  const auto fits = [&](int shares) {
    return workers % shares == 0 && shares <= shape.kv_heads &&
           workers / shares <= shape.kv_heads / shares * (shape.q_heads / shape.kv_heads);
  };
  int shares = asked;
  for (int i = 1; asked == 0 && i <= workers; ++i)
    if (fits(i)) shares = i;
  if (shares == 0 || !fits(shares))
    throw Unsupported(fmt::format(
        "helix has head shares of whole groups that share keys, and gives each worker of a share "
        "the output of a head: {} query heads on {} key-value heads are not dealt so to {} "
        "workers{}",
        shape.q_heads, shape.kv_heads, workers,
        asked > 0 ? fmt::format(" in {} shares", asked) : ""));
  return shares;
}

Plan plan_helix(const Problem& problem, const StrategyOptions& options) {
  require_one_sequence(problem, "helix");
  const Shape& shape = problem.shape;
  const int workers = options.workers;
  PlanBuilder builder(problem, "helix", workers);
  const int shares = helix_shares(shape, workers, options.keys.integer("grid_heads"));
  const int slices = workers / shares;
  const bool gathers = slices > 1 && options.keys.text("helix_exchange") == "reduce_scatter";
  Plan& plan = builder.plan;
  plan.synchronisation = Synchronisation::rounds;
  plan.result = Result::owners;
  // Tokens of one stride, as those of the keys, have causal tasks.
  plan.q_groups = striped_groups(shape.q_len, slices);
  plan.q_groups.resize(static_cast<std::size_t>(std::min<std::int64_t>(slices, shape.q_len)));
  plan.kv_groups = striped_groups(shape.kv_len, slices);
  const int queries = builder.add_list(every_group(plan.q_groups));
  for (int w = 0; w < workers; ++w) {
    const int x = w / shares;
    const Range share =
        part_of(builder.all_heads(), w % shares, shares, shape.q_heads / shape.kv_heads);
    const auto slice = [&](int y) { return part_of(share, y, slices, 1); };
    Worker& worker = builder.worker(w);
    worker.q_groups = every_group(plan.q_groups);
    worker.kv_groups = {x};
    worker.heads = share;
    if (slices > 1) (gathers ? worker.queries : worker.results) = slice(x);
    for (const int q : worker.q_groups)
      builder.add_task(builder.step(w, gathers ? 1 : 0), q, x, share);
    for (int y = 0; y < slices; ++y) {
      const int peer = w % shares + shares * y;
      const auto send = [&](int step, TransferKind kind, TensorRole what, const Range& heads) {
        builder.send(w, peer, step, {kind, what, queries, heads});
      };
      if (gathers) send(0, TransferKind::all_gather, TensorRole::q, slice(x));
      if (y == x) continue;
      if (gathers) {
        send(1, TransferKind::all_gather, TensorRole::partial_lse, share);
        send(2, TransferKind::reduce_scatter, TensorRole::weighted, slice(y));
      } else {
        send(0, TransferKind::all_to_all, TensorRole::partial, slice(y));
      }
    }
  }
  return std::move(plan);
}

}  // namespace qb
