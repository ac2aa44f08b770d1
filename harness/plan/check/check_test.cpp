// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

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
  std::vector<PairTask>& tasks = plan.workers[0].steps[0].tasks;
  tasks.push_back(tasks[0]);
  tasks[0].heads = {0, 0};
  tasks[1].heads = {0, 2};
  EXPECT_THAT(check(plan).value(), HasSubstr("head 0 is computed by no worker"));
  tasks[0].heads = {1, 2};
  EXPECT_THAT(check(plan).value(), HasSubstr("computed twice, by workers 0 and 0"));
  tasks[1].heads = {0, 1};
  EXPECT_EQ(check(plan), std::nullopt);
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

TEST(Check, AGroupLiesWithinOnePackedSequence) {
  const Problem problem =
      make_packed_problem({1, 2, 1, 0, 0, 8, 8}, MaskKind::full, DType::f32, 1, {{0, 6}, {0, 4}});
  Plan plan = make_plan("dense", problem, {});
  ASSERT_EQ(check(plan), std::nullopt);
  // The task takes all queries for the first sequence's, since the first of them is.
  plan.q_groups = {{0, 10, 1}};
  plan.workers[0].q_groups = {0};
  plan.workers[0].steps[0].tasks = {{0, 0, {0, 2}, Allowed::all, 0}};
  EXPECT_EQ(check(plan).value(), "query group 0 crosses from one packed sequence into the next");
  plan = make_plan("dense", problem, {});
  plan.kv_groups = {{0, 5, 1}, {5, 5, 1}};
  EXPECT_EQ(check(plan).value(), "key group 1 crosses from one packed sequence into the next");
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
  // Two groups of one residue.
  plan.q_groups = {{0, 2, 2}, {1, 3, 2}, {4, 1, 2}};
  plan.workers[0].q_groups = {0, 1, 2};
  plan.workers[0].steps[0].tasks.push_back({2, 0, {0, 2}, Allowed::all, 0});
  EXPECT_EQ(check(plan), std::nullopt);
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

TEST(Check, AnAllReduceIsMadeOfItsOwnMessages) {
  const Problem problem = make_problem({1, 2, 1, 1, 30, 8, 8}, MaskKind::full, DType::f32, 1);
  Plan plan = make_plan("tree_decode", problem, {.workers = 2});
  plan.workers[0].steps[1].receives[0].kind = TransferKind::p2p;
  EXPECT_EQ(check(plan).value(), "worker 0 has 1 of 2 shares of the row_max at the end");
}

// Returns what the checker says of a plan for 4 workers after a change.
template <class Change>
std::string check_after(std::string_view algorithm, const Change& change,
                        MaskKind mask = MaskKind::full) {
  Plan plan = make_plan(algorithm, square_problem(40, mask), {.workers = 4});
  EXPECT_EQ(check(plan), std::nullopt);
  change(plan, plan.workers.spell_out()[1]);
  return check(plan).value_or("accepted");
}

std::vector<Transfer>::iterator first_transfer_of(std::vector<Transfer>& transfers,
                                                  TensorRole what) {
  return std::ranges::find(transfers, what, &Transfer::what);
}

TEST(Check, WorkersHoldTheirGroupsInAscendingOrder) {
  const auto unordered = HasSubstr("worker 1 does not hold its groups in ascending order");
  const auto reverse = [](std::vector<int>& groups) { std::ranges::reverse(groups); };
  EXPECT_THAT(check_after("zigzag", [&](Plan&, Worker& w) { reverse(w.q_groups); }), unordered);
  EXPECT_THAT(check_after("zigzag", [&](Plan&, Worker& w) { reverse(w.kv_groups); }), unordered);
}

TEST(Check, TransfersNameListsAndWorkersThatExist) {
  const auto no_list = HasSubstr("worker 1 step 1: a transfer names a list that does not exist");
  for (const int list : {-1, 8})
    for (const bool sent : {false, true})
      EXPECT_THAT(check_after("ring",
                              [&](Plan& plan, Worker& w) {
                                ASSERT_EQ(plan.group_lists.size(), 8u);
                                Step& step = w.steps[1];
                                (sent ? step.sends : step.receives).back().groups = list;
                              }),
                  no_list);
  for (const int peer : {-3, 4, 1})  // worker 1 is none for itself: p2p is not a collective
    for (const bool sent : {false, true})
      EXPECT_EQ(check_after("ring",
                            [&](Plan&, Worker& w) {
                              Step& step = w.steps[1];
                              (sent ? step.sends : step.receives).back().peer = peer;
                            }),
                "worker 1 step 1: peer " + std::to_string(peer) + " is not another worker");
}

TEST(Check, AWorkerComputesWithWhatItHoldsAtThatStep) {
  for (const TensorRole what : {TensorRole::k, TensorRole::v})
    EXPECT_EQ(check_after("ring",
                          [&](Plan&, Worker& w) {
                            w.steps[1].receives.erase(first_transfer_of(w.steps[1].receives, what));
                          }),
              "worker 1 step 1: computes with key group 0 that it does not hold");
  for (const Range& heads : {Range{0, 1}, Range{1, 2}})  // its task is of both
    EXPECT_EQ(check_after("ring", [&](Plan&, Worker& w) { w.steps[1].receives[0].heads = heads; }),
              "worker 1 step 1: computes with key group 0 that it does not hold");
  // What came from one worker to another is kept for one step.
  EXPECT_EQ(
      check_after("ring",
                  [](Plan&, Worker& w) { w.steps[2].tasks.push_back(w.steps[1].tasks.back()); }),
      "worker 1 step 2: computes with key group 0 that it does not hold");
  EXPECT_EQ(check_after("pass_q",
                        [](Plan&, Worker& w) {
                          w.steps[1].receives.erase(
                              first_transfer_of(w.steps[1].receives, TensorRole::q));
                        }),
            "worker 1 step 1: computes with query group 0 that it does not hold");
  for (const Range& heads : {Range{0, 1}, Range{1, 2}})  // its tasks are of both
    EXPECT_THAT(check_after("cqs", [&](Plan&, Worker& w) { w.heads = heads; }),
                HasSubstr("worker 1 step 0: computes with query group "));
}

TEST(Check, AWorkerSendsWhatItHoldsAtThatStep) {
  for (const TensorRole what : {TensorRole::k, TensorRole::v}) {
    const std::string name(word(what));
    EXPECT_EQ(
        check_after("ring",
                    [&](Plan&, Worker& w) { ++first_transfer_of(w.steps[0].sends, what)->groups; }),
        "worker 1 step 0: sends " + name + " of group 2 that it does not hold");
    EXPECT_EQ(check_after("ring",
                          [&](Plan&, Worker& w) {
                            *first_transfer_of(w.steps[2].sends, what) =
                                *first_transfer_of(w.steps[1].sends, what);
                          }),
              "worker 1 step 2: sends " + name + " of group 0 that it does not hold");
  }
}

TEST(Check, AGroupOfKeysIsNotReadBeforeItIsThere) {
  const Problem problem = make_packed_problem({1, 2, 1, 1, 1, 8, 8}, MaskKind::causal, DType::f32,
                                              1, {{20, 3}, {9, 2}});
  Plan plan = make_plan("decode", problem, {.workers = 2});
  ASSERT_EQ(check(plan), std::nullopt);
  const auto last = std::ranges::max_element(plan.kv_first_step);
  ++*last;
  EXPECT_THAT(check(plan).value(),
              testing::AllOf(HasSubstr(" before there is one"),
                             HasSubstr("step " + std::to_string(*last - 1) +
                                       ": computes with key "
                                       "group " +
                                       std::to_string(last - plan.kv_first_step.begin()))));
}

TEST(Check, EveryPartialOfForeignQueriesReachesItsOwnerOnce) {
  const auto returned = [](Worker& w) -> std::vector<Transfer>& { return w.steps[3].sends; };
  EXPECT_EQ(check_after("pass_q",
                        [&](Plan&, Worker& w) {
                          ASSERT_EQ(returned(w).size(), 3u);
                          std::erase_if(returned(w), [](const Transfer& t) { return t.peer == 0; });
                        }),
            "worker 1: its partial of query group 0 reaches its owner 0 times");
  EXPECT_EQ(
      check_after("pass_q",
                  [&](Plan&, Worker& w) {
                    returned(w).push_back(*std::ranges::find(returned(w), 0, &Transfer::peer));
                  }),
      "worker 1: its partial of query group 0 reaches its owner 2 times");
  EXPECT_EQ(check_after("pass_q",
                        [&](Plan&, Worker& w) {
                          std::ranges::find(returned(w), 0, &Transfer::peer)->peer = 3;
                        }),
            "worker 1 step 3: sends its partial of query group 0 to worker 3, which does not own "
            "it");
  EXPECT_EQ(check_after("pass_q",
                        [&](Plan&, Worker& w) {
                          w.steps.resize(5);  // the queries of worker 0 come again
                          w.steps[4].receives = w.steps[1].receives;
                          for (Transfer& t : w.steps[4].receives) t.until = 4;
                          w.steps[4].tasks = w.steps[1].tasks;
                        }),
            "worker 1 step 4: computes for query group 0 whose partial it has sent already");
}

TEST(Check, APartialIsSentWholeAndToItsOwner) {
  const auto verdict = [](const auto& change) {
    return check_after("pass_q", [&](Plan&, Worker& w) {
      change(*std::ranges::find(w.steps[3].sends, 0, &Transfer::peer));
    });
  };
  for (const int nobody : {-3, 4})
    EXPECT_THAT(verdict([&](Transfer& t) { t.peer = nobody; }),
                HasSubstr("to worker " + std::to_string(nobody) + ", which does not own it"));
  EXPECT_EQ(verdict([](Transfer& t) {
              t.heads = {0, 1};
            }),
            "worker 1: some heads of its partial of query group 0 do not reach their owner once");
}

TEST(Check, ARootGathersTheOwnPartialsOfAWorkerOnceAndLast) {
  const auto gathers = [](int times) {
    return "worker 1: its partials are gathered " + std::to_string(times) + " times";
  };
  EXPECT_EQ(check_after("cqs", [](Plan&, Worker& w) { w.steps[0].sends.clear(); }), gathers(0));
  EXPECT_EQ(
      check_after("cqs",
                  [](Plan&, Worker& w) { w.steps[0].sends.push_back(w.steps[0].sends.back()); }),
      gathers(2));
  EXPECT_EQ(check_after("cqs",  // some groups are not all
                        [](Plan& plan, Worker& w) {
                          plan.group_lists.push_back({0});
                          w.steps[0].sends.back().groups =
                              static_cast<int>(plan.group_lists.size()) - 1;
                        }),
            gathers(0));
  EXPECT_EQ(check_after("cqs",
                        [](Plan&, Worker& w) {
                          w.steps.resize(2);
                          w.steps[1].tasks = {w.steps[0].tasks.back()};
                          w.steps[0].tasks.pop_back();
                        }),
            "worker 1 step 1: computes after its partials were gathered");
}

TEST(Check, TasksNameGroupsThatExist) {
  for (const int group : {-1, 4}) {
    const std::string name = std::to_string(group);
    EXPECT_EQ(check_after("ring", [&](Plan&, Worker& w) { w.steps[0].tasks[0].q_group = group; }),
              "worker 1 step 0: task (" + name + ", 1) names a group that does not exist");
    EXPECT_EQ(check_after("ring", [&](Plan&, Worker& w) { w.steps[0].tasks[0].kv_group = group; }),
              "worker 1 step 0: task (1, " + name + ") names a group that does not exist");
  }
}

TEST(Check, GroupsHaveAPlaceASizeAndOneStride) {
  const auto verdict = [](const TokenGroup& group) {
    return check_after("ring", [&](Plan& plan, Worker&) { plan.kv_groups[2] = group; });
  };
  EXPECT_EQ(verdict({-1, 10, 1}), "a key group has first -1, count 10, stride 1");
  EXPECT_EQ(verdict({20, -1, 1}), "a key group has first 20, count -1, stride 1");
  EXPECT_EQ(verdict({20, 10, 0}), "a key group has first 20, count 10, stride 0");
  EXPECT_EQ(verdict({20, 10, 2}), "key groups have strides 1 and 2");
  EXPECT_EQ(verdict({20, 0, 7}), "key token 20 is in no group") << "an empty one has no stride";
  EXPECT_EQ(verdict({19, 11, 1}), "key token 19 is in two groups");
  EXPECT_EQ(verdict({21, 9, 1}), "key token 20 is in no group");
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
