// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"

namespace qb {
namespace {

TEST(Picture, RectanglesOfCaseStudyOneCoverEveryPairOnce) {
  const Plan plan = make_plan("cqs", testing_support::square_problem(10, MaskKind::full),
                              {7, parse_interest_set("0,1,3", 7)});
  const CsvTable table = partition_rectangles(plan);
  EXPECT_EQ(table.size(), 49u);
  double area = 0.0;
  for (std::size_t row = 0; row < table.size(); ++row)
    area += (table.number(row, "q_end") - table.number(row, "q_begin")) *
            (table.number(row, "k_end") - table.number(row, "k_begin"));
  EXPECT_EQ(area, 100.0);
}

// Marks each pair that lies in a rectangle of a kind in `allowed`; row-major q_len x kv_len.
std::vector<bool> covered(const CsvTable& table, const Shape& shape,
                          const std::set<std::string>& allowed) {
  std::vector<bool> pairs(static_cast<std::size_t>(shape.q_len * shape.kv_len));
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!allowed.contains(table.text(row, "allowed"))) continue;
    const auto edge = [&](const char* column) {
      return static_cast<std::int64_t>(table.number(row, column));
    };
    EXPECT_LT(edge("q_begin"), edge("q_end"));
    EXPECT_LT(edge("k_begin"), edge("k_end"));
    EXPECT_LE(edge("q_end"), shape.q_len);
    EXPECT_LE(edge("k_end"), shape.kv_len);
    for (std::int64_t q = edge("q_begin"); q < edge("q_end"); ++q)
      for (std::int64_t k = edge("k_begin"); k < edge("k_end"); ++k) {
        const auto at = static_cast<std::size_t>(q * shape.kv_len + k);
        EXPECT_FALSE(pairs[at]) << "twice";
        pairs[at] = true;
      }
  }
  return pairs;
}

Problem bigbird(std::int64_t n) {
  const MaskSpec mask = MaskSpec(PatternNode{"bigbird",
                                             {{"left", {3}, {}},
                                              {"right", {1}, {}},
                                              {"tokens", {2}, {}},
                                              {"random_blocks", {1}, {}},
                                              {"block", {4}, {}}}});
  return make_problem({1, 1, 1, n, n, 4, 4}, mask, DType::f32, 0);
}

TEST(Picture, UnderACausalMaskHasItsPairsAlsoOfSequencesWithCachedKeys) {
  const Shape shape{1, 1, 1, 0, 0, 4, 4};
  for (const Problem& problem :
       {testing_support::square_problem(13, MaskKind::causal),
        make_packed_problem(shape, MaskKind::causal, DType::f32, 0, {{3, 5}, {0, 7}})}) {
    const CsvTable table = partition_rectangles(make_plan("zigzag", problem, {2}));
    const std::vector<bool> drawn = covered(table, problem.shape, {"all", "some"});
    for (std::int64_t q = 0; q < problem.shape.q_len; ++q)
      for (std::int64_t k = 0; k < problem.shape.kv_len; ++k)
        EXPECT_EQ(drawn[static_cast<std::size_t>(q * problem.shape.kv_len + k)],
                  problem.mask.allows(q, k))
            << q << ' ' << k;
  }
}

TEST(Picture, OfAPatternHasItsPairsAndNoOthers) {
  for (const std::int64_t n : {11, 37, 64}) {
    const Problem problem = bigbird(n);
    for (const char* algorithm : {"dense", "cqs"}) {
      const Plan plan = make_plan(algorithm, problem, {*algorithm == 'd' ? 1 : 7, {}});
      const CsvTable table = partition_rectangles(plan);
      const std::vector<bool> drawn = covered(table, problem.shape, {"all"});
      for (std::int64_t q = 0; q < n; ++q)
        for (std::int64_t k = 0; k < n; ++k) {
          const auto at = static_cast<std::size_t>(q * n + k);
          EXPECT_EQ(drawn[at], problem.mask.allows(q, k)) << algorithm << q << ' ' << k;
        }
      for (std::size_t row = 0; row < table.size(); ++row)
        EXPECT_NE(table.text(row, "allowed"), "some") << "single pairs are whole";
    }
  }
}

// Marks the pairs of the squares of which `wanted` is true, given how many of their pairs there are
// and how many are allowed. Every task is cut into squares from its first pair on.
template <class Wanted>
std::vector<bool> squares(const Plan& plan, std::int64_t side, const Wanted& wanted) {
  const Problem& problem = plan.problem;
  std::vector<bool> marked(static_cast<std::size_t>(problem.shape.q_len * problem.shape.kv_len));
  const auto mark_task = [&](const TokenGroup& q, const TokenGroup& k) {
    const auto for_each_pair = [&](std::int64_t i, std::int64_t j, const auto& body) {
      for (std::int64_t a = i; a < std::min(q.count, i + side); ++a)
        for (std::int64_t b = j; b < std::min(k.count, j + side); ++b) body(q.token(a), k.token(b));
    };
    for (std::int64_t i = 0; i < q.count; i += side)
      for (std::int64_t j = 0; j < k.count; j += side) {
        std::int64_t pairs = 0;
        std::int64_t allowed = 0;
        for_each_pair(i, j, [&](std::int64_t query, std::int64_t key) {
          ++pairs;
          allowed += problem.mask.allows(query, key) ? 1 : 0;
        });
        if (wanted(pairs, allowed))
          for_each_pair(i, j, [&](std::int64_t query, std::int64_t key) {
            marked[static_cast<std::size_t>(query * problem.shape.kv_len + key)] = true;
          });
      }
  };
  for (const Worker& worker : plan.workers.all())
    for (const Step& step : worker.steps)
      for (const PairTask& task : step.tasks)
        mark_task(plan.q_groups[static_cast<std::size_t>(task.q_group)],
                  plan.kv_groups[static_cast<std::size_t>(task.kv_group)]);
  return marked;
}

TEST(Picture, OfALongPatternSaysOfEachCellWhetherAllOrSomeOfItIsAllowed) {
  constexpr std::uint64_t kPatternSeed = 11;
  std::mt19937_64 random(kPatternSeed);
  int seen = 0;
  while (seen < 300) {
    const char* algorithm = seen % 2 == 0 ? "dense" : "cqs";
    const Problem problem = testing_support::random_problem_for(algorithm, random);
    const std::int64_t shorter = std::min(problem.shape.q_len, problem.shape.kv_len);
    if (problem.mask.kind != MaskKind::pattern || shorter < 7) continue;
    const Plan plan = make_plan(algorithm, problem, {.workers = seen % 2 == 0 ? 1 : 7});
    const std::int64_t cells = testing_support::draw(random, 1, 40);
    const std::int64_t longer = std::max(problem.shape.q_len, problem.shape.kv_len);
    const std::int64_t side = (longer + cells - 1) / cells;
    if (side > 64) continue;
    ++seen;
    const CsvTable table = partition_rectangles(plan, cells);
    EXPECT_EQ(covered(table, problem.shape, {"all"}),
              squares(plan, side, [](auto pairs, auto allowed) { return allowed == pairs; }))
        << algorithm << ' ' << seen;
    EXPECT_EQ(covered(table, problem.shape, {"some"}),
              squares(plan, side,
                      [](auto pairs, auto allowed) { return allowed > 0 && allowed < pairs; }))
        << algorithm << ' ' << seen;
  }
}

std::string picture_of(const MaskSpec& mask, std::int64_t n_tokens, std::int64_t cells,
                       std::int64_t n_cached = 0) {
  const Shape shape{1, 1, 1, n_tokens, n_cached + n_tokens, 4, 4};
  const Problem problem = make_problem(shape, mask, DType::f32, 0);
  return partition_rectangles(make_plan("dense", problem, {}), cells).to_string();
}

TEST(Picture, JoinsEqualNeighboursAlongRowsAndThenDownColumns) {
  const std::string header = "worker,q_begin,q_end,k_begin,k_end,allowed\n";
  const MaskSpec blocks(mask_fixtures::block_local(4));
  EXPECT_EQ(picture_of(blocks, 10, 100),
            header + "0,0,4,0,4,all\n0,4,8,4,8,all\n0,8,10,8,10,all\n");
  // Cells of three tokens: [0, 3) is inside a block, and [3, 6) and [6, 9) are across two.
  EXPECT_EQ(picture_of(blocks, 10, 4), header +
                                           "0,0,3,0,3,all\n0,0,3,3,6,some\n0,3,6,0,9,some\n"
                                           "0,6,9,3,10,some\n0,9,10,6,9,some\n0,9,10,9,10,all\n");
  // One cell.
  EXPECT_EQ(picture_of(blocks, 10, 1), header + "0,0,10,0,10,some\n");
}

TEST(Picture, CountsThePairsOfCellsOfUpTo64Tokens) {
  // All keys up to the query and all from it on: together everything, which neither says alone of a
  // cell on the diagonal.
  const MaskSpec everything(PatternNode{
      "any_of", {}, {mask_fixtures::sliding_window(-1, 1), mask_fixtures::sliding_window(1, -1)}});
  const std::string header = "worker,q_begin,q_end,k_begin,k_end,allowed\n";
  EXPECT_EQ(picture_of(everything, 128, 2), header + "0,0,128,0,128,all\n");
  EXPECT_EQ(picture_of(everything, 130, 2), header +
                                                "0,0,65,0,65,some\n0,0,65,65,130,all\n"
                                                "0,65,130,0,65,all\n0,65,130,65,130,some\n");
  // 20 queries and 65 keys in a cell: the longer side counts.
  EXPECT_EQ(picture_of(everything, 20, 2, 110), header + "0,0,20,0,65,all\n0,0,20,65,130,some\n");
}

// The worker of each pair of the first head, row-major; -1 for none.
std::vector<int> owners(const CsvTable& table, std::int64_t n) {
  std::vector<int> of(static_cast<std::size_t>(n * n), -1);
  for (std::size_t row = 0; row < table.size(); ++row)
    for (auto q = table.number(row, "q_begin"); q < table.number(row, "q_end"); ++q)
      for (auto k = table.number(row, "k_begin"); k < table.number(row, "k_end"); ++k)
        of[static_cast<std::size_t>(q * static_cast<double>(n) + k)] =
            static_cast<int>(table.number(row, "worker"));
  return of;
}

TEST(Picture, OfStridedGroupsHasTheWorkerOfEachPairOfTheFirstTokens) {
  constexpr std::int64_t kTokens = 24;
  const Problem problem = testing_support::square_problem(kTokens, MaskKind::causal);
  const Plan plan = make_plan("striped", problem, {4});
  const std::vector<int> all = owners(partition_rectangles(plan), kTokens);
  const std::vector<int> first = owners(partition_rectangles(plan, 10), kTokens);
  for (std::int64_t q = 0; q < kTokens; ++q)
    for (std::int64_t k = 0; k < kTokens; ++k) {
      const auto at = static_cast<std::size_t>(q * kTokens + k);
      EXPECT_EQ(all[at], k <= q ? q % 4 : -1) << q << ' ' << k;
      EXPECT_EQ(first[at], q < 10 && k < 10 ? all[at] : -1) << q << ' ' << k;
    }
}

TEST(Picture, OfASchemeThatSharesHeadsIsThatOfTheFirst) {
  const Problem problem = make_problem({1, 4, 4, 16, 16, 4, 4}, MaskKind::full, DType::f32, 0);
  const std::vector<int> of = owners(partition_rectangles(make_plan("ulysses", problem, {4})), 16);
  EXPECT_EQ(of, std::vector<int>(256, 0));
}

}  // namespace
}  // namespace qb
