// SPDX-License-Identifier: Apache-2.0
// DeepSpeed-Ulysses (Jacobs et al., arXiv 2309.14509): tokens are sharded. For the attention an
// all-to-all turns them into heads: every worker computes all tokens for its share of the heads. A
// second all-to-all returns the outputs.
//
// In the backward pass each worker still has Q, K, V, O and LSE of its heads. An all-to-all brings
// it dO of these heads, and a second one returns dQ, dK and dV. Where only one worker computes with
// a head, the gradients which it returns are whole and have the type of the inputs.
//
// Shares of the heads differ by one at most: of 33 heads on 8 workers one has 5, where published
// systems pad to 40. With more workers than key-value heads each of these is sent to several
// workers, as systems that replicate them do, and their gradients are sums.
#include <fmt/format.h>

#include <vector>

#include "base/status.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

// No two workers compute with one key-value head.
bool are_whole_groups(const Shape& shape, int workers) {
  const std::int64_t group = shape.q_heads / shape.kv_heads;
  for (int w = 0; w < workers; ++w)
    if (head_share(shape, w, workers).begin % group != 0) return false;
  return true;
}

}  // namespace

Plan plan_ulysses(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  const Shape& shape = problem.shape;
  if (!shares_fit(shape, workers))
    throw Unsupported(fmt::format(
        "ulysses gives each worker whole groups of query heads that share keys, or a part of one: "
        "{} query heads on {} key-value heads are not dealt so to {} workers",
        shape.q_heads, shape.kv_heads, workers));
  const bool is_whole = are_whole_groups(shape, workers);
  if (options.gradients != DType::f32 && is_whole)
    throw Unsupported(
        fmt::format("ulysses sends whole gradients, in the type of the inputs; a ring sends sums "
                    "in {}",
                    word(options.gradients)));
  RotationBuilder builder(problem, "ulysses", {workers, 1, 1}, deal_contiguous, options.pass,
                          options.gradients);
  builder.share_heads();
  builder.save_heads(is_whole);
  const std::vector<TensorRole> to_heads =
      options.pass == Pass::forward ? std::vector{TensorRole::q, TensorRole::k, TensorRole::v}
                                    : std::vector{TensorRole::d_out};
  for (int distance = 0; distance < workers; ++distance) {
    for (const TensorRole what : to_heads)
      builder.send(0, distance, TransferKind::all_to_all, what, 0, distance);
    for (const TensorRole what : results_of(options.pass))
      builder.send(1, distance, TransferKind::all_to_all, what, distance, 0);
  }
  builder.add_task(1, kEveryShard, kEveryShard);
  return builder.finish();
}

}  // namespace qb
