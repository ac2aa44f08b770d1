// SPDX-License-Identifier: Apache-2.0
// The peak memory that plans count, whose workers are run over addresses, against closed forms.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/rehearse/testing/peak_forms.h"

namespace qb {
namespace {

using testing_support::any_grid;
using testing_support::draw;
using testing_support::has_peak_form;
using testing_support::peak_form;

// Few tokens, one token, fewer than workers, unequal and equal shards, with and without a cache.
Shape random_shape(int workers, std::mt19937_64& random) {
  Shape shape;
  shape.kv_heads = draw(random, 1, 4) * (random() % 2 == 0 ? workers : 1);
  shape.q_heads = shape.kv_heads * draw(random, 1, 4);
  shape.head_dim = shape.value_dim = draw(random, 1, 3) == 1 ? draw(random, 1, 40) : 16;
  const std::int64_t unit = random() % 4 == 0 ? 2 * workers : 1;
  shape.q_len = random() % 8 == 0 ? 1 : unit * draw(random, 1, random() % 2 == 0 ? 6 : 90);
  shape.kv_len =
      shape.q_len + (random() % 2 == 0 ? draw(random, 0, 2) * unit : draw(random, 0, 60));
  return shape;
}

// Shards of 1024 tokens and 8 heads of 64 in bf16, with two key-value heads: a ring holds its
// shard, O and LSE, the keys it computes with and those that arrive. Before schema 3, and with a
// kernel that cannot go on, it also holds the result of a call, which it merges.
TEST(PeakMemory, OfARingIsItsShardAndTwoMessages) {
  Problem problem = make_problem({1, 8, 2, 8192, 8192, 64, 64}, MaskKind::full, DType::bf16, 1);
  const auto peak = [&](Kernel kernel) {
    return plan_memory(make_plan("ring", problem, {.workers = 8}), kernel, 1).device_peak_bytes;
  };
  const std::int64_t shard = 1024 * (8 + 2 * 2) * 64 * 2;
  const std::int64_t result = 1024 * 8 * 65 * 4;
  const std::int64_t message = 64 + 2 * 1024 * 2 * 64 * 2;
  const auto workspace = [](Kernel kernel) {
    return kernel_workspace_bytes(kernel, {1, 8, 1024, 64}, {1, 2, 1024, 64}, DType::bf16, 1, 64);
  };
  const std::int64_t held = shard + result + 2 * message;
  EXPECT_EQ(peak(Kernel::flash), held + result + workspace(Kernel::flash));
  problem.adds_to_partials = true;
  EXPECT_EQ(peak(Kernel::flash), held + workspace(Kernel::flash));
  EXPECT_EQ(peak(Kernel::materialized), held + result + workspace(Kernel::materialized));
}

// In a window it holds besides the message to the next host, until that has left, and the one that
// comes from the host before.
TEST(PeakMemory, OfADoubleRingIsThatOfARingAndTwoMessages) {
  const Problem problem =
      make_problem({1, 8, 2, 8192, 8192, 64, 64}, MaskKind::full, DType::bf16, 1);
  const std::int64_t message = 64 + 2 * 1024 * 2 * 64 * 2;
  const auto peak = [&](const char* algorithm, int rows) {
    StrategyOptions options{.workers = 8};
    options.keys.text("grid_rows") = std::to_string(rows);
    return plan_memory(make_plan(algorithm, problem, options), Kernel::flash, 1).device_peak_bytes;
  };
  EXPECT_EQ(peak("double_ring", 4), peak("zigzag", 0) + 2 * message);
  for (const int rows : {1, 8}) EXPECT_EQ(peak("double_ring", rows), peak("zigzag", 0));
}

TEST(PeakMemory, FormsEqualTheCountsOfRandomPlansToTheByte) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::map<std::string, int> proved;
  constexpr DType kTypes[] = {DType::f32, DType::bf16};
  for (int round = 0; round < 200 && !testing::Test::HasFailure(); ++round)
    for (const Strategy& strategy : strategies()) {
      const std::string name(strategy.name);
      const bool many = round % 20 == 0;
      const int workers = name == "dense" ? 1
                          : many          ? (round % 40 == 0 ? 23 : 31)
                                          : static_cast<int>(draw(random, 1, 12));
      const Shape shape = random_shape(workers, random);
      const MaskKind mask = random() % 3 == 0 ? MaskKind::full : MaskKind::causal;
      const Pass pass = random() % 2 == 0 ? Pass::forward : Pass::backward;
      const GridShape grid = name == "grid" ? any_grid(workers, random) : GridShape();
      Problem problem = make_problem(shape, mask, kTypes[random() % 2], 1);
      problem.adds_to_partials = random() % 4 != 0;
      if (name != "cqs" && pass == Pass::forward) problem.partials = kTypes[random() % 2];
      Plan plan;
      try {
        plan =
            make_plan(name, problem, {.workers = workers, .keys = grid_keys(grid), .pass = pass});
      } catch (const Unsupported&) {
        continue;
      }
      if (!has_peak_form(name, problem)) continue;
      ASSERT_EQ(plan_memory(plan, Kernel::flash, 1).device_peak_bytes,
                peak_form(name, problem, workers, pass, grid, Kernel::flash))
          << name << " W=" << workers << " " << grid.heads << "x" << grid.rows
          << " T=" << shape.q_len << " M=" << shape.kv_len << " heads " << shape.q_heads << "/"
          << shape.kv_heads << " d=" << shape.head_dim << " " << word(mask) << " " << word(pass)
          << " " << word(problem.dtype) << " " << word(problem.partials);
      ++proved[name + " " + std::string(word(pass))];
    }
  EXPECT_EQ(proved.size(), 27u);  // 13 schemes with forms and 14 more in
  for (const auto& [name, times] : proved) EXPECT_GT(times, 10) << name;
}

}  // namespace
}  // namespace qb
