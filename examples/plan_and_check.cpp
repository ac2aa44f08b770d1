// SPDX-License-Identifier: Apache-2.0
// Plans an algorithm of one's own, proves that it is exact, and prints what it costs.
//
// The algorithm: every worker holds all keys. The queries are cut into 2 W contiguous groups, and
// worker w takes groups w and 2 W - 1 - w, which makes the work equal under a causal mask.
#include <cstdio>
#include <optional>
#include <string>

#include "harness/plan/builder.h"
#include "harness/plan/check/check.h"
#include "harness/plan/layout.h"
#include "harness/plan/work/work.h"

namespace {

qb::Plan folded_queries(const qb::Problem& problem, int workers) {
  qb::PlanBuilder builder(problem, "folded_queries", workers);
  builder.plan.result = qb::Result::owners;
  builder.plan.q_groups = qb::contiguous_groups(problem.shape.q_len, 2 * workers);
  builder.plan.kv_groups = qb::contiguous_groups(problem.shape.kv_len, 1);
  for (int w = 0; w < workers; ++w) {
    qb::Worker& worker = builder.worker(w);
    worker.q_groups = {w, 2 * workers - 1 - w};
    worker.kv_groups = {0};
    for (const int q_group : worker.q_groups) builder.add_task(builder.step(w, 0), q_group, 0);
  }
  return builder.plan;
}

bool is_exact(const qb::Plan& plan) {
  const std::optional<std::string> fault = qb::check(plan);
  std::printf("%s\n", fault ? fault->c_str() : "the plan is exact");
  return !fault;
}

}  // namespace

int main() {
  const qb::Shape shape{
      .q_heads = 8, .kv_heads = 2, .q_len = 4096, .kv_len = 4096, .head_dim = 64, .value_dim = 64};
  const qb::Problem problem =
      qb::make_problem(shape, qb::MaskKind::causal, qb::DType::bf16, /*seed=*/1);
  qb::Plan plan = folded_queries(problem, 4);
  if (!is_exact(plan)) return 1;
  const qb::Work work = qb::model_work(plan, qb::Kernel::flash);
  for (const qb::WorkerWork& worker : work.workers)
    std::printf("%lld pairs of %lld queries\n", static_cast<long long>(worker.unmasked_pairs),
                static_cast<long long>(worker.q_tokens));
  std::printf("speed-up of the work: %.2f\n", work.responsibility_ratio);

  plan.workers[1].steps[0].tasks.pop_back();
  return is_exact(plan) ? 1 : 0;
}
