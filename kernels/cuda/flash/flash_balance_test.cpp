// SPDX-License-Identifier: Apache-2.0
// Tests how evenly the items of a launch fall on the blocks of a persistent grid. It simulates,
// over the real lists, how items are taken and how they were assigned formerly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {
namespace {

using Costs = std::vector<std::int64_t>;  // cost of each item in order, in steps

constexpr int kBlocks = 132;
// Loading the queries and writing the output take about as long as a step.
constexpr std::int64_t kOutsideSteps = 1;
// A producer asks after it has requested the last keys, of which the ring holds two blocks.
constexpr std::int64_t kStepsAhead = 2;

struct Balance {
  double busiest_over_mean = 0.0;
  double heaviest_over_mean = 0.0;  // no order gives less than this or 1
};

Balance balance(const Costs& costs, const Costs& busy) {
  const auto largest = [](const Costs& list) {
    return static_cast<double>(*std::max_element(list.begin(), list.end()));
  };
  const double mean = static_cast<double>(std::accumulate(costs.begin(), costs.end(), 0LL)) /
                      static_cast<double>(busy.size());
  return {largest(busy) / mean, largest(costs) / mean};
}

// Items are assigned round after round, alternately from the first block and from the last.
Balance dealt_as_a_snake(const Costs& costs) {
  Costs busy(kBlocks);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::size_t place = i % kBlocks;
    busy[i / kBlocks % 2 == 0 ? place : kBlocks - 1 - place] += costs[i];
  }
  return balance(costs, busy);
}

// The block that asks first takes the next item.
Balance taken_by_the_first_to_ask(const Costs& costs) {
  using Question = std::pair<std::int64_t, std::size_t>;  // time, block
  std::priority_queue<Question, std::vector<Question>, std::greater<>> questions;
  Costs busy(kBlocks);
  for (std::size_t block = 0; block < kBlocks; ++block) questions.emplace(0, block);
  for (const std::int64_t cost : costs) {
    const auto [when, block] = questions.top();
    questions.pop();
    busy[block] += cost;
    questions.emplace(std::max(when, busy[block] - kStepsAhead), block);
  }
  return balance(costs, busy);
}

// Holds a causal call and its lists; the tensors have no memory.
struct Case {
  std::int64_t d;
  std::int64_t heads;
  std::int64_t n;
  WorkLists lists;
  std::int64_t heads_in_cache;

  Case(std::int64_t dim, std::int64_t n_heads, std::int64_t n_tokens)
      : d(dim), heads(n_heads), n(n_tokens) {
    const TileSchedule schedule =
        build_schedule(n, n, {{0, n, {0, n, SpanKind::causal, 0}}}, d == 64 ? 192 : 128);
    const auto view = [&](DType dtype, std::int64_t columns) {
      return contiguous_view(nullptr, dtype, {1, heads, n, columns});
    };
    const TensorView input = view(DType::bf16, d);
    const GroupedCall call{input,
                           input,
                           input,
                           1.0,
                           {{0, {{0, n, 1}}, {{0, n, 1}}, &schedule, 0, 0}},
                           view(DType::f32, d),
                           view(DType::f32, 1),
                           false};
    lists = lower(call, FlashPath::sm90, kBlocks);
    heads_in_cache = heads_at_once(heads, 1, 2 * n * d * 2);
  }
  [[nodiscard]] std::int64_t cost(const TileWork& tile) const {
    return tile.n_masked + tile.n_full + kOutsideSteps;
  }
  [[nodiscard]] Costs ordered() const {
    Costs costs;
    for (const WorkItem& item : lists.items)
      costs.push_back(cost(lists.tiles[static_cast<std::size_t>(item.tile)]));
    return costs;
  }
  // Sections are as wide as the cache allows; the last one gets the rest.
  [[nodiscard]] Costs ordered_as_before() const {
    Costs costs;
    for (std::int64_t head = 0; head < heads; head += heads_in_cache)
      for (const TileWork& tile : lists.tiles)
        costs.insert(costs.end(), static_cast<std::size_t>(std::min(heads_in_cache, heads - head)),
                     cost(tile));
    return costs;
  }
};

TEST(Balance, OfCausalTilesWithTheOldDealAndWithTheNew) {
  fmt::print("{:>4} {:>6} {:>6} {:>6} {:>13} {:>16} {:>16}\n", "d", "heads", "N", "items",
             "heaviest/mean", "busiest/mean old", "busiest/mean new");
  for (const std::int64_t d : {64, 128, 256})
    for (const std::int64_t heads : {8, 16, 32, 40})
      for (const std::int64_t n : {4096, 8192, 16384, 32768}) {
        const Case c(d, heads, n);
        ASSERT_EQ(c.lists.shape.variant, FlashVariant::hopper);
        ASSERT_EQ(c.ordered().size(), c.ordered_as_before().size());
        const Balance old = dealt_as_a_snake(c.ordered_as_before());
        const Balance now = taken_by_the_first_to_ask(c.ordered());
        fmt::print("{:>4} {:>6} {:>6} {:>6} {:>13.2f} {:>16.3f} {:>16.3f}\n", d, heads, n,
                   c.lists.items.size(), now.heaviest_over_mean, old.busiest_over_mean,
                   now.busiest_over_mean);
        EXPECT_LE(now.busiest_over_mean, old.busiest_over_mean + 0.01);
        if (n >= 16384) {
          EXPECT_LE(now.busiest_over_mean, 1.06) << "d " << d << " heads " << heads << " N " << n;
        }
      }
}

// This shows that the simulation detects the fault.
TEST(Balance, OfTheOldDealIsAsBadAsItWas) {
  struct Known {
    std::int64_t d;
    std::int64_t n;
    double busiest_over_mean;
  };
  for (const Known& known :
       {Known{128, 4096, 1.56}, Known{128, 8192, 1.19}, Known{128, 16384, 1.20},
        Known{64, 8192, 1.43}, Known{64, 16384, 1.34}})
    EXPECT_NEAR(dealt_as_a_snake(Case(known.d, 16, known.n).ordered_as_before()).busiest_over_mean,
                known.busiest_over_mean, 0.01);
}

// Neither the order nor the taking is enough alone.
TEST(Balance, NeedsBothTheOrderAndTheTaking) {
  const Case c(64, 8, 16384);
  EXPECT_GT(taken_by_the_first_to_ask(c.ordered_as_before()).busiest_over_mean, 1.1);
  EXPECT_LE(taken_by_the_first_to_ask(c.ordered()).busiest_over_mean, 1.03);
  EXPECT_GT(dealt_as_a_snake(Case(128, 16, 16384).ordered()).busiest_over_mean, 1.06);
}

}  // namespace
}  // namespace qb::cuda
