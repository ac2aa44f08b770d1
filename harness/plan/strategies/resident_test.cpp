// SPDX-License-Identifier: Apache-2.0
// Keys that every worker holds from the beginning: none is sent, each of their pairs is computed
// once, and their gradients reach one owner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/gradient_play.h"
#include "harness/plan/testing/random_plans.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kResidentTokens = 64;

Problem with_resident(std::int64_t resident, std::int64_t n = kResidentTokens) {
  Problem problem = make_problem({1, 4, 4, n, n, 8, 8}, MaskKind::full, DType::f32, 1);
  problem.resident_keys = resident;
  return problem;
}

Plan plan_of(const std::string& algorithm, std::int64_t resident, Pass pass = Pass::forward) {
  return make_plan(algorithm, with_resident(resident), {.workers = 4, .pass = pass});
}

TEST(Resident, KeysAreNotSentAndTheOthersAsOfAShorterSequence) {
  for (const char* algorithm : {"ring", "striped", "zigzag", "double_ring", "all_gather_kv"}) {
    const Plan plan = plan_of(algorithm, 16);
    ASSERT_EQ(check(plan), std::nullopt) << algorithm;
    const std::int64_t all = model_work(plan_of(algorithm, 0), Kernel::flash).bytes_total;
    const Work work = model_work(plan, Kernel::flash);
    EXPECT_EQ(work.bytes_total, all * 3 / 4) << algorithm;
    for (const WorkerWork& worker : work.workers) {
      EXPECT_EQ(worker.kv_tokens, 12 + 16) << algorithm;
      EXPECT_EQ(worker.unmasked_pairs, kResidentTokens / 4 * kResidentTokens) << algorithm;
    }
  }
}

// A worker that has the sums of all 16 keys sends those of 12 to their three owners.
TEST(Resident, GradientsReachTheirOwners) {
  for (const char* algorithm : {"ring", "burst", "ulysses", "all_gather_kv"}) {
    const Plan plan = plan_of(algorithm, 16, Pass::backward);
    ASSERT_EQ(check(plan), std::nullopt) << algorithm;
    EXPECT_TRUE(testing_support::adds_exactly_once(plan)) << algorithm;
    for (std::size_t w = 0; w < 4; ++w) {
      std::int64_t rows = 0;
      for (const Step& step : plan.workers[w].steps)
        for (const Transfer& sent : step.sends)
          if (sent.what == TensorRole::d_k && sent.kind == TransferKind::reduce_scatter &&
              plan.groups_of(sent).front() >= plan.resident.front())
            rows += tokens_of(plan.kv_groups, plan.groups_of(sent));
      EXPECT_EQ(rows, 12) << algorithm;
    }
  }
}

// What goes wrong in programs: the keys are counted by every worker, go round, or are left out.
TEST(Resident, CheckFindsKeysThatAreCountedTwiceOrNotAtAll) {
  const auto damaged = [](const auto& damage, Pass pass = Pass::forward) {
    Plan plan = plan_of("ring", 16, pass);
    damage(plan, plan.workers.spell_out());
    return check(plan).value_or("accepted");
  };
  EXPECT_THAT(damaged([](Plan&, auto& workers) {
                workers[1].steps[0].tasks.push_back(workers[0].steps[0].tasks.back());
              }),
              HasSubstr("computes with query group 0 that it does not hold"));
  EXPECT_THAT(damaged([](Plan&, auto& workers) {
                workers[1].steps[0].tasks.push_back(workers[1].steps[0].tasks.back());
              }),
              HasSubstr("is computed twice, by workers 1 and 1"));
  EXPECT_THAT(damaged([](Plan&, auto& workers) { workers[2].steps[0].tasks.pop_back(); }),
              HasSubstr(": computed by no worker"));
  EXPECT_THAT(damaged([](Plan& plan, auto& workers) {
                std::erase(workers[2].kv_groups, plan.resident[1]);
              }),
              HasSubstr("computes with key group 5 that it does not hold"));
  const auto lose = [](Plan& plan, auto& workers) {
    const auto is_lost = [&](const Transfer& t) {
      return t.kind == TransferKind::reduce_scatter && plan.groups_of(t).front() == 4;
    };
    std::erase_if(workers[1].steps[0].sends, is_lost);
    std::erase_if(workers[0].steps[1].receives,
                  [&](const Transfer& t) { return is_lost(t) && t.peer == 1; });
  };
  EXPECT_EQ(damaged(lose, Pass::backward),
            "worker 1: its dK of key group 4 never reaches its owner");
}

TEST(Resident, SchemesThatHoldNoTokensEverywhereSayWhichDo) {
  for (const char* algorithm : {"cqs", "cqs_sharded", "tree_decode", "helix"}) try {
      (void)plan_of(algorithm, 16);
      ADD_FAILURE() << algorithm;
    } catch (const Unsupported& error) {
      EXPECT_THAT(error.what(), HasSubstr("rings, ulysses, grids and all_gather_kv do"));
    }
  EXPECT_EQ(check(make_plan("dense", with_resident(16), {})), std::nullopt);
}

}  // namespace
}  // namespace qb
