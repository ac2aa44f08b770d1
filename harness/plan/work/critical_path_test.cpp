// SPDX-License-Identifier: Apache-2.0
// The rounds, critical paths and bytes that plans count against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "base/status.h"
#include "base/testing/sanitized.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/plan/testing/path_forms.h"
#include "harness/plan/testing/sent_bytes_forms.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing_support::any_grid;
using testing_support::draw;
using testing_support::path_forms;
using testing_support::PathCounts;
using testing_support::sent_bytes_of;
using testing_support::sent_forms;

// Random W, shapes, masks, head ratios and grids.
TEST(CriticalPath, EqualsItsClosedFormInRandomPlans) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::map<std::string, int> proved;
  for (int round = 0; round < (testing_support::kSanitized ? 25 : 150); ++round)
    for (const Strategy& strategy : strategies()) {
      const int workers = static_cast<int>(draw(random, 1, 24));
      Shape shape;
      shape.kv_heads = draw(random, 1, 6) * (random() % 2 == 0 ? workers : 1);
      shape.q_heads = shape.kv_heads * draw(random, 1, 4);
      shape.head_dim = shape.value_dim = 8;
      const std::int64_t unit = random() % 3 == 0 ? 1 : 2 * workers;
      shape.q_len = unit * draw(random, 1, 12);
      shape.kv_len = shape.q_len + (random() % 3 == 0 ? unit * draw(random, 0, 5) : 0);
      const MaskKind mask = random() % 2 == 0 ? MaskKind::causal : MaskKind::full;
      const Pass pass = random() % 2 == 0 ? Pass::forward : Pass::backward;
      const GridShape grid = strategy.name == "grid" ? any_grid(workers, random) : GridShape();
      const Problem problem = make_problem(shape, mask, DType::bf16, 1);
      Plan plan;
      try {
        plan = make_plan(strategy.name, problem,
                         {.workers = strategy.name == "dense" ? 1 : workers,
                          .keys = grid_keys(grid),
                          .pass = pass});
      } catch (const Unsupported&) {
        continue;
      }
      SCOPED_TRACE(testing::Message()
                   << strategy.name << " W=" << workers << " " << grid.heads << "x" << grid.rows
                   << " T=" << shape.q_len << " M=" << shape.kv_len << " heads " << shape.q_heads
                   << "/" << shape.kv_heads << " " << word(mask) << " " << word(pass));
      const int n = static_cast<int>(plan.workers.size());
      const PathCounts forms = path_forms(strategy.name, problem, n, pass, grid);
      const Work work = model_work(plan, Kernel::reference);
      std::size_t rounds = 0;
      for (const WorkerWork& worker : work.workers) rounds = std::max(rounds, worker.steps.size());
      if (forms.rounds) {
        EXPECT_EQ(*forms.rounds, static_cast<std::int64_t>(rounds));
      }
      if (!forms.critical_path_pairs) continue;
      EXPECT_EQ(*forms.critical_path_pairs, work.critical_path_pairs);
      ++proved[std::string(strategy.name)];
      const bool even = shape.q_len % n == 0 && shape.kv_len % n == 0;
      const bool halves = strategy.name == "cqs_sharded" && n % 2 == 0;
      if (!even || halves || strategy.name == "dense" || strategy.name == "tree_decode") continue;
      EXPECT_EQ(sent_bytes_of(sent_forms(strategy.name, problem, n, pass, grid)),
                work.sent_bytes_max);
    }
  if (testing_support::kSanitized) return;  // too few to find every strategy
  for (const Strategy& strategy : strategies())
    if (strategy.name != "decode" && strategy.name != "flash_decoding" &&
        strategy.name != "rectangular") {
      EXPECT_GT(proved[std::string(strategy.name)], 10) << strategy.name;
    }
}

// What a worker sends forward, by the scheme's plan: bf16, partials in f32, d = 64.
std::int64_t sent(std::string_view scheme, int workers, std::int64_t q_heads, std::int64_t kv_heads,
                  const GridShape& grid = {}) {
  const std::int64_t n = 4 * workers;
  const Problem problem =
      make_problem({1, q_heads, kv_heads, n, n, 64, 64}, MaskKind::full, DType::bf16, 1);
  return model_work(make_plan(scheme, problem, {.workers = workers, .keys = grid_keys(grid)}),
                    Kernel::reference)
      .sent_bytes_max;
}

// What partials add: r = (e + 4 + 4 / d) / (2 e) with e = 2 and d = 64.
constexpr double kR = (2.0 + 4.0 + 4.0 / 64.0) / 4.0;

// m groups, W = m (m - 1) + 1: CQS sends less than a ring iff m > 1 + r / g.
TEST(Crossovers, CqsAgainstTheRing) {
  for (const auto& [workers, groups] : {std::pair{7, 3}, {13, 4}, {31, 6}, {57, 8}, {133, 12}})
    for (const std::int64_t ratio : {1, 2, 3, 4, 8})
      EXPECT_EQ(sent("cqs_sharded", workers, 8 * ratio, 8) < sent("ring", workers, 8 * ratio, 8),
                groups > 1.0 + kR * static_cast<double>(ratio))
          << "W " << workers << " NH / NKV " << ratio;
}

// The largest Ulysses degree sends less than a ring iff W > 1 + r / g.
TEST(Crossovers, UlyssesAgainstTheRing) {
  for (const int workers : {2, 3, 4, 6, 8, 12, 16})
    for (const std::int64_t ratio : {1, 2, 4, 8})
      EXPECT_EQ(sent("ulysses", workers, 48 * ratio, 48) < sent("ring", workers, 48 * ratio, 48),
                workers > 1.0 + kR * static_cast<double>(ratio))
          << "W " << workers << " NH / NKV " << ratio;
}

// A mesh of two rows sends less than a ring iff W > 2 r / g.
TEST(Crossovers, AMeshOfTwoRowsAgainstTheRing) {
  for (const int workers : {2, 4, 6, 8, 12, 14, 24, 26})
    for (const std::int64_t ratio : {1, 2, 4, 8})
      EXPECT_EQ(
          sent("mesh", workers, 8 * ratio, 8, {1, 2, 0}) < sent("ring", workers, 8 * ratio, 8),
          workers > 2.0 * kR * static_cast<double>(ratio))
          << "W " << workers << " NH / NKV " << ratio;
}

// CQS sends less than USP of degree a iff about m > a (1 + r / g), where a divides W: of three
// heads, at W = 57 (m = 8) and not at W = 21 (m = 5).
TEST(Crossovers, CqsAgainstUspOfThreeHeads) {
  EXPECT_GT(sent("cqs_sharded", 21, 3, 3), sent("usp", 21, 3, 3, {3, 1, 0}));
  EXPECT_LT(sent("cqs_sharded", 57, 3, 3), sent("usp", 57, 3, 3, {3, 1, 0}));
  const double bound = 3.0 * (1.0 + kR);
  EXPECT_LT(5.0, bound);
  EXPECT_GT(8.0, bound);
}

}  // namespace
}  // namespace qb
