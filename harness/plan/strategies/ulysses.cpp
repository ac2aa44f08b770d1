// SPDX-License-Identifier: Apache-2.0
// DeepSpeed-Ulysses (Jacobs et al., arXiv 2309.14509): tokens are sharded. For the attention an
// all-to-all turns them into heads: every worker computes all tokens for its share of the heads. A
// second all-to-all returns the outputs.
//
// In the backward pass each worker still has Q, K, V, O and LSE of its heads. An all-to-all brings
// it dO of these heads, and a second one returns dQ, dK and dV. Only one worker computes with a
// head, so that the gradients which it returns are whole and have the type of the inputs.
#include <fmt/format.h>

#include <vector>

#include "base/status.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

void require_divisible(const Shape& shape, int workers) {
  const auto require = [&](std::string_view what, std::int64_t heads) {
    if (heads % workers != 0)
      throw Unsupported(fmt::format(
          "ulysses deals whole heads to workers: {} {} heads are not a multiple of {} workers",
          heads, what, workers));
  };
  require("query", shape.q_heads);
  require("key-value", shape.kv_heads);
}

}  // namespace

Plan plan_ulysses(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  require_divisible(problem.shape, workers);
  if (options.gradients != DType::f32)
    throw Unsupported(
        fmt::format("ulysses sends whole gradients, in the type of the inputs; a ring sends sums "
                    "in {}",
                    word(options.gradients)));
  RotationBuilder builder(problem, "ulysses", workers, deal_contiguous, options.pass);
  builder.share_heads();
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
