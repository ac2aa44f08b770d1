// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/strategies/strategy.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/numbers.h"
#include "base/schema/kernels.h"
#include "base/status.h"
#include "harness/plan/representatives.h"

namespace qb {
namespace {

#define QB_STRATEGY(name, function, colour, mark, summary) {#name, summary, function},
constexpr Strategy kStrategies[] = {QB_STRATEGIES(QB_STRATEGY)};
#undef QB_STRATEGY

const Strategy& find_strategy(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Strategy& strategy : kStrategies) {
    if (strategy.name == name) return strategy;
    known.push_back(strategy.name);
  }
  throw UsageError(unknown_word("algorithm", name, known));
}

constexpr int kMostWorkersOfAPlan = 4096;

// Beyond these numbers a plan that is spelt out message by message, and checked, would take more
// than some 3 s and 1 GiB.
void require_plannable(std::string_view algorithm, const Problem& problem, int workers) {
  constexpr int kMostSpeltOut = 1024;
  const bool spells_out = algorithm == "all_gather_kv" && !problem.mask.segments.empty();
  const int most = spells_out ? kMostSpeltOut : kMostWorkersOfAPlan;
  if (workers > most)
    throw Unsupported(fmt::format("plans of {} are made for at most {} workers, not for {}",
                                  algorithm, most, workers));
  constexpr std::int64_t kMostHops = 800'000;
  const bool rotates =
      algorithm == "decode" && problem.shape.q_len == std::ssize(segments_of(problem));
  const std::int64_t hops = problem.shape.q_len * workers * workers;
  if (algorithm == "decode" && !rotates && hops > kMostHops)
    throw Unsupported(fmt::format(
        "decode of {} tokens over {} workers has {} messages, and plans are made of at most {}; "
        "take fewer tokens or workers",
        problem.shape.q_len, workers, hops, kMostHops));
}

// The same for workers that differ by rotation, where none represents the others.
void require_walkable(const Plan& plan) {
  constexpr double kMostTasks = 1 << 24;
  const Rotation* const rotation = plan.workers.rotation();
  if (rotation == nullptr) return;
  const auto n_groups = [&](const PlaceSet& set, const std::vector<TokenGroup>& groups) {
    return static_cast<double>(rotation->group.count(set)) * static_cast<double>(groups.size()) /
           rotation->workers();
  };
  double tasks = 0.0;
  for (const Rotation::StepOfZero& step : rotation->steps)
    for (const Rotation::Task& task : step.tasks)
      tasks += n_groups(task.q, plan.q_groups) * n_groups(task.kv, plan.kv_groups);
  tasks *= rotation->workers();
  if (tasks > kMostTasks && !Representatives::follow_from_rule(plan))
    throw Unsupported(fmt::format(
        "its workers differ, and {} workers have some {:.0f} million tasks, while plans are made "
        "of at most {:.0f} million; take fewer workers, or tokens and heads that they share evenly",
        rotation->workers(), 1e-6 * tasks, 1e-6 * kMostTasks));
}

}  // namespace

std::span<const Strategy> strategies() { return kStrategies; }

Plan make_plan(std::string_view algorithm, const Problem& problem, const StrategyOptions& options) {
  if (algorithm == kTensorParallel)
    throw Unsupported(
        "tensor_parallel splits the weights of a layer: it needs workload: transformer_layer; the "
        "nearest for attention alone is ulysses");
  const Strategy& strategy = find_strategy(algorithm);
  if (options.workers < 1)
    throw UsageError(fmt::format("workers is {}; it must be at least 1", options.workers));
  for (const auto& [given, applies] :
       {std::pair{options.interest_set.has_value(), "interest_set applies"},
        {options.distillation != Distillation::published, "distillation applies"}})
    if (given && !takes_interest_set(algorithm))
      throw UsageError(
          fmt::format("{} to cqs and cqs_sharded only, not to {}", applies, algorithm));
  require_plannable(algorithm, problem, options.workers);
  Problem of_several = problem;
  if (options.workers == 1) of_several.resident_keys = 0;  // it has all keys
  Plan plan = strategy.plan(of_several, options);
  if (plan.pass != options.pass)
    throw Unsupported(fmt::format(
        "{} has no backward pass; take an algorithm that has one, such as ring or burst",
        algorithm));
  if (options.gradients != DType::f32 && options.pass == Pass::forward)
    throw UsageError("gradient_dtype applies to backward passes only");
  if (options.gradients != DType::f32 && plan.result == Result::root && plan.workers.size() > 1)
    throw Unsupported(
        fmt::format("the root adds the gradients of {} in f32; a ring sends sums in {}", algorithm,
                    word(options.gradients)));
  if (problem.partials != DType::f32 && plan.result == Result::root && plan.workers.size() > 1)
    throw Unsupported(
        fmt::format("the root merges the partials of {} in f32; pass_q sends them in {}", algorithm,
                    word(problem.partials)));
  require_walkable(plan);
  plan.algorithm = algorithm;  // the name that the caller asked for
  return plan;
}

bool has_own_forward_pass(std::string_view algorithm) { return algorithm != "burst"; }

bool takes_interest_set(std::string_view algorithm) {
  return KernelRow::lists(fields::kTakeInterestSets, algorithm);
}

std::string& StrategyKeys::text(std::string_view column) {
  for (std::size_t i = 0; i < kCount; ++i)
    if (fields::kStrategyKeys[i].column == column) return texts[i];
  throw std::logic_error(fmt::format("no strategy declares the key {}", column));
}

int StrategyKeys::integer(std::string_view column) const {
  const auto number = parse_integer(text(column));
  if (!number || !std::in_range<int>(*number))
    throw UsageError(fmt::format("{} is not a number: {}", column, text(column)));
  return static_cast<int>(*number);
}

}  // namespace qb
