// SPDX-License-Identifier: Apache-2.0
// Flash-Decoding: the keys of each key-value head are cut into splits, and one reduction merges
// their partials. Workers are the processors of one device (its cores or multiprocessors): all can
// reach the caches, and only partials move. The number of splits is the smallest whose last wave of
// (head, split) units keeps the processors nearly as busy as the best number does: the rule of
// FlashAttention-2's decoding.
#include <algorithm>
#include <cmath>

#include "base/integers.h"
#include "harness/plan/builder.h"
#include "harness/plan/layout.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

int flash_decoding_splits(std::int64_t units, int processors, std::int64_t key_blocks,
                          int max_splits) {
  constexpr double kNearlyBest = 0.85;
  constexpr double kBusyAlready = 0.8;
  if (static_cast<double>(units) >= kBusyAlready * processors) return 1;
  const int most = static_cast<int>(
      std::max<std::int64_t>(1, std::min<std::int64_t>({max_splits, processors, key_blocks})));
  const auto efficiency = [&](int splits) {
    const double waves = static_cast<double>(units * splits) / processors;
    return waves / std::ceil(waves);
  };
  double best = 0.0;
  for (int splits = 1; splits <= most; ++splits) best = std::max(best, efficiency(splits));
  int splits = 1;
  while (efficiency(splits) < kNearlyBest * best) ++splits;
  return splits;
}

Plan plan_flash_decoding(const Problem& problem, const StrategyOptions& options) {
  constexpr std::int64_t kKeyBlock = 64;  // fewer keys are not worth a split
  constexpr int kMaxSplits = 128;
  require_one_sequence(problem, "flash_decoding");
  const Shape& shape = problem.shape;
  const int workers = options.workers;
  const int splits = flash_decoding_splits(shape.batch * shape.kv_heads, workers,
                                           ceil_div(shape.kv_len, kKeyBlock), kMaxSplits);
  PlanBuilder builder(problem, "flash_decoding", workers);
  Plan& plan = builder.plan;
  plan.q_groups = contiguous_groups(shape.q_len, 1);
  plan.kv_groups = contiguous_groups(shape.kv_len, splits);
  const std::int64_t units = shape.kv_heads * splits;
  const std::int64_t group = shape.q_heads / shape.kv_heads;
  const int queries = builder.add_list({0});
  for (int w = 0; w < workers; ++w) {
    Worker& worker = builder.worker(w);
    Step& step = builder.step(w, 0);
    for (std::int64_t unit = units * w / workers; unit < units * (w + 1) / workers; ++unit) {
      const std::int64_t head = unit / splits;
      const int split = static_cast<int>(unit % splits);
      const Range heads{head * group, (head + 1) * group};
      builder.add_task(step, 0, split, heads);
      worker.kv_groups.push_back(split);
      if (worker.heads.end == 0) worker.heads.begin = heads.begin;
      worker.heads.end = heads.end;
    }
    if (step.tasks.empty()) {
      worker.kv_groups.clear();
      worker.heads = {};
      continue;
    }
    worker.q_groups = {0};
    std::ranges::sort(worker.kv_groups);
    worker.kv_groups.erase(std::unique(worker.kv_groups.begin(), worker.kv_groups.end()),
                           worker.kv_groups.end());
    builder.gather(step, TensorRole::partial, queries, worker.heads);
  }
  return std::move(builder.plan);
}

}  // namespace qb
