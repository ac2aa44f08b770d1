// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kHeadDim = 16;

struct Decoded {
  std::int64_t q_heads = 16;
  std::int64_t kv_heads = 2;
  std::int64_t n_new = 3;
  std::int64_t n_keys = 100;
  int workers = 8;
  int shares = 0;
};

Plan helix(const Decoded& of, const char* exchange, DType partials = DType::f32) {
  StrategyOptions options{.workers = of.workers};
  options.keys.text("grid_heads") = std::to_string(of.shares);
  options.keys.text("helix_exchange") = exchange;
  Problem problem =
      make_problem({2, of.q_heads, of.kv_heads, of.n_new, of.n_keys, kHeadDim, kHeadDim},
                   MaskKind::causal, DType::bf16, 1);
  problem.partials = partials;
  return make_plan("helix", problem, options);
}

std::map<TensorRole, std::int64_t> busiest_bytes(const Plan& plan) {
  std::map<TensorRole, std::int64_t> bytes;
  for (const MovedTensor& moved : moved_tensors(plan)) bytes[moved.what] = moved.busiest_bytes;
  return bytes;
}

// B rows, D - 1 peers, and H of the heads a worker: 16 query heads, 2 shares, 4 workers a share.
TEST(Helix, SendsWhatItsFormulasSay) {
  const std::int64_t to_each = 2 * 3 * 2 * 3;  // two sequences of three new tokens, H = 2, D = 4
  for (const DType partials : {DType::f32, DType::bf16}) {
    const std::int64_t e = size_of(partials);
    using Bytes = std::map<TensorRole, std::int64_t>;
    EXPECT_EQ(busiest_bytes(helix({}, "all_to_all", partials)),
              (Bytes{{TensorRole::partial, to_each * (kHeadDim * e + 4)}}));
    EXPECT_EQ(busiest_bytes(helix({}, "reduce_scatter", partials)),
              (Bytes{{TensorRole::q, to_each * kHeadDim * 2},
                     {TensorRole::partial_lse, 4 * to_each * 4},
                     {TensorRole::weighted, to_each * kHeadDim * e}}));
  }
}

TEST(Helix, BytesDoNotGrowWithTheCache) {
  for (const char* exchange : {"all_to_all", "reduce_scatter"})
    EXPECT_EQ(busiest_bytes(helix({.n_keys = 100}, exchange)),
              busiest_bytes(helix({.n_keys = 10'000}, exchange)));
}

// Shares of whole groups, slices of any heads, fewer new tokens or keys than workers of a share.
TEST(Helix, EveryHeadOfARowHasItsOwnerAndEveryPairIsComputedOnce) {
  for (const char* exchange : {"all_to_all", "reduce_scatter"})
    for (const Decoded& of :
         {Decoded{}, Decoded{.shares = 1}, Decoded{.n_new = 1, .n_keys = 3},
          Decoded{15, 3, 9, 41, 4, 0}, Decoded{15, 3, 2, 41, 7, 0}, Decoded{14, 2, 5, 5, 6, 2},
          Decoded{6, 6, 3, 50, 6, 0}, Decoded{1, 1, 2, 9, 1, 0}}) {
      const Plan plan = helix(of, exchange);
      SCOPED_TRACE(testing::Message() << exchange << " W=" << of.workers << " NH=" << of.q_heads);
      ASSERT_EQ(check(plan), std::nullopt);
      EXPECT_TRUE(testing_support::covers_exactly_once(plan));
      std::vector<int> owners(static_cast<std::size_t>(of.q_heads), 0);
      for (const Worker& worker : plan.workers.all()) {
        const Range own = plan.result_heads_of(worker);
        EXPECT_GT(own.count(), 0);
        for (std::int64_t head = own.begin; head < own.end; ++head)
          ++owners[static_cast<std::size_t>(head)];
      }
      EXPECT_THAT(owners, testing::Each(1));
    }
}

TEST(Helix, HasAsManySharesAsDivideTheWorkersAndFit) {
  const Shape shape{1, 16, 4, 1, 100, 8, 8};
  EXPECT_EQ(helix_shares(shape, 16, 0), 4);
  EXPECT_EQ(helix_shares(shape, 6, 0), 3);
  EXPECT_EQ(helix_shares(shape, 7, 0), 1);
  EXPECT_EQ(helix_shares(shape, 16, 2), 2);
  EXPECT_EQ(helix_shares({1, 3, 2, 1, 9, 8, 8}, 1, 0), 1);
  for (const auto& [workers, asked] : {std::pair{17, 0}, {8, 3}, {8, 8}}) try {
      (void)helix_shares(shape, workers, asked);
      ADD_FAILURE() << workers;
    } catch (const Unsupported& error) {
      EXPECT_THAT(error.what(), HasSubstr("to " + std::to_string(workers) + " workers"));
    }
}

// Takes a transfer of worker 2 to worker 0 out of both.
std::string without(const char* exchange, TensorRole what) {
  Plan plan = helix({}, exchange);
  const auto take = [&](std::vector<Transfer>& transfers, int peer) {
    return std::erase_if(transfers,
                         [&](const Transfer& t) { return t.what == what && t.peer == peer; }) > 0;
  };
  bool taken = false;
  for (Step& step : plan.workers[2].steps) taken = take(step.sends, 0) || taken;
  for (Step& step : plan.workers[0].steps) taken = take(step.receives, 2) && taken;
  return check(plan).value_or(taken ? "nothing is wrong" : "nothing was taken");
}

TEST(Helix, ACheckNamesWhatIsMissing) {
  EXPECT_EQ(without("all_to_all", TensorRole::partial),
            "worker 2: some heads of its partial of query group 0 do not reach their owner once");
  EXPECT_EQ(without("reduce_scatter", TensorRole::weighted),
            "worker 2: some heads of its partial of query group 0 do not reach their owner once");
  EXPECT_EQ(without("reduce_scatter", TensorRole::q),
            "worker 0 step 1: computes with query group 0 that it does not hold");
  EXPECT_EQ(without("reduce_scatter", TensorRole::partial_lse),
            "worker 0 sums partials of 4 workers, and worker 0 has not weighed its own by the LSE "
            "of each");
  Plan plan = helix({}, "all_to_all");
  plan.workers[2].results = plan.workers[4].results;
  EXPECT_THAT(check(plan).value(), HasSubstr("worker 0 step 0: sends its partial"));
  plan = helix({}, "reduce_scatter");
  plan.workers[2].steps[1].tasks.pop_back();
  EXPECT_THAT(check(plan).value(), HasSubstr("is computed by no worker"));
}

}  // namespace
}  // namespace qb
