// The registry of strategies: pure functions from a problem and a worker count to a Plan.
// A new algorithm is one file beside this one and one line in strategy.cpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/plan/plan.h"
#include "interest_sets/sets/interest_set.h"
#include "interest_sets/split/distillation.h"

namespace qb {

// Who keeps the key of a new token while decoding.
enum class NewKeyOwner { round_robin, fixed };

template <>
struct Words<NewKeyOwner> {
  static constexpr std::string_view what = "new_key_owner";
  static constexpr std::pair<NewKeyOwner, std::string_view> table[] = {
      {NewKeyOwner::round_robin, "round_robin"}, {NewKeyOwner::fixed, "fixed"}};
};

struct StrategyOptions {
  int workers = 1;
  std::optional<InterestSet> interest_set{};  // cqs: default is the published set for `workers`
  NewKeyOwner new_key_owner = NewKeyOwner::round_robin;  // decode
  Distillation distillation = Distillation::published;   // cqs
  // cqs: tokens of each group, of queries and of keys alike, where they are not to be equal
  std::vector<std::int64_t> group_sizes{};
};

// Two names of one strategy are two entries with the same function.
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

// True for the strategies that take an interest set.
[[nodiscard]] bool takes_interest_set(std::string_view algorithm);

// The interest set of the options or the default one. Throws Unsupported where W is below 3 or
// above the number of tokens, UsageError where the set is for another W or does not cover.
[[nodiscard]] InterestSet cqs_interest_set(const Shape& shape, const StrategyOptions& options);

// Splits of the keys so that `units` independent pieces of work (batch x key-value heads), each cut
// into so many, fill the processors: 1 where they are filled already, at most max_splits and one a
// key block.
[[nodiscard]] int flash_decoding_splits(std::int64_t units, int processors, std::int64_t key_blocks,
                                        int max_splits);

// One file each.
[[nodiscard]] Plan plan_dense(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_cqs(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_cqs_sharded(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_ring(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_striped(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_zigzag(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_pass_q(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_all_gather_kv(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_ulysses(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_decode(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_flash_decoding(const Problem& problem, const StrategyOptions& options);
[[nodiscard]] Plan plan_tree_decode(const Problem& problem, const StrategyOptions& options);

}  // namespace qb
