// SPDX-License-Identifier: Apache-2.0
// An algorithm that is data: the tasks and messages of worker 0, which the plan turns for the other
// workers (rotation.h). A function in Python writes one (python/), and files hold them.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/plan/strategies/strategy.h"

namespace qb {

struct Recipe {
  // step, shard of the queries, shard of the keys: places from worker 0 on
  using Task = std::tuple<int, int, int>;
  // step, places to the worker that receives, transfer, tensor, shard
  using Send = std::tuple<int, int, std::string, std::string, int>;
  using Calls = std::pair<std::vector<Task>, std::vector<Send>>;

  std::string name;
  std::string deal = "contiguous";  // or striped, zigzag
  Calls forward;
  Calls backward;  // without tasks: it has no backward pass
};

// Throws UsageError for words that are none, and Unsupported where it has no backward pass. The
// plan is not checked.
[[nodiscard]] Plan make_plan(const Recipe& recipe, const Problem& problem,
                             const StrategyOptions& options);

}  // namespace qb
