// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/status.h"
#include "base/testing/sanitized.h"
#include "harness/plan/check/check.h"
#include "harness/plan/representatives.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/plan/testing/spelt_grid.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

std::vector<GridShape> shapes_of(int workers) {
  std::vector<GridShape> shapes;
  for (int heads = 1; heads <= workers; ++heads)
    for (int rows = 1; workers % heads == 0 && rows <= workers / heads; ++rows)
      if (workers / heads % rows == 0) shapes.push_back({heads, rows, workers / heads / rows});
  return shapes;
}

Problem problem_of(std::int64_t n, std::int64_t q_heads, std::int64_t kv_heads, MaskKind mask) {
  return make_problem({1, q_heads, kv_heads, n, n, 16, 16}, mask, DType::bf16, 1);
}

constexpr const char* kLayouts[] = {"zigzag", "striped", "contiguous"};

Plan plan_of(const Problem& problem, int workers, const GridShape& grid, Pass pass = Pass::forward,
             const char* layout = "zigzag") {
  StrategyKeys keys = grid_keys(grid);
  keys.text("grid_layout") = layout;
  return make_plan("grid", problem, {.workers = workers, .keys = keys, .pass = pass});
}

TEST(Grid, EveryShapeIsAnExactCoverInBothPasses) {
  std::mt19937 random(20261127);
  for (int workers = 1; workers <= 12; ++workers)
    for (const GridShape& shape : shapes_of(workers))
      for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
        for (const std::int64_t n : {1, 23, 96}) {
          SCOPED_TRACE(testing::Message()
                       << shape.heads << "x" << shape.rows << "x" << shape.columns << " n=" << n);
          const Problem problem = problem_of(n, 12, 12, mask);
          for (const Pass pass : kEveryPass) {
            const char* const layout = kLayouts[random() % std::size(kLayouts)];
            const Plan plan = plan_of(problem, workers, shape, pass, layout);
            ASSERT_EQ(check(plan), std::nullopt) << word(pass) << " " << layout;
            ASSERT_TRUE(testing_support::covers_exactly_once(plan)) << layout;
          }
        }
}

// Each worker moves and computes in each step what it does if it is written by its own place.
TEST(Grid, RotatesToTheWorkersThatAreWrittenOneByOne) {
  for (const int workers : {1, 2, 4, 6, 8, 12, 16})
    for (const GridShape& shape : shapes_of(workers))
      for (const std::int64_t n : {std::int64_t{5} * workers, std::int64_t{8} * workers})
        for (const Pass pass : kEveryPass) {
          SCOPED_TRACE(testing::Message() << shape.heads << "x" << shape.rows << "x"
                                          << shape.columns << " n=" << n << " " << word(pass));
          const Problem problem = problem_of(n, 16, 4, MaskKind::causal);
          if (!shares_fit(problem.shape, shape.heads)) continue;
          const Work rotated = model_work(plan_of(problem, workers, shape, pass), Kernel::flash);
          const Plan spelt =
              testing_support::spelt_grid(problem, {.workers = workers, .pass = pass}, shape);
          ASSERT_EQ(check(spelt), std::nullopt);
          EXPECT_EQ(rotated.workers, model_work(spelt, Kernel::flash).workers);
        }
}

// Two shards of the chunks i and 2W - 1 - i leave as many pairs in either order: if 2W divides N,
// each of the four chunks has c / 2 tokens, and of the four pairs of chunks two are whole and two
// are empty. So every worker of every shape computes as many pairs in every step, and N is as large
// as one likes: of the calls of a plan only their numbers are counted.
TEST(Grid, IsBalancedExactlyInEveryStepOfEveryShape) {
  for (const int workers : {2, 6, 8, 12, 64, 256})
    for (const GridShape& shape : shapes_of(workers))
      for (const std::int64_t chunk : {1, 7, 4096}) {
        if (testing_support::kSanitized && workers > 64) continue;
        const Problem problem = problem_of(2 * workers * chunk, 768, 768, MaskKind::causal);
        if (!shares_fit(problem.shape, shape.heads)) continue;
        const Plan plan = plan_of(problem, workers, shape);
        const Representatives representatives(plan);
        const CountedCalls* const counted = representatives.counted();
        ASSERT_NE(counted, nullptr);
        for (std::size_t s = 0; s < plan.workers.rotation()->steps.size(); ++s) {
          const auto pairs_of = [&](int w) {
            std::int64_t pairs = 0;
            for (const KernelCall& call : counted->calls(w, s))
              for (std::size_t t = 0; t < call.tasks.size(); ++t)
                pairs += call.times[t] * task_pairs(plan, call.tasks[t]);
            return pairs;
          };
          const std::int64_t first = pairs_of(0);
          for (int w = 1; w < workers; ++w)
            ASSERT_EQ(pairs_of(w), first) << shape.heads << "x" << shape.rows << "x"
                                          << shape.columns << " step " << s << " worker " << w;
        }
      }
}

TEST(Grid, EveryWorkerComputesAsManyPairsUnderACausalMask) {
  for (const int workers : {2, 4, 6, 8, 12, 16})
    for (const GridShape& shape : shapes_of(workers)) {
      const Work work = model_work(
          plan_of(problem_of(std::int64_t{8} * workers, 48, 48, MaskKind::causal), workers, shape),
          Kernel::reference);
      std::vector<std::int64_t> pairs;
      for (const WorkerWork& worker : work.workers) pairs.push_back(worker.unmasked_pairs);
      EXPECT_EQ(std::ranges::min(pairs), std::ranges::max(pairs))
          << shape.heads << "x" << shape.rows << "x" << shape.columns;
    }
}

TEST(Grid, SendsWhatItsClosedFormSays) {
  for (const int workers : {1, 2, 4, 8, 16})
    for (const GridShape& shape : shapes_of(workers))
      for (const std::int64_t kv_heads : {16, 4}) {
        const Problem problem =
            problem_of(std::int64_t{16} * workers, 16, kv_heads, MaskKind::full);
        const Work work = model_work(plan_of(problem, workers, shape), Kernel::reference);
        std::int64_t all = 0;
        for (const WorkerWork& worker : work.workers) all += worker.bytes_out;
        EXPECT_NEAR(static_cast<double>(all) / workers, grid_sent_bytes(problem, shape), 1e-6)
            << shape.heads << "x" << shape.rows << "x" << shape.columns << " of " << kv_heads;
      }
}

// The members that have names of their own send as much.
TEST(Grid, ContainsTheZigzagRingUlyssesAndPassQ) {
  const Problem problem = problem_of(128, 8, 8, MaskKind::causal);
  const auto sent = [&](const Plan& plan) {
    return model_work(plan, Kernel::reference).sent_bytes_max;
  };
  const auto of = [&](const char* name, Pass pass) {
    return sent(make_plan(name, problem, {.workers = 8, .pass = pass}));
  };
  for (const Pass pass : kEveryPass)
    EXPECT_EQ(sent(plan_of(problem, 8, {1, 1, 8}, pass)), of("zigzag", pass)) << word(pass);
  EXPECT_EQ(sent(plan_of(problem, 8, {8, 1, 1})), of("ulysses", Pass::forward));
  EXPECT_EQ(sent(plan_of(problem, 8, {1, 8, 1})), of("pass_q", Pass::forward));
}

// The largest number of pairs of a worker over the mean says what a layout costs under a causal
// mask. A grid of one row and one head group is the ring of its layout.
TEST(Grid, LayoutsOtherThanZigzagAreTheirRingsAndLessBalanced) {
  const Problem problem = problem_of(64 * 16, 16, 16, MaskKind::causal);
  const auto imbalance = [](const Work& work) {
    std::int64_t most = 0;
    std::int64_t all = 0;
    for (const WorkerWork& worker : work.workers) {
      most = std::max(most, worker.unmasked_pairs);
      all += worker.unmasked_pairs;
    }
    return static_cast<double>(most) * static_cast<double>(work.workers.size()) /
           static_cast<double>(all);
  };
  const auto work_of = [&](const GridShape& shape, const char* layout) {
    return model_work(plan_of(problem, 16, shape, Pass::forward, layout), Kernel::reference);
  };
  for (const auto& [layout, ring] : {std::pair{"striped", "striped"}, {"contiguous", "ring"}})
    EXPECT_EQ(work_of({1, 1, 16}, layout).workers,
              model_work(make_plan(ring, problem, {.workers = 16}), Kernel::reference).workers)
        << layout;
  for (const GridShape& mesh : {GridShape{1, 4, 4}, {1, 2, 8}, {2, 2, 4}}) {
    EXPECT_DOUBLE_EQ(imbalance(work_of(mesh, "zigzag")), 1.0);
    EXPECT_GT(imbalance(work_of(mesh, "striped")), 1.0);
    EXPECT_LT(imbalance(work_of(mesh, "striped")), 1.02);
    EXPECT_GT(imbalance(work_of(mesh, "contiguous")), 1.6);
  }
}

TEST(Grid, WithoutAShapeItIsTheOneThatSendsLeast) {
  const auto shape_for = [](const char* name, int workers, std::int64_t q_heads,
                            std::int64_t kv_heads) {
    return grid_shape(name, problem_of(1024, q_heads, kv_heads, MaskKind::full), workers, {});
  };
  EXPECT_EQ(shape_for("usp", 16, 32, 8).heads, 8) << "W > 1 + NH / NKV";
  EXPECT_EQ(shape_for("usp", 4, 64, 8).heads, 1) << "W < 1 + NH / NKV";
  EXPECT_EQ(shape_for("usp", 16, 32, 8).rows, 1);
  EXPECT_EQ(shape_for("mesh", 64, 32, 32).heads, 1);
  EXPECT_EQ(shape_for("mesh", 4, 32, 8).rows, 1) << "a mesh beats the ring from W = 2 NH / NKV on";
  EXPECT_GT(shape_for("grid", 256, 32, 32).rows, 1) << "Ulysses over a mesh";
}

TEST(Grid, GroupsOfHeadsMayShareKeyValueHeads) {
  // 2 key-value heads on 4 workers of a tile: each is sent to two of them.
  const Problem problem = problem_of(40, 8, 2, MaskKind::causal);
  for (const Pass pass : kEveryPass) {
    const Plan plan = plan_of(problem, 8, {4, 1, 2}, pass);
    EXPECT_EQ(check(plan), std::nullopt) << word(pass);
  }
  EXPECT_EQ(check(plan_of(problem_of(40, 33, 33, MaskKind::causal), 8, {8, 1, 1})), std::nullopt)
      << "heads are not a multiple";
}

TEST(Grid, AShapeThatDoesNotFitIsRefused) {
  const Problem problem = problem_of(64, 4, 4, MaskKind::full);
  EXPECT_THROW((void)plan_of(problem, 8, {3, 0, 0}), Unsupported);
  EXPECT_THROW((void)plan_of(problem, 8, {0, 5, 0}), Unsupported);
  EXPECT_THROW((void)plan_of(problem, 8, {8, 0, 0}), Unsupported) << "4 heads";
  EXPECT_THROW((void)make_plan("mesh", problem, {.workers = 8, .keys = grid_keys({.heads = 2})}),
               Unsupported);
  EXPECT_THROW((void)make_plan("usp", problem, {.workers = 8, .keys = grid_keys({.rows = 2})}),
               Unsupported);
}

}  // namespace
}  // namespace qb
