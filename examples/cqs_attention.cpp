// SPDX-License-Identifier: Apache-2.0
// Computes exact attention over one's own buffers by the plan of CQS-Attention, task by task, and
// compares it with the float64 reference, which knows no plan.
#include <cstdio>
#include <numeric>
#include <vector>

#include "buffer.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/tiling.h"
#include "kernels/attention.h"
#include "kernels/merge.h"
#include "kernels/reference.h"

namespace {
constexpr qb::Shape kShape{
    .q_heads = 4, .kv_heads = 2, .q_len = 1000, .kv_len = 1000, .head_dim = 64, .value_dim = 64};

// Computes every task of every worker on its own and merges its partial into `out`.
void play(const qb::Plan& plan, const Buffer& q, const Buffer& k, const Buffer& v,
          const Buffer& out) {
  Buffer lse(kShape.lse());
  qb::clear_partial(out.view, lse.view);
  for (const qb::Worker& worker : plan.workers.all())
    for (const qb::PairTask& task : worker.steps.at(0).tasks) {
      const qb::TileSchedule schedule = qb::task_schedule(plan, task, /*query_tile=*/64);
      const auto queries = [&](const Buffer& b) { return qb::q_rows(plan, task, b.view); };
      const auto keys = [&](const Buffer& b) { return qb::kv_rows(plan, task, b.view); };
      Buffer part({1, kShape.q_heads, schedule.n_queries, kShape.value_dim});
      Buffer part_lse({1, kShape.q_heads, schedule.n_queries, 1});
      qb::attention(
          qb::Kernel::flash,
          {queries(q), keys(k), keys(v), &schedule, plan.problem.scale, part.view, part_lse.view},
          {qb::heap_allocator()});
      qb::merge_partial(queries(out), queries(lse), part.view, part_lse.view);
    }
}
}  // namespace

int main() {
  Buffer q(kShape.q()), k(kShape.k()), v(kShape.v()), out(kShape.out());
  fill_normal({&q, &k, &v});
  const qb::Problem problem = qb::make_problem(kShape, qb::MaskKind::causal, qb::DType::f32, 1);
  play(qb::make_plan("cqs", problem, {.workers = 7}), q, k, v, out);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(kShape.q_len));
  std::iota(rows.begin(), rows.end(), 0);
  const qb::ReferenceRows exact =
      qb::reference_rows(q.view, k.view, v.view, problem.mask, problem.scale, rows);
  const double largest = largest_error(out, exact.out);
  std::printf("the largest error is %g\n", largest);
  return largest > 0.0 && largest < 1e-5 ? 0 : 1;
}
