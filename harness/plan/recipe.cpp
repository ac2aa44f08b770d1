// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/recipe.h"

#include <fmt/format.h>

#include "base/status.h"
#include "harness/plan/rotation.h"

namespace qb {
namespace {

template <class E>
E word_of(const std::string& text) {
  if (const auto value = parse_word<E>(text)) return *value;
  throw UsageError(unknown_word(kWords<E>.what, text, all_words<E>()));
}

void require_step(int step) {
  constexpr int kMostSteps = 1 << 20;
  if (step < 0 || step > kMostSteps)
    throw UsageError(fmt::format("step {}: steps count from 0 to {}", step, kMostSteps));
}

}  // namespace

Plan make_plan(const Recipe& recipe, const Problem& problem, const StrategyOptions& options) {
  const auto& [tasks, sends] = options.pass == Pass::forward ? recipe.forward : recipe.backward;
  if (tasks.empty() && options.pass == Pass::backward)
    throw Unsupported(fmt::format("{} has no backward pass", recipe.name));
  RotationBuilder builder(problem, recipe.name, options.workers, deal_called(recipe.deal),
                          options.pass, options.gradients);
  for (const auto& [step, queries, keys] : tasks) {
    require_step(step);
    builder.add_task(step, queries, keys);
  }
  for (const auto& [step, distance, kind, what, shard] : sends) {
    require_step(step);
    builder.send(step, distance, word_of<TransferKind>(kind), word_of<TensorRole>(what), shard);
  }
  return builder.finish();
}

}  // namespace qb
