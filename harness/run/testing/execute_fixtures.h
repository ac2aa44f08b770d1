// SPDX-License-Identifier: Apache-2.0
// Fixtures that the executor tests share: random problems with plans, and a run of one on
// poisoned outputs.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/status.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/random_plans.h"
#include "harness/plan/tiling.h"
#include "harness/run/runner/executor.h"
#include "harness/run/testing/inputs_of.h"
#include "harness/verify/verify.h"
#include "kernels/allocator.h"

namespace qb {

using Random = std::mt19937_64;

[[nodiscard]] inline std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// Makes problems with odd sizes, grouped heads, batches, other key lengths and value widths, both
// masks and every dtype of the kernels.
[[nodiscard]] inline Problem random_problem(Random& random) {
  Shape shape;
  shape.batch = between(random, 1, 2);
  shape.kv_heads = between(random, 1, 2);
  shape.q_heads = shape.kv_heads * between(random, 1, 3);
  shape.q_len = between(random, 3, 150);
  shape.kv_len = random() % 2 == 0 ? shape.q_len : between(random, 3, 150);
  shape.head_dim = between(random, 1, 40);
  shape.value_dim = random() % 4 == 0 ? between(random, 1, 40) : shape.head_dim;
  const DType dtypes[] = {DType::f16, DType::bf16, DType::f32};
  Problem problem = make_problem(shape, random() % 2 == 0 ? MaskKind::full : MaskKind::causal,
                                 dtypes[random() % 3], random());
  problem.adds_to_partials = random() % 2 == 0;
  return problem;
}

[[nodiscard]] inline Plan dense_plan(const Problem& problem) {
  return make_plan("dense", problem, {});
}

[[nodiscard]] inline Plan cqs_plan(const Problem& problem, int workers) {
  return make_plan("cqs", problem, {workers, std::nullopt});
}

[[nodiscard]] inline Plan random_plan(Random& random) {
  const Problem problem = random_problem(random);
  if (random() % 4 == 0) return dense_plan(problem);
  const std::int64_t most = std::min<std::int64_t>({problem.shape.q_len, problem.shape.kv_len, 14});
  return cqs_plan(problem, static_cast<int>(between(random, 3, most)));
}

// A plan with its inputs and poisoned outputs.
struct Trial {
  Trial(Plan given, Allocator& memory)
      : plan(std::move(given)),
        inputs(make_inputs(plan.problem, memory, 1)),
        out(memory, DType::f32, plan.problem.shape.out(), "out"),
        lse(memory, DType::f32, plan.problem.kept_lse(), "lse") {
    poison(out.view(), lse.view());
  }

  [[nodiscard]] Execution run(Ranks ranks, Kernel kernel, int threads, Allocator& memory) {
    auto arguments = with_tensors(ExecutionArguments());
    arguments.kernel = kernel;
    arguments.threads = threads;
    arguments.allocator = &memory;
    arguments.guard_messages = true;
    return execute(ranks, plan, arguments);
  }

  // Returns the arguments with this trial's tensors.
  [[nodiscard]] ExecutionArguments with_tensors(ExecutionArguments arguments) const {
    arguments.q = inputs.q.view();
    arguments.k = inputs.k.view();
    arguments.v = inputs.v.view();
    arguments.out = out.view();
    arguments.lse = lse.view();
    return arguments;
  }

  // Makes the shards of ranks that have no whole tensors.
  [[nodiscard]] ShardSource shards() const { return shard_source(plan.problem); }

  // eager: see verify_output().
  [[nodiscard]] Verification verify(bool eager = false) const {
    return verify_output(plan.problem, inputs.q.view(), inputs.k.view(), inputs.v.view(),
                         out.view(), lse.view(), rows_to_verify(plan, 40), 1, eager,
                         rounds_lse(plan), partial_roundings(plan));
  }

  // Returns O and LSE, bit for bit.
  [[nodiscard]] std::string output_bytes() const {
    return std::string(static_cast<const char*>(out.view().data),
                       static_cast<std::size_t>(out.view().bytes())) +
           std::string(static_cast<const char*>(lse.view().data),
                       static_cast<std::size_t>(lse.view().bytes()));
  }

  Plan plan;
  Inputs inputs;
  Tensor out;
  Tensor lse;
};

namespace testing_support {

// What an executor moved is what the plan's transfers say; one that works in place moves nothing.
inline void expect_planned_bytes(const Plan& plan, const Execution& run) {
  if (works_in_place(plan)) return;
  for (std::size_t w = 0; w < run.workers.size(); ++w) {
    std::int64_t sent = 0;
    std::int64_t from_root = 0;
    const Worker worker = plan.workers[w];
    for (const Step& step : worker.steps) {
      for (const Transfer& transfer : step.sends)
        if (transfer.peer != static_cast<int>(w)) sent += transfer.bytes;
      for (const Transfer& transfer : step.receives)
        if (transfer.peer < 0) from_root += transfer.bytes;
    }
    EXPECT_EQ(run.workers[w].sent_bytes, sent) << "worker " << w;
    EXPECT_EQ(run.workers[w].from_root_bytes, from_root) << "worker " << w;
  }
}

}  // namespace testing_support

}  // namespace qb
