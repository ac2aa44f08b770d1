// SPDX-License-Identifier: Apache-2.0
// An algorithm that is written in Python: the tasks and messages of worker 0, which the plan turns
// for the other workers (harness/plan/rotation.h). The function runs once a pass, and what it asked
// for is data here.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/workload/attend.h"

namespace qb::python {

struct Recipe {
  // step, shard of the queries, shard of the keys: places from worker 0 on
  using Task = std::tuple<int, int, int>;
  // step, places to the worker that receives, transfer, tensor, shard
  using Send = std::tuple<int, int, std::string, std::string, int>;
  using Calls = std::pair<std::vector<Task>, std::vector<Send>>;

  std::string name;
  std::string deal = "contiguous";  // or striped, zigzag
  Calls forward;
  Calls backward;
};

// Throws UsageError for words that are none, and as strategies do. A plan is checked.
[[nodiscard]] PlanSource plans_of(const Recipe& recipe);

}  // namespace qb::python
