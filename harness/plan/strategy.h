// The registry of strategies: pure functions from a problem and a worker count to a Plan.
// A new algorithm is one file beside this one and one line in strategy.cpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/plan/plan.h"
#include "interest_sets/interest_set.h"

namespace qb {

struct StrategyOptions {
  int workers = 1;
  std::optional<InterestSet> interest_set;  // cqs: default is the published set for `workers`
};

struct Strategy {
  std::string_view name;
  std::string_view summary;  // one line for --help
  // Throws Unsupported with the reason where the combination has no plan.
  Plan (*plan)(const Problem&, const StrategyOptions&);
};

[[nodiscard]] std::span<const Strategy> strategies();
// Throws UsageError with the nearest name.
[[nodiscard]] const Strategy& find_strategy(std::string_view name);
[[nodiscard]] Plan make_plan(std::string_view algorithm, const Problem& problem,
                             const StrategyOptions& options);

// One file each.
[[nodiscard]] Plan plan_dense(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_cqs(const Problem& problem, const StrategyOptions& options);

}  // namespace qb
