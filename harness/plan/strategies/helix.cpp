// SPDX-License-Identifier: Apache-2.0
// Helix Parallelism (Bhatia et al., arXiv 2507.07120), which vLLM calls decode context parallelism:
// W = T x D workers share the heads out over T and the cache over D. A share of the heads is whole
// groups that share keys; worker h + T x has share h of the keys of tokens t with t mod D = x. It
// owns the output of slice x of its share, H of the heads.
//
// all_to_all: every worker has the queries of its whole share from the beginning. It computes with
// its keys and sends O and LSE of each slice to the slice's owner, which merges them: for T new
// tokens of e_O-byte partials T H (d e_O + 4) bytes to each of D - 1 workers.
//
// reduce_scatter: it has the queries of its slice and all-gathers those of its share, T H d e bytes
// to each. Once it has computed it all-gathers the LSE of the share, T D H 4 bytes, with which each
// worker weighs its own O. The owner then only adds: a reduce-scatter of T H d e_O.
#include <fmt/format.h>

#include <algorithm>

#include "base/integers.h"
#include "base/status.h"
#include "harness/plan/builder.h"
#include "harness/plan/layout.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

Range share_of(const Shape& shape, int h, int shares) {
  const std::int64_t group = shape.q_heads / shape.kv_heads;
  return {h * shape.kv_heads / shares * group, (h + 1) * shape.kv_heads / shares * group};
}

Range slice_of(const Shape& shape, const Range& share, int x, int slices) {
  Shape of_share = shape;
  of_share.q_heads = share.count();
  const Range slice = head_share(of_share, x, slices);
  return {share.begin + slice.begin, share.begin + slice.end};
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
    const Range share = share_of(shape, w % shares, shares);
    const auto slice = [&](int x) { return slice_of(shape, share, x, slices); };
    const int x = w / shares;
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
