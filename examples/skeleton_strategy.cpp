// SPDX-License-Identifier: Apache-2.0
// A strategy to copy. Keys and values go round both ways at once, in half the rounds of `zigzag`;
// in the backward pass each worker sends the gradients of a shard straight to its owner.
//
// To add it, put the part between the two lines into harness/plan/strategies/two_way_zigzag.cpp and
// its line into base/schema/strategies.h; it then runs, is verified and is drawn as the others are.
// ---- harness/plan/strategies/two_way_zigzag.cpp ------------------------------------------------
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_two_way_zigzag(const Problem& problem, const StrategyOptions& options) {
  const int w = options.workers;
  RotationBuilder builder(problem, "two_way_zigzag", w, deal_zigzag, options.pass,
                          options.gradients);
  for (int i = 0; i <= w / 2; ++i) {
    const bool both_ways = i != 0 && 2 * i != w;  // else the two shards are the same
    builder.add_task(i, 0, -i);                   // with the keys of i places back
    if (both_ways) builder.add_task(i, 0, i);     // and with those of i places on
    for (const TensorRole what : kKeyInputs) {
      if (i < w / 2) builder.send(i, 1, TransferKind::p2p, what, -i);
      if (i < (w - 1) / 2) builder.send(i, -1, TransferKind::p2p, what, i);
    }
    if (options.pass == Pass::forward || i == 0) continue;
    for (const TensorRole what : gradients_of(/*queries=*/false)) {  // dK and dV leave when the
      builder.send(i, -i, TransferKind::p2p, what, -i);              // step ends
      if (both_ways) builder.send(i, i, TransferKind::p2p, what, i);
    }
  }
  return builder.finish();
}

}  // namespace qb
// ---- what its test may ask ----------------------------------------------------------------------
#include <cstdio>

#include "harness/plan/check/check.h"

int main() {
  const qb::Shape shape{
      .q_heads = 2, .kv_heads = 2, .q_len = 480, .kv_len = 480, .head_dim = 16, .value_dim = 16};
  const qb::Problem problem = qb::make_problem(shape, qb::MaskKind::causal, qb::DType::f32, 1);
  for (int workers = 1; workers <= 9; ++workers)
    for (const qb::Pass pass : qb::kEveryPass) {
      qb::Plan plan = qb::plan_two_way_zigzag(problem, {.workers = workers, .pass = pass});
      if (const auto fault = qb::check(plan)) {
        std::printf("W = %d: %s\n", workers, fault->c_str());
        return 1;
      }
      const auto rounds = static_cast<int>(plan.workers[0].steps.size());
      if (pass == qb::Pass::forward && rounds != workers / 2 + 1) return 1;
      plan.workers[0].steps[0].tasks.pop_back();  // check() sees what is missing
      if (!qb::check(plan)) return 1;
    }
  std::printf("two_way_zigzag is exact in both passes\n");
}
