// SPDX-License-Identifier: Apache-2.0
#include "python/recipe.h"

#include <fmt/format.h>

#include <array>

#include "harness/plan/check/check.h"
#include "harness/plan/rotation.h"

namespace qb::python {
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

Plan plan_of(const Recipe& recipe, const Case& c, Pass pass) {
  RotationBuilder builder(problem_of(c), recipe.name, c.workers, deal_of(recipe.deal).deal, pass,
                          c.gradient_dtype);
  const auto& [tasks, sends] = pass == Pass::forward ? recipe.forward : recipe.backward;
  for (const auto& [step, queries, keys] : tasks) {
    require_step(step);
    builder.add_task(step, queries, keys);
  }
  for (const auto& [step, distance, kind, what, shard] : sends) {
    require_step(step);
    builder.send(step, distance, word_of<TransferKind>(kind), word_of<TensorRole>(what), shard);
  }
  Plan plan = builder.finish();
  if (const auto fault = check(plan))
    throw UsageError(fmt::format("{} is not exact with {} workers, {} pass: {}", recipe.name,
                                 c.workers, word(pass), *fault));
  return plan;
}

}  // namespace

PlanSource plans_of(const Recipe& recipe) {
  return [recipe](const Case& c, Pass pass) { return plan_of(recipe, c, pass); };
}

}  // namespace qb::python
