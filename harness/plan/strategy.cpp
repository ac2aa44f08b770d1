#include "harness/plan/strategy.h"

#include <fmt/format.h>

#include "harness/base/status.h"

namespace qb {
namespace {

constexpr Strategy kStrategies[] = {
    {"dense", "the whole sequence on one worker", plan_dense},
    {"cqs", "CQS-Attention: cyclic quorum sets, no communication between workers", plan_cqs},
};

}  // namespace

std::span<const Strategy> strategies() { return kStrategies; }

const Strategy& find_strategy(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Strategy& strategy : kStrategies) {
    if (strategy.name == name) return strategy;
    known.push_back(strategy.name);
  }
  throw UsageError(unknown_word("algorithm", name, known));
}

Plan make_plan(std::string_view algorithm, const Problem& problem, const StrategyOptions& options) {
  const Strategy& strategy = find_strategy(algorithm);
  if (options.workers < 1)
    throw UsageError(fmt::format("workers is {}; it must be at least 1", options.workers));
  if (options.interest_set && algorithm != "cqs")
    throw UsageError(fmt::format("an interest set belongs to cqs; {} takes none", algorithm));
  return strategy.plan(problem, options);
}

}  // namespace qb
