// SPDX-License-Identifier: Apache-2.0
// Prints what each scheme sends, computes and holds for one problem, before anything runs.
#include <algorithm>
#include <cstdio>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

int main() {
  const qb::Shape shape{
      .q_heads = 8, .kv_heads = 8, .q_len = 1024, .kv_len = 1024, .head_dim = 64, .value_dim = 64};
  const qb::Problem problem = qb::make_problem(shape, qb::MaskKind::causal, qb::DType::bf16, 1);
  bool whole = true;
  std::printf("%-16s %12s %14s %12s\n", "scheme", "sent bytes", "longest pairs", "keys held");
  for (const qb::Strategy& strategy : qb::strategies()) try {
      const qb::Plan plan = qb::make_plan(strategy.name, problem, {.workers = 8});
      const qb::Work work = qb::model_work(plan, qb::Kernel::flash);
      std::int64_t pairs = 0;
      std::int64_t held = 0;
      for (const qb::WorkerWork& worker : work.workers) {
        pairs += worker.unmasked_pairs;
        held = std::max(held, worker.kv_tokens);
      }
      std::printf("%-16s %12lld %14lld %12lld\n", strategy.name.data(),
                  static_cast<long long>(work.bytes_total),
                  static_cast<long long>(work.critical_path_pairs), static_cast<long long>(held));
      whole = whole && pairs >= qb::unmasked_pairs(problem);  // heads that are split count again
    } catch (const qb::Unsupported& reason) {
      std::printf("%-16s %s\n", strategy.name.data(), reason.what());
    }
  return whole ? 0 : 1;
}
