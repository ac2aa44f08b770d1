#include "harness/plan/strategies/strategy.h"

#include <fmt/format.h>

#include "base/status.h"

namespace qb {
namespace {

constexpr Strategy kStrategies[] = {
    {"dense", "the whole sequence on one worker", plan_dense},
    {"cqs", "CQS-Attention: cyclic quorum sets; a root scatters and gathers", plan_cqs},
    {"cqs_sharded", "the same with tokens that start and end sharded", plan_cqs_sharded},
    {"ring", "Ring Attention: contiguous shards, keys and values go round", plan_ring},
    {"striped", "Striped Attention: the ring over tokens dealt one by one", plan_striped},
    {"zigzag", "the ring over 2W chunks, i and 2W - 1 - i a worker", plan_zigzag},
    {"pass_kv", "zigzag, by the name it has in context parallelism", plan_zigzag},
    {"pass_q", "context parallelism: queries go round, partials come home", plan_pass_q},
    {"all_gather_kv", "every worker collects all keys and values first", plan_all_gather_kv},
    {"ulysses", "all-to-all to heads and back", plan_ulysses},
    {"decode", "one token after the other, pass-Q over a sharded cache", plan_decode},
    {"flash_decoding", "splits of the keys on one device, one reduction", plan_flash_decoding},
    {"tree_decode", "query everywhere, cache sharded, three all-reduces", plan_tree_decode},
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
  if (options.interest_set && !takes_interest_set(algorithm))
    throw UsageError(fmt::format("an interest set belongs to cqs; {} takes none", algorithm));
  if (options.distillation != Distillation::published && !takes_interest_set(algorithm))
    throw UsageError(fmt::format("distillation belongs to cqs; {} has none", algorithm));
  if (!options.group_sizes.empty() && !takes_interest_set(algorithm))
    throw UsageError(fmt::format("group sizes belong to cqs; {} has none", algorithm));
  Plan plan = strategy.plan(problem, options);
  plan.algorithm = algorithm;  // the name that was asked for
  return plan;
}

bool takes_interest_set(std::string_view algorithm) {
  return algorithm == "cqs" || algorithm == "cqs_sharded";
}

}  // namespace qb
