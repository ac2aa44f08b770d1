#include "harness/plan/check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing_support::covers_exactly_once;
using testing_support::square_problem;

Plan sample_plan(MaskKind mask = MaskKind::full) {
  return make_plan("cqs", square_problem(30, mask), {7, {}});
}

TEST(Check, AMissingBlockIsNamed) {
  Plan plan = sample_plan();
  std::vector<PairTask>& tasks = plan.workers[2].steps[0].tasks;
  const PairTask lost = tasks.back();
  tasks.pop_back();
  EXPECT_THAT(check(plan).value(),
              testing::AllOf(HasSubstr("computed by no worker"),
                             HasSubstr("(" + std::to_string(lost.q_group) + ", " +
                                       std::to_string(lost.kv_group) + ")")));
}

TEST(Check, ABlockComputedTwiceNamesBothWorkers) {
  Plan plan = sample_plan();
  plan.workers[0].steps[0].tasks.push_back(plan.workers[0].steps[0].tasks.front());
  EXPECT_THAT(check(plan).value(), HasSubstr("computed twice, by workers 0 and 0"));
}

TEST(Check, AMaskedBlockMustNotBeComputed) {
  Plan plan = sample_plan(MaskKind::causal);
  PairTask& task = plan.workers[0].steps[0].tasks.back();
  std::swap(task.q_group, task.kv_group);
  EXPECT_THAT(check(plan).value(), testing::AnyOf(HasSubstr("masked out"), HasSubstr("no worker")));
}

TEST(Check, AWrongOffsetDoesNotFollowTheMask) {
  Plan plan = sample_plan(MaskKind::causal);
  ++plan.workers[3].steps[0].tasks.front().offset;
  EXPECT_THAT(check(plan).value(), HasSubstr("does not follow the mask"));
}

TEST(Check, AGroupThatIsNotHeldIsNamed) {
  Plan plan = sample_plan();
  plan.workers[1].kv_groups.erase(plan.workers[1].kv_groups.begin());
  plan.workers[1].steps[0].receives.clear();
  EXPECT_THAT(check(plan).value(), HasSubstr("worker 1 step 0: computes with key group"));
}

TEST(Check, HeadsMustBeSharedOutWhole) {
  Plan plan = make_plan("dense", square_problem(5, MaskKind::full), {});
  PairTask& task = plan.workers[0].steps[0].tasks[0];
  task.heads = {0, 1};
  EXPECT_THAT(check(plan).value(), HasSubstr("heads end at 1 of 2"));
  task.heads = {1, 2};
  EXPECT_THAT(check(plan).value(), HasSubstr("head 0 is computed by no worker"));
}

TEST(Check, GroupsMustTileTheSequence) {
  Plan plan = sample_plan();
  plan.q_groups[3].first += 1;
  EXPECT_THAT(check(plan).value(), HasSubstr("in no group"));
  plan = sample_plan();
  plan.kv_groups[3].count += 1;
  EXPECT_THAT(check(plan).value(), HasSubstr("in two groups"));
  plan = sample_plan();
  plan.q_groups.back().count -= 1;
  EXPECT_THAT(check(plan).value(), HasSubstr("hold 29 tokens of 30"));
}

TEST(Check, StridedGroupsTileToo) {
  Plan plan = make_plan("dense", square_problem(6, MaskKind::full), {});
  plan.q_groups = {{0, 3, 2}, {1, 3, 2}};
  plan.workers[0].q_groups = {0, 1};
  plan.workers[0].steps[0].tasks = {{0, 0, {0, 2}, Allowed::all, 0},
                                    {1, 0, {0, 2}, Allowed::all, 0}};
  EXPECT_EQ(check(plan), std::nullopt);
  plan.q_groups[1].count = 4;
  EXPECT_THAT(check(plan).value(), HasSubstr("beyond the sequence"));
}

TEST(Check, EverySendNeedsItsReceive) {
  Plan plan = sample_plan();
  plan.workers[0].steps.resize(2);
  plan.group_lists.push_back({0});
  const int list = static_cast<int>(plan.group_lists.size()) - 1;
  const Transfer transfer{TransferKind::p2p, TensorRole::k, 1, list, {0, 2}, 64};
  plan.workers[0].steps[0].sends.push_back(transfer);
  EXPECT_THAT(check(plan).value(), HasSubstr("from worker 0 to 1 is sent and never received"));
  plan.workers[1].steps.resize(2);
  plan.workers[1].steps[1].receives.push_back(transfer);
  plan.workers[1].steps[1].receives.back().peer = 0;
  EXPECT_EQ(check(plan), std::nullopt);
  plan.workers[1].steps[1].receives.back().bytes = 32;
  EXPECT_NE(check(plan), std::nullopt);
}

TEST(Check, EveryQueryGroupNeedsOneOwner) {
  Plan plan = make_plan("ring", square_problem(30, MaskKind::full), {.workers = 3});
  plan.workers[2].q_groups = {2};  // as before, but now its workers are spelt out and checked
  EXPECT_EQ(check(plan), std::nullopt);
  plan.workers[2].q_groups = {0, 2};
  EXPECT_THAT(check(plan).value(), HasSubstr("query group 0 has two owners, workers 0 and 2"));
  // The first queries see no key under this mask, so no worker computes with their group.
  const Problem more_queries =
      make_problem({1, 2, 1, 30, 10, 8, 8}, MaskKind::causal, DType::f32, 1);
  plan = make_plan("ring", more_queries, {.workers = 3});
  ASSERT_EQ(check(plan), std::nullopt);
  plan.workers[0].q_groups.clear();
  EXPECT_THAT(check(plan).value(), HasSubstr("query group 0 has no owner"));
}

TEST(Check, AnAllReduceMustGiveEveryWorkerEveryShare) {
  constexpr int kWorkers = 5;
  const Problem problem = make_problem({1, 2, 1, 1, 30, 8, 8}, MaskKind::full, DType::f32, 1);
  for (const TensorRole what :
       {TensorRole::row_max, TensorRole::denominator, TensorRole::numerator})
    for (int to = 0; to < kWorkers; ++to) {
      Plan plan = make_plan("tree_decode", problem, {.workers = kWorkers});
      ASSERT_EQ(check(plan), std::nullopt);
      // Its last message of the tensor is lost: the one that adds the most.
      Worker& worker = plan.workers[static_cast<std::size_t>(to)];
      const auto is_of = [&](const Transfer& t) { return t.what == what; };
      for (std::size_t s = worker.steps.size(); s-- > 0;) {
        const auto found = std::ranges::find_if(worker.steps[s].receives, is_of);
        if (found == worker.steps[s].receives.end()) continue;
        const int from = found->peer;
        worker.steps[s].receives.erase(found);
        std::erase_if(plan.workers[static_cast<std::size_t>(from)].steps[s - 1].sends,
                      [&](const Transfer& t) { return is_of(t) && t.peer == to; });
        break;
      }
      EXPECT_THAT(check(plan).value(),
                  testing::AllOf(HasSubstr("of 5 shares of the "), HasSubstr(word(what))))
          << to;
      // Worker 0 sums, so all have what it has.
      EXPECT_THAT(
          check(plan).value(),
          HasSubstr(to == 0 ? "worker 0 has 4 of 5" : "worker " + std::to_string(to) + " has "));
    }
}

// Where brute force shows that a mutation of a task changes the pairs, the checker must notice it.
TEST(Check, AgreesWithBruteForceUnderRandomDamage) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  int damaged = 0;
  for (int round = 0; round < 300; ++round) {
    const auto mask = round % 2 == 0 ? MaskKind::causal : MaskKind::full;
    Plan plan = make_plan("cqs", square_problem(9 + round % 17, mask), {7 + round % 3, {}});
    for (Worker& worker : plan.workers) {  // so that residency is never the fault
      for (int g = 0; g < static_cast<int>(plan.q_groups.size()); ++g) {
        if (g == 0) worker.q_groups.clear(), worker.kv_groups.clear();
        worker.q_groups.push_back(g);
        worker.kv_groups.push_back(g);
      }
    }
    auto& worker = plan.workers[random() % plan.workers.size()];
    auto& tasks = worker.steps[0].tasks;
    PairTask& task = tasks[random() % tasks.size()];
    switch (random() % 4) {
      case 0:
        task.q_group = static_cast<int>(random() % plan.q_groups.size());
        break;
      case 1:
        task.kv_group = static_cast<int>(random() % plan.kv_groups.size());
        break;
      case 2:
        tasks.push_back(task);
        break;
      default:
        task.allowed = Allowed::causal;
        task.offset = static_cast<int>(random() % 5) - 2;
    }
    const bool exact = covers_exactly_once(plan);
    damaged += exact ? 0 : 1;
    if (!exact) {
      EXPECT_NE(check(plan), std::nullopt) << "round " << round;
    }
  }
  EXPECT_GT(damaged, 100);
}

}  // namespace
}  // namespace qb
