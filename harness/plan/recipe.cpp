// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/recipe.h"

#include <fmt/format.h>

#include <array>

#include "harness/plan/rotation.h"

namespace qb {
namespace {

struct Deal {
  std::string_view name;
  Shards (*deal)(Plan&, int);
};
constexpr std::array kDeals = {Deal{"contiguous", deal_contiguous}, Deal{"striped", deal_striped},
                               Deal{"zigzag", deal_zigzag}};

const Deal& deal_of(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Deal& deal : kDeals) {
    if (deal.name == name) return deal;
    known.push_back(deal.name);
  }
  throw UsageError(unknown_word("deal", name, known));
}

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
  RotationBuilder builder(problem, recipe.name, options.workers, deal_of(recipe.deal).deal,
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
