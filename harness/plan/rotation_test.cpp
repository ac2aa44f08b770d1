// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/rotation.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "harness/plan/check/check.h"
#include "harness/plan/representatives.h"
#include "harness/plan/testing/random_plans.h"
#include "harness/plan/testing/spelt_plans.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing_support::any_grid;
using testing_support::draw;
using testing_support::kRotating;
using testing_support::plain_problem_for;
using testing_support::rotating_problem_for;
using testing_support::spelt_out;
using testing_support::spelt_plan;

std::vector<std::string_view> all_that_rotate() {
  std::vector<std::string_view> all(std::begin(kRotating), std::end(kRotating));
  for (int i = 0; i < 4; ++i) all.push_back("grid");  // of several shapes
  return all;
}

// Calls attempt(plan) for random plans that rotate, with shards of equal and of different sizes.
template <class Attempt>
void for_rotating_plans(int rounds, const Attempt& attempt, Pass pass = Pass::forward,
                        const std::vector<std::string_view>& algorithms = all_that_rotate()) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds && !testing::Test::HasFatalFailure(); ++round)
    for (const std::string_view algorithm : algorithms) {
      const int workers = static_cast<int>(draw(random, 1, algorithm == "grid" ? 16 : 9));
      const Problem problem = round % 2 == 0 ? plain_problem_for(algorithm, workers, random)
                                             : rotating_problem_for(algorithm, random);
      Plan plan;
      try {
        plan = make_plan(
            algorithm, problem,
            {.workers = workers,
             .new_key_owner = random() % 2 == 0 ? NewKeyOwner::fixed : NewKeyOwner::round_robin,
             .keys = algorithm == "grid" ? grid_keys(any_grid(workers, random)) : StrategyKeys(),
             .pass = pass});
      } catch (const Unsupported&) {
        continue;
      }
      SCOPED_TRACE(testing::Message() << "round " << round << ": " << describe(plan));
      attempt(plan, random);
    }
}

TEST(Rotation, MakesTheWorkersOfTheSpeltOutPlan) {
  const auto is_spelt_plan = [](const Plan& plan, std::mt19937_64&) {
    const int workers = static_cast<int>(plan.workers.size());
    const Plan spelt = spelt_plan(plan.algorithm, plan.problem, workers);
    ASSERT_NE(plan.workers.rotation(), nullptr);
    ASSERT_EQ(plan.q_groups, spelt.q_groups);
    ASSERT_EQ(plan.kv_groups, spelt.kv_groups);
    ASSERT_EQ(plan.group_lists, spelt.group_lists);
    for (std::size_t w = 0; w < plan.workers.size(); ++w) {
      ASSERT_EQ(plan.workers[w], spelt.workers[w]) << "worker " << w;
      const Worker share = plan.workers.share(w);
      ASSERT_EQ(share.q_groups, spelt.workers[w].q_groups);
      ASSERT_EQ(share.kv_groups, spelt.workers[w].kv_groups);
      ASSERT_TRUE(share.steps.empty());
    }
  };
  for_rotating_plans(60, is_spelt_plan, Pass::forward,
                     {std::begin(kRotating), std::end(kRotating)});
}

TEST(Rotation, AChangeSpellsTheWorkersOut) {
  Plan plan = make_plan("ring", testing_support::square_problem(20, MaskKind::causal), {4, {}});
  const Plan copy = plan;
  plan.workers[2].steps[0].tasks.clear();
  EXPECT_EQ(plan.workers.rotation(), nullptr);
  EXPECT_NE(check(plan), std::nullopt);
  EXPECT_NE(copy.workers.rotation(), nullptr);  // the copy is unchanged
  EXPECT_EQ(check(copy), std::nullopt);
}

TEST(Rotation, IsProvedFromOneWorker) {
  for (const Pass pass : {Pass::forward, Pass::backward})
    for_rotating_plans(
        40,
        [](const Plan& plan, std::mt19937_64&) {
          ASSERT_TRUE(proved_by_rotation(plan));
          ASSERT_EQ(check(spelt_out(plan)), std::nullopt);
        },
        pass);
}

// Returns the plan with a changed rule, and with the lists of groups of that rule.
template <class Change>
Plan with_rule(const Plan& plan, const Change& change) {
  Rotation changed = *plan.workers.rotation();
  change(changed);
  const auto rule = std::make_shared<const Rotation>(std::move(changed));
  Plan out = plan;
  out.group_lists = rule->group_lists;
  out.workers = Workers(
      rule->workers(), [rule](int w, Workers::Parts parts) { return rule->worker(w, parts); },
      rule);
  return out;
}

TEST(Rotation, IsNoProofIfAGroupIsInNoShardOrInTwoOrOutOfOrder) {
  const Plan plan =
      make_plan("zigzag", testing_support::square_problem(24, MaskKind::causal), {.workers = 3});
  ASSERT_EQ(plan.group_lists[0], (std::vector<int>{0, 5}));
  for (const std::size_t first : {0u, 3u}) {  // the shards of queries, and those of keys
    const auto is_proved = [&](const std::vector<int>& shard) {
      return proved_by_rotation(
          with_rule(plan, [&](Rotation& rule) { rule.group_lists[first] = shard; }));
    };
    EXPECT_TRUE(is_proved({0, 5}));
    EXPECT_FALSE(is_proved({5, 0}));
    EXPECT_FALSE(is_proved({0}));
    EXPECT_FALSE(is_proved({0, 4})) << "another shard has 4, and none has 5";
    EXPECT_FALSE(is_proved({0, 6}));
    EXPECT_FALSE(is_proved({-1, 5}));
    EXPECT_FALSE(is_proved({0, 4, 5}));
  }
}

TEST(Rotation, IsNoProofOfShardsThatDoNotExistOrOfSendsThatNobodyReceives) {
  const Plan plan =
      make_plan("ring", testing_support::square_problem(24, MaskKind::causal), {.workers = 3});
  for (const int shard : {-2, 3}) {
    EXPECT_FALSE(
        proved_by_rotation(with_rule(plan, [&](Rotation& r) { r.steps[0].tasks[0].q = shard; })));
    EXPECT_FALSE(
        proved_by_rotation(with_rule(plan, [&](Rotation& r) { r.steps[0].tasks[0].kv = shard; })));
  }
  EXPECT_FALSE(proved_by_rotation(
      with_rule(plan, [](Rotation& r) { r.steps.back().sends = r.steps[0].sends; })));
  EXPECT_FALSE(proved_by_rotation(
      with_rule(plan, [](Rotation& r) { r.steps[0].receives = r.steps[1].receives; })));
}

constexpr std::size_t kTensors = kWords<TensorRole>.rows.size();

void damage_transfer(std::vector<Transfer>& transfers, std::mt19937_64& random, int workers,
                     int n_lists) {
  if (transfers.empty()) return;
  const std::size_t at = random() % transfers.size();
  Transfer& transfer = transfers[at];
  switch (random() % 8) {
    case 6:
      transfer.delay = static_cast<int>(draw(random, 0, 4));
      break;
    case 7:
      transfer.until = static_cast<int>(draw(random, 0, 9));
      break;
    case 0:
      transfer.peer = static_cast<int>(draw(random, 0, workers - 1));
      break;
    case 1:
      transfer.groups = static_cast<int>(draw(random, 0, n_lists - 1));
      break;
    case 2:
      transfer.what = static_cast<TensorRole>(random() % kTensors);
      break;
    case 3:
      transfer.kind = random() % 2 == 0 ? TransferKind::p2p : TransferKind::all_to_all;
      break;
    case 4:
      transfers.push_back(transfer);
      break;
    default:
      transfers.erase(transfers.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

PlaceSet any_shard(std::mt19937_64& random, int workers) {
  const int place = static_cast<int>(draw(random, 0, workers));
  if (place < workers && random() % 4 == 0)
    return {random() % 2 == 0 ? 0 : place, static_cast<unsigned>(random() % 9), random() % 2 == 0};
  return place == workers ? kEveryShard : PlaceSet(place);
}

void damage_tasks(std::vector<Rotation::Task>& tasks, std::mt19937_64& random, int workers) {
  if (tasks.empty()) return;
  const std::size_t at = random() % tasks.size();
  switch (random() % 4) {
    case 0:
      tasks[at].q = any_shard(random, workers);
      break;
    case 1:
      tasks[at].kv = any_shard(random, workers);
      break;
    case 2:
      tasks.push_back(tasks[at]);
      break;
    default:
      tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

// After a change to the rule, the proof never accepts what the walk over all workers refuses.
TEST(Rotation, TheProofIsAsStrongAsTheWalkOverAllWorkers) {
  int refused = 0;
  const auto attempt = [&](const Plan& plan, std::mt19937_64& random) {
    const Plan changed = with_rule(plan, [&](Rotation& damaged) {
      Rotation::StepOfZero& step = damaged.steps[random() % damaged.steps.size()];
      if (random() % 3 == 0)
        damage_tasks(step.tasks, random, damaged.workers());
      else
        damage_transfer(random() % 2 == 0 ? step.receives : step.sends, random, damaged.workers(),
                        static_cast<int>(damaged.group_lists.size()));
    });
    const auto walked = check(spelt_out(changed));
    refused += walked ? 1 : 0;
    if (proved_by_rotation(changed)) {
      ASSERT_EQ(walked, std::nullopt);
    }
    ASSERT_EQ(check(changed), walked);
  };
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    refused = 0;
    for_rotating_plans(150, attempt, pass);
    EXPECT_GT(refused, 200) << word(pass);
  }
}

TEST(Rotation, IsNoProofOfOtherGroups) {
  Plan plan = make_plan("ring", testing_support::square_problem(20, MaskKind::causal), {4, {}});
  std::swap(plan.kv_groups[1], plan.kv_groups[2]);  // they still tile the sequence
  EXPECT_FALSE(proved_by_rotation(plan));
  EXPECT_EQ(check(plan), check(spelt_out(plan)));
}

void expect_equal(const Work& a, const Work& b) {
  ASSERT_EQ(a.executed_pairs, b.executed_pairs);
  ASSERT_EQ(a.critical_path_pairs, b.critical_path_pairs);
  ASSERT_EQ(a.longest_subsequence, b.longest_subsequence);
  ASSERT_EQ(a.shortest_subsequence, b.shortest_subsequence);
  ASSERT_EQ(a.bytes_total, b.bytes_total);
  ASSERT_EQ(a.sent_bytes_max, b.sent_bytes_max);
  ASSERT_EQ(a.workers, b.workers);
}

TEST(Representatives, StandForEveryWorkersWork) {
  int even = 0;
  int uneven = 0;
  const auto attempt = [&](const Plan& plan, std::mt19937_64& random) {
    const bool represented = Representatives(plan).follow_rule();
    const auto parts = static_cast<std::int64_t>(2 * plan.workers.size());
    (plan.problem.shape.q_len % parts == 0 ? even : uneven) += represented ? 1 : 0;
    const Kernel kernels[] = {Kernel::reference, Kernel::materialized, Kernel::flash,
                              Kernel::staged};
    const Kernel kernel = kernels[random() % 4];
    expect_equal(model_work(plan, kernel), model_work(spelt_out(plan), kernel));
  };
  for_rotating_plans(90, attempt);
  EXPECT_GT(even, 100);
  EXPECT_GT(uneven, 20);  // of one kind in spite of it
  even = 0;
  for_rotating_plans(40, attempt, Pass::backward);
  EXPECT_GT(even, 50);
}

TEST(Representatives, DoNotStandForMessagesOfDifferentLengths) {
  RotationBuilder builder(testing_support::square_problem(20, MaskKind::causal), "gather", 3,
                          deal_contiguous);
  for (int i = 0; i < 3; ++i) builder.add_task(i, 0, -i);
  for (const int distance : {1, 2})
    for (const TensorRole what : {TensorRole::k, TensorRole::v})
      builder.send(0, distance, TransferKind::all_gather, what, 0);
  const Plan plan = builder.finish();
  ASSERT_EQ(check(plan), std::nullopt);
  expect_equal(model_work(plan, Kernel::flash), model_work(spelt_out(plan), Kernel::flash));
}

}  // namespace
}  // namespace qb
