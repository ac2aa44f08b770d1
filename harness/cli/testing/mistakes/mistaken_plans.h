// SPDX-License-Identifier: Apache-2.0
// For tests: plans with one mistake each. check() judges them, as it judges the plan of every case
// before it runs, and any plan of one's own.
#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/plan/builder.h"
#include "harness/plan/check/check.h"
#include "harness/plan/layout.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb::mistakes {

inline Shape shape_of(std::int64_t q_len, std::int64_t kv_len) {
  return {
      .q_heads = 2, .kv_heads = 2, .q_len = q_len, .kv_len = kv_len, .head_dim = 8, .value_dim = 8};
}

inline std::string said_of(const Plan& plan) { return check(plan).value_or("the plan is exact"); }

// Every worker sends on its own keys in each step, since what arrived is in the same buffer: with
// two workers there is only one step that sends.
inline Plan aliased_ring(int workers, bool planted) {
  PlanBuilder builder(make_problem(shape_of(24, 24), MaskKind::full, DType::f32, 1), "aliased_ring",
                      workers);
  const Shards shards = deal_contiguous(builder.plan, workers);
  builder.plan.result = Result::owners;
  std::vector<int> lists;
  for (int w = 0; w < workers; ++w) {
    const auto at = static_cast<std::size_t>(w);
    builder.worker(w).q_groups = shards.q[at];
    builder.worker(w).kv_groups = shards.kv[at];
    lists.push_back(builder.add_list(shards.kv[at]));
  }
  for (int w = 0; w < workers; ++w)
    for (int s = 0; s < workers; ++s) {
      const int true_owner = builder.neighbour(w, -s);
      const int owner = planted && s > 1 ? builder.neighbour(w, -1) : true_owner;
      builder.add_task(builder.step(w, s), shards.q[static_cast<std::size_t>(w)][0],
                       shards.kv[static_cast<std::size_t>(owner)][0]);
      if (s + 1 == workers) continue;
      const int sent = planted ? w : true_owner;
      for (const TensorRole what : {TensorRole::k, TensorRole::v})
        builder.send(w, builder.neighbour(w, 1), s,
                     {.what = what,
                      .groups = lists[static_cast<std::size_t>(sent)],
                      .heads = builder.all_heads()});
    }
  return builder.plan;
}

inline std::string of_aliased_ring(bool planted) {
  return fmt::format("W = 2: {}; W = 3: {}", said_of(aliased_ring(2, planted)),
                     said_of(aliased_ring(3, planted)));
}

// In each round of a backward pass the worker computes with the keys of its first one.
inline std::string of_reused_keys(bool planted) {
  const Problem problem = make_problem(shape_of(40, 40), MaskKind::full, DType::f32, 1);
  Plan plan = make_plan("ring", problem, {.workers = 4, .pass = Pass::backward});
  if (planted)
    for (Worker& worker : plan.workers) {
      const int own = worker.steps[0].tasks[0].kv_group;
      for (Step& step : worker.steps)
        for (PairTask& task : step.tasks) task.kv_group = own;
    }
  return said_of(plan);
}

// The new token attends to the cache only.
inline std::string of_decode_without_itself(bool planted) {
  const Problem problem = make_problem(shape_of(1, 65), MaskKind::causal, DType::f32, 1);
  Plan plan = make_plan("decode", problem, {.workers = 4});
  if (planted)
    for (Worker& worker : plan.workers)
      for (Step& step : worker.steps)
        std::erase_if(step.tasks, [&](const PairTask& task) {
          const TokenGroup& keys = plan.kv_groups[static_cast<std::size_t>(task.kv_group)];
          return keys.first + keys.count == problem.shape.kv_len && keys.count == 1;
        });
  return said_of(plan);
}

// Sequences are padded to a multiple of eight, and the keys of the last, incomplete eight fall off.
inline std::string of_dropped_tail(bool planted) {
  const Problem problem = make_packed_problem(shape_of(1, 1), MaskKind::causal, DType::f32, 1,
                                              {{.new_tokens = 30}, {.new_tokens = 34}});
  Plan plan = make_plan("zigzag", problem, {.workers = 2});
  if (planted) plan.kv_groups.back().count -= plan.kv_groups.back().count % 8;
  return said_of(plan);
}

// The cumulative lengths of packed sequences are divided by W: what is left over of a sequence goes
// to the next one.
inline std::string of_divided_lengths(bool planted) {
  constexpr std::int64_t kTokens = 64;
  const auto packed = [](std::int64_t first) {
    return make_packed_problem(shape_of(1, 1), MaskKind::causal, DType::f32, 1,
                               {{.new_tokens = first}, {.new_tokens = kTokens - first}});
  };
  const auto said = [&](std::int64_t first) {
    constexpr int kWorkers = 4;
    const std::int64_t divided = planted ? first / kWorkers * kWorkers : first;
    Plan plan = make_plan("zigzag", packed(divided), {.workers = kWorkers});
    plan.problem = packed(first);
    return said_of(plan);
  };
  return fmt::format("32 and 32 tokens: {}; 30 and 34: {}", said(32), said(30));
}

// An all-gather of keys that a backward pass does not go through: the gradients of keys, of which
// each worker has those of its own queries, are not sent back.
inline std::string of_lost_gradients(bool planted) {
  const auto said = [&](int workers) {
    const Problem problem = make_problem(shape_of(40, 40), MaskKind::full, DType::f32, 1);
    Plan plan = make_plan("all_gather_kv", problem, {.workers = workers, .pass = Pass::backward});
    if (planted)
      for (Worker& worker : plan.workers)
        for (Step& step : worker.steps)
          for (auto* const transfers : {&step.receives, &step.sends})
            std::erase_if(*transfers, [](const Transfer& t) { return is_gradient(t.what); });
    return said_of(plan);
  };
  return fmt::format("W = 1: {}; W = 2: {}", said(1), said(2));
}

// Four workers are asked for, and worker 0 does it all.
inline Plan undivided(int workers) {
  PlanBuilder builder(make_problem(shape_of(64, 64), MaskKind::causal, DType::f32, 1), "undivided",
                      workers);
  builder.plan.result = Result::owners;
  builder.plan.q_groups = contiguous_groups(64, 1);
  builder.plan.kv_groups = contiguous_groups(64, 1);
  builder.worker(0).q_groups = builder.worker(0).kv_groups = {0};
  builder.add_task(builder.step(0, 0), 0, 0);
  for (int w = 1; w < workers; ++w) (void)builder.step(w, 0);
  return builder.plan;
}

// A zigzag that deals contiguous shards: exact, and as unbalanced as a ring.
inline std::string of_idle_balancer(bool planted) {
  const Problem problem = make_problem(shape_of(64, 64), MaskKind::causal, DType::f32, 1);
  const Plan plan = make_plan(planted ? "ring" : "zigzag", problem, {.workers = 4});
  return fmt::format("{}; responsibility_ratio {:.1f}", said_of(plan),
                     model_work(plan, Kernel::flash).responsibility_ratio);
}

}  // namespace qb::mistakes
