// DeepSpeed-Ulysses (Jacobs et al., arXiv 2309.14509): tokens are sharded, and for the attention an
// all-to-all turns them into heads: every worker computes all tokens for its share of the heads. A
// second all-to-all takes the outputs home.
#include <fmt/format.h>

#include "base/status.h"
#include "harness/plan/builder.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

void require_divisible(const Shape& shape, int workers) {
  const auto require = [&](std::string_view what, std::int64_t heads) {
    if (heads % workers != 0)
      throw Unsupported(fmt::format(
          "ulysses deals whole heads to workers: {} {} heads are no multiple of {} workers", heads,
          what, workers));
  };
  require("query", shape.q_heads);
  require("key-value", shape.kv_heads);
}

}  // namespace

Plan plan_ulysses(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  require_one_sequence(problem, "ulysses");
  require_divisible(problem.shape, workers);
  PlanBuilder builder(problem, "ulysses", workers);
  Plan& plan = builder.plan;
  plan.synchronisation = Synchronisation::rounds;
  plan.result = Result::owners;
  const Shards shards = deal_contiguous(plan, workers);
  const std::int64_t share = problem.shape.q_heads / workers;
  std::vector<int> lists;
  for (int w = 0; w < workers; ++w) {
    builder.worker(w).q_groups = {w};
    builder.worker(w).kv_groups = {w};
    lists.push_back(builder.add_list({w}));
  }
  for (int from = 0; from < workers; ++from) {
    for (int to = 0; to < workers; ++to) {
      const HeadRange heads{to * share, (to + 1) * share};
      for (const TensorRole what : {TensorRole::q, TensorRole::k, TensorRole::v})
        builder.send(
            from, to, 0,
            {TransferKind::all_to_all, what, lists[static_cast<std::size_t>(from)], heads, 0});
      const HeadRange own{from * share, (from + 1) * share};
      builder.send(from, to, 1,
                   {TransferKind::all_to_all, TensorRole::partial,
                    lists[static_cast<std::size_t>(to)], own, 0});
    }
  }
  for (int w = 0; w < workers; ++w)
    for (int q = 0; q < workers; ++q)
      for (int kv = 0; kv < workers; ++kv)
        builder.add_task(builder.step(w, 1), q, kv, {w * share, (w + 1) * share});
  return std::move(builder.plan);
}

}  // namespace qb
