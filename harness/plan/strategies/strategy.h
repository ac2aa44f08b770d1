// SPDX-License-Identifier: Apache-2.0
// The registry of strategies: pure functions from a problem and a worker count to a Plan.
// A new algorithm is one file beside this one and one line in base/schema/strategies.h.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema/strategies.h"
#include "harness/plan/plan.h"
#include "harness/plan/worker_group.h"
#include "interest_sets/sets/interest_set.h"
#include "interest_sets/split/distillation.h"

namespace qb {

// What a case says for the keys that strategies declare in base/schema/strategies.h.
struct StrategyKeys {
  static constexpr std::size_t kCount = std::size(fields::kStrategyKeys);

  // By the order of kStrategyKeys; the schema has checked that each is a value of its key.
  std::array<std::string, kCount> texts = [] {
    std::array<std::string, kCount> standard;
    for (std::size_t i = 0; i < kCount; ++i) standard[i] = fields::kStrategyKeys[i].standard;
    return standard;
  }();

  // `column` is that of the key. These throw std::logic_error where no key has it, and the second
  // UsageError where the text is not a number.
  [[nodiscard]] std::string& text(std::string_view column);
  [[nodiscard]] int integer(std::string_view column) const;
  [[nodiscard]] const std::string& text(std::string_view column) const {
    return const_cast<StrategyKeys*>(this)->text(column);
  }
};

// Who keeps the key of a new token while decoding.
enum class NewKeyOwner { round_robin, fixed };

QB_WORDS(NewKeyOwner, "new_key_owner", round_robin, fixed);

struct StrategyOptions {
  int workers = 1;
  std::optional<InterestSet> interest_set{};  // cqs: default is the published set for `workers`
  NewKeyOwner new_key_owner = NewKeyOwner::round_robin;  // decode
  Distillation distillation = Distillation::published;   // cqs
  StrategyKeys keys{};                                   // what strategies declare for themselves
  Pass pass = Pass::forward;
  // In which workers send sums of gradients to each other, and so round them at each hop. Ulysses
  // sends none; its gradients are whole and have the type of the inputs.
  DType gradients = DType::f32;
  int workers_per_host = 0;  // 0: unknown
};

// A strategy with two names has two entries with the same function.
struct Strategy {
  std::string_view name;
  std::string_view summary;  // one line for --help
  // Throws Unsupported with the reason if there is no plan for the combination. A strategy without
  // a backward pass need not look at the pass: make_plan() refuses its forward plan.
  Plan (*plan)(const Problem&, const StrategyOptions&);
};

[[nodiscard]] std::span<const Strategy> strategies();
// The algorithm of a transformer layer whose weights are split (tensor_share.h). It has no plan: as
// attention alone it would move nothing, because every worker has its heads from the beginning.
inline constexpr std::string_view kTensorParallel = "tensor_parallel";
// Throws UsageError with the nearest name where there is no such algorithm, and Unsupported where
// it has no plan for the problem or the pass.
[[nodiscard]] Plan make_plan(std::string_view algorithm, const Problem& problem,
                             const StrategyOptions& options);

[[nodiscard]] bool takes_interest_set(std::string_view algorithm);
// Returns false for a strategy that differs from another one in its backward pass only.
[[nodiscard]] bool has_own_forward_pass(std::string_view algorithm);

// Returns the interest set of the options or the default one. Throws Unsupported if W is below 3 or
// above the number of tokens, UsageError if the set is for another W or does not cover.
[[nodiscard]] InterestSet cqs_interest_set(const Shape& shape, const StrategyOptions& options);

// The heads and rows that the keys ask for, 0 for any, and the keys that ask for a shape.
[[nodiscard]] GridShape asked_grid(const StrategyKeys& keys);
[[nodiscard]] StrategyKeys grid_keys(const GridShape& shape);
// The grid of `grid`, `usp` or `mesh` for so many workers; `asked` leaves out columns. Throws
// Unsupported where there is none.
[[nodiscard]] GridShape grid_shape(std::string_view algorithm, const Problem& problem, int workers,
                                   const GridShape& asked);

// The head shares of helix: so many as asked, or if that is 0 the most that fit. Throws Unsupported
// where there are none.
[[nodiscard]] int helix_shares(const Shape& shape, int workers, int asked);

// The bytes that a worker of a grid sends forward, in the mean.
[[nodiscard]] double grid_sent_bytes(const Problem& problem, const GridShape& grid);

// Returns how many splits of the keys of each unit of work (batch x key-value heads) fill the
// processors: 1 if they are full already, at most max_splits, at most one per key block.
[[nodiscard]] int flash_decoding_splits(std::int64_t units, int processors, std::int64_t key_blocks,
                                        int max_splits);

#define QB_STRATEGY(name, function, colour, mark, summary) \
  [[nodiscard]] Plan function(const Problem& problem, const StrategyOptions& options);
QB_STRATEGIES(QB_STRATEGY)
#undef QB_STRATEGY

}  // namespace qb
