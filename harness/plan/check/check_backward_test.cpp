// SPDX-License-Identifier: Apache-2.0
// What check() says of backward plans that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/gradient_play.h"
#include "harness/plan/testing/random_plans.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::adds_exactly_once;
using testing_support::square_problem;
using Transfers = std::vector<Transfer>;

// Four workers, of which each has one head in `ulysses` and a contiguous shard in `ring`: group w.
Plan sample(std::string_view algorithm) {
  const Problem problem = make_problem({1, 4, 4, 40, 40, 8, 8}, MaskKind::full, DType::f32, 1);
  return make_plan(algorithm, problem, {.workers = 4, .pass = Pass::backward});
}

// Returns what the checker says of a plan after a change, which brute force must find wrong too.
template <class Change>
std::string verdict_after(std::string_view algorithm, const Change& change) {
  Plan plan = sample(algorithm);
  EXPECT_EQ(check(plan), std::nullopt);
  EXPECT_TRUE(adds_exactly_once(plan));
  change(plan, plan.workers.spell_out());
  EXPECT_FALSE(adds_exactly_once(plan));
  return check(plan).value_or("accepted");
}

Transfers::iterator transfer_of(Transfers& transfers, TensorRole what) {
  return std::ranges::find(transfers, what, &Transfer::what);
}

// In a ring worker 1 sends to worker 2. Takes a message of the tensor out of both of their steps.
void lose_hop(std::vector<Worker>& workers, std::size_t step, TensorRole what) {
  Transfers& sends = workers[1].steps[step].sends;
  Transfers& receives = workers[2].steps[step + 1].receives;
  sends.erase(transfer_of(sends, what));
  receives.erase(transfer_of(receives, what));
}

TEST(CheckBackward, AGradientThatIsNotSentOnIsLost) {
  // In step s worker 1 of `ring` computes with the keys of worker 1 - s and sends them on.
  for (const TensorRole what : {TensorRole::d_k, TensorRole::d_v}) {
    const std::string name(word(what));
    EXPECT_EQ(verdict_after("ring", [&](Plan&, auto& workers) { lose_hop(workers, 1, what); }),
              "worker 1: its " + name + " of key group 0 never reaches its owner");
    EXPECT_EQ(verdict_after("ring", [&](Plan&, auto& workers) { lose_hop(workers, 3, what); }),
              "worker 1: its " + name + " of key group 2 never reaches its owner")
        << "the hop that brings it home";
  }
  EXPECT_EQ(
      verdict_after("burst", [](Plan&, auto& workers) { lose_hop(workers, 1, TensorRole::d_q); }),
      "worker 1: its dQ of query group 0 never reaches its owner");
  EXPECT_EQ(verdict_after("ulysses",
                          [](Plan&, auto& workers) {
                            const auto to_0 = [](const Transfer& t) {
                              return t.what == TensorRole::d_v && t.peer == 0;
                            };
                            const auto from_1 = [](const Transfer& t) {
                              return t.what == TensorRole::d_v && t.peer == 1;
                            };
                            std::erase_if(workers[1].steps[1].sends, to_0);
                            std::erase_if(workers[0].steps[2].receives, from_1);
                          }),
            "worker 1: its dV of key group 0 never reaches its owner");
}

TEST(CheckBackward, AnOwnersFirstSumMayStayAtHome) {
  Plan plan = sample("ring");  // the ring then carries the parts of the others only
  lose_hop(plan.workers.spell_out(), 0, TensorRole::d_k);
  EXPECT_EQ(check(plan), std::nullopt);
  EXPECT_TRUE(adds_exactly_once(plan));
}

TEST(CheckBackward, AGradientIsSentOnce) {
  EXPECT_EQ(verdict_after("ring",
                          [](Plan&, auto& workers) {
                            Transfers& sends = workers[1].steps[1].sends;
                            Transfers& receives = workers[2].steps[2].receives;
                            sends.push_back(*transfer_of(sends, TensorRole::d_k));
                            receives.push_back(*transfer_of(receives, TensorRole::d_k));
                          }),
            "worker 1 step 1: sends dK of key group 0 a second time");
  EXPECT_THAT(
      verdict_after("cqs",
                    [](Plan&, auto& workers) {
                      Transfers& sends = workers[1].steps[0].sends;
                      sends.push_back(*transfer_of(sends, TensorRole::d_q));
                    }),
      AllOf(HasSubstr("worker 1 step 0: sends dQ of query group "), HasSubstr(" a second time")));
}

TEST(CheckBackward, ATaskDoesNotReadTheKeysOfAnEarlierHopAgain) {
  EXPECT_EQ(verdict_after("ring",
                          [](Plan&, auto& workers) { workers[1].steps[1].tasks[0].kv_group = 1; }),
            "worker 1 step 1: adds to dK of key group 1 that it has sent");
  EXPECT_EQ(verdict_after("ring",
                          [](Plan&, auto& workers) { workers[1].steps[2].tasks[0].kv_group = 0; }),
            "worker 1 step 2: computes with key group 0 that it does not hold");
}

TEST(CheckBackward, AGradientIsSentWhenTheWorkerHasAddedItsPart) {
  EXPECT_EQ(verdict_after("all_gather_kv",
                          [](Plan&, auto& workers) {
                            std::vector<PairTask>& tasks = workers[1].steps[1].tasks;
                            const auto late = std::ranges::stable_partition(
                                tasks, [](const PairTask& task) { return task.kv_group != 0; });
                            workers[1].steps[2].tasks.assign(late.begin(), late.end());
                            tasks.erase(late.begin(), late.end());
                          }),
            "worker 1 step 2: adds to dK of key group 0 that it has sent");
}

TEST(CheckBackward, AGradientArrivesBeforeItsReceiverSendsItOn) {
  EXPECT_EQ(verdict_after("ring",
                          [](Plan&, auto& workers) {
                            const Transfer sent =
                                *transfer_of(workers[1].steps[1].sends, TensorRole::d_k);
                            const Transfer came =
                                *transfer_of(workers[2].steps[2].receives, TensorRole::d_k);
                            lose_hop(workers, 1, TensorRole::d_k);
                            workers[1].steps[2].sends.push_back(sent);
                            workers[2].steps[3].receives.push_back(came);
                          }),
            "worker 2: its dK of key group 0 never reaches its owner");
}

TEST(CheckBackward, AWorkerSendsTheGradientsThatItHas) {
  const auto of_worker_2 = [](Transfer& transfer) { transfer.groups += 2; };
  EXPECT_EQ(verdict_after("ring",
                          [&](Plan&, auto& workers) {
                            of_worker_2(*transfer_of(workers[1].steps[1].sends, TensorRole::d_k));
                          }),
            "worker 1 step 1: sends dK of key group 2 that it does not have");
  EXPECT_EQ(verdict_after("ring",
                          [](Plan&, auto& workers) {
                            lose_hop(workers, 1, TensorRole::d_k);
                            Transfer gone =
                                *transfer_of(workers[1].steps[1].sends, TensorRole::d_v);
                            gone.what = TensorRole::d_k;
                            gone.peer = kRoot;
                            workers[1].steps[1].sends.push_back(gone);
                          }),
            "worker 1 step 1: sends dK of key group 0 to the root, but its owner adds it up");
}

TEST(CheckBackward, ATaskReadsAllInputsOfItsQueriesAndKeys) {
  for (const TensorRole what : kQueryInputs)
    EXPECT_EQ(verdict_after("burst",
                            [&](Plan&, auto& workers) {
                              Transfers& receives = workers[1].steps[1].receives;
                              receives.erase(transfer_of(receives, what));
                            }),
              "worker 1 step 1: computes with query group 0 that it does not hold");
  for (const TensorRole what : kKeyInputs)
    EXPECT_EQ(verdict_after("ring",
                            [&](Plan&, auto& workers) {
                              Transfers& receives = workers[1].steps[1].receives;
                              receives.erase(transfer_of(receives, what));
                            }),
              "worker 1 step 1: computes with key group 0 that it does not hold");
  EXPECT_EQ(verdict_after("ulysses", [](Plan&, auto& workers) { workers[1].saved = {}; }),
            "worker 1 step 1: computes with query group 0 that it does not hold");
}

TEST(CheckBackward, TheRootGathersEverySum) {
  for (const TensorRole what : kGradients)
    EXPECT_THAT(verdict_after("cqs",
                              [&](Plan&, auto& workers) {
                                Transfers& sends = workers[1].steps[0].sends;
                                sends.erase(transfer_of(sends, what));
                              }),
                AllOf(HasSubstr("worker 1: its " + std::string(word(what)) + " of "),
                      HasSubstr("never reaches the root")));
}

TEST(CheckBackward, ABlockIsComputedOnceAsInAForwardPlan) {
  EXPECT_EQ(verdict_after("ring", [](Plan&, auto& workers) { workers[1].steps[0].tasks.clear(); }),
            "block (1, 1): computed by no worker");
  EXPECT_EQ(verdict_after("ring",
                          [](Plan&, auto& workers) {
                            std::vector<PairTask>& tasks = workers[1].steps[0].tasks;
                            tasks.push_back(tasks[0]);
                          }),
            "block (1, 1) is computed twice, by workers 1 and 1");
}

TEST(CheckBackward, GradientsHaveOneOwner) {
  Plan plan = sample("ring");
  plan.workers[2].kv_groups = {0, 2};
  EXPECT_EQ(check(plan).value(), "key group 0 has two owners, workers 0 and 2");
  plan = sample("ring");
  plan.result = Result::everyone;
  EXPECT_EQ(check(plan).value(),
            "a backward plan adds gradients up at the root or at their owners, not elsewhere");
}

TEST(CheckBackward, APassHasItsOwnTensors) {
  Plan plan = sample("ring");
  transfer_of(plan.workers[1].steps[1].sends, TensorRole::d_k)->what = TensorRole::partial;
  EXPECT_EQ(check(plan).value(), "worker 1 step 1: partial is not a tensor of a backward pass");
  plan = sample("ring");
  plan.pass = Pass::forward;
  EXPECT_EQ(check(plan).value(), "worker 0 step 0: dK is not a tensor of a forward pass");
  plan = make_plan("ring", square_problem(40, MaskKind::full), {.workers = 4});
  plan.pass = Pass::backward;
  EXPECT_EQ(check(plan).value(), "worker 0: its dK of key group 1 never reaches its owner");
}

TEST(CheckBackward, HeadsOfAGradientAreSharedOutWhole) {
  Plan plan = make_plan("dense", square_problem(5, MaskKind::full), {.pass = Pass::backward});
  std::vector<PairTask>& tasks = plan.workers[0].steps[0].tasks;
  tasks = {{0, 0, {0, 1}, Allowed::all, 0}, {0, 0, {0, 2}, Allowed::all, 0}};
  EXPECT_EQ(check(plan).value(),
            "worker 0 step 0: two sums of dQ of query group 0 share some heads");
  tasks = {{0, 0, {0, 1}, Allowed::all, 0}, {0, 0, {1, 2}, Allowed::all, 0}};
  EXPECT_EQ(check(plan), std::nullopt) << "they share a key-value head, whose sums are one";
  EXPECT_TRUE(adds_exactly_once(plan));
}

struct Sent {
  std::size_t worker;
  std::size_t step;
  std::size_t at;
};

std::vector<Sent> sends_of(const std::vector<Worker>& workers) {
  std::vector<Sent> all;
  for (std::size_t w = 0; w < workers.size(); ++w)
    for (std::size_t s = 0; s < workers[w].steps.size(); ++s)
      for (std::size_t i = 0; i < workers[w].steps[s].sends.size(); ++i)
        if (workers[w].steps[s].sends[i].peer != kRoot) all.push_back({w, s, i});
  return all;
}

// Loses a message, sends it twice, sends it a step later, sends other groups, holds it until
// another step, or receives it later than it is sent, at both ends.
void damage_message(Plan& plan, const Sent& sent, std::mt19937_64& random) {
  std::vector<Worker>& workers = plan.workers.spell_out();
  const Transfer transfer = workers[sent.worker].steps[sent.step].sends[sent.at];
  const std::size_t arrival = sent.step + static_cast<std::size_t>(transfer.delay);
  const auto to = static_cast<std::size_t>(transfer.peer);
  Transfer seen = transfer;
  seen.peer = static_cast<int>(sent.worker);
  for (const std::size_t w : {sent.worker, to})
    workers[w].steps.resize(std::max(workers[w].steps.size(), arrival + 2));
  Transfers& sends = workers[sent.worker].steps[sent.step].sends;
  Transfers& receives = workers[to].steps[arrival].receives;
  const auto received = std::ranges::find_if(receives, [&](const Transfer& t) {
    return t.peer == seen.peer && t.what == seen.what && t.groups == seen.groups;
  });
  ASSERT_NE(received, receives.end());
  const auto way = random() % 6;
  if (way == 0) {
    sends.push_back(transfer);
    receives.push_back(seen);
  } else if (way == 4) {
    sends[sent.at].until = received->until = static_cast<int>(random() % (arrival + 2));
  } else if (way == 5) {
    ++sends[sent.at].delay;
    Transfer later = *received;
    receives.erase(received);
    ++later.delay;
    workers[to].steps[arrival + 1].receives.push_back(later);
  } else if (way == 1) {
    const auto list = static_cast<int>(random() % plan.group_lists.size());
    const std::size_t n_groups =
        (is_of_keys(transfer.what) ? plan.kv_groups : plan.q_groups).size();
    for (int group : plan.group_lists[static_cast<std::size_t>(list)])
      if (static_cast<std::size_t>(group) >= n_groups) return;
    sends[sent.at].groups = received->groups = list;
  } else {
    sends.erase(sends.begin() + static_cast<std::ptrdiff_t>(sent.at));
    receives.erase(received);
    if (way == 2) return;
    workers[sent.worker].steps[sent.step + 1].sends.push_back(transfer);
    workers[to].steps[arrival + 1].receives.push_back(seen);
  }
}

// Drops a task, moves it to another step, or computes another block in its place.
void damage_task(Plan& plan, std::mt19937_64& random) {
  Worker& worker = plan.workers.spell_out()[random() % plan.workers.size()];
  Step& step = worker.steps[random() % worker.steps.size()];
  if (step.tasks.empty()) return;
  const std::size_t at = random() % step.tasks.size();
  const PairTask task = step.tasks[at];
  switch (random() % 4) {
    case 0:
      step.tasks[at].q_group = static_cast<int>(random() % plan.q_groups.size());
      break;
    case 1:
      step.tasks[at].kv_group = static_cast<int>(random() % plan.kv_groups.size());
      break;
    case 2:
      step.tasks.erase(step.tasks.begin() + static_cast<std::ptrdiff_t>(at));
      worker.steps[random() % worker.steps.size()].tasks.push_back(task);
      break;
    default:
      step.tasks.erase(step.tasks.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

// Where brute force shows that the gradients are wrong after a change, the checker must notice it.
TEST(CheckBackward, AgreesWithBruteForceUnderRandomDamage) {
  int damaged = 0;
  const auto attempt = [&](const Plan& drawn, std::mt19937_64& random) {
    Plan plan = drawn;
    const std::vector<Sent> sends = sends_of(plan.workers.spell_out());
    if (random() % 3 == 0 || sends.empty())
      damage_task(plan, random);
    else
      damage_message(plan, sends[random() % sends.size()], random);
    if (adds_exactly_once(plan)) return;
    ++damaged;
    ASSERT_NE(check(plan), std::nullopt);
  };
  (void)testing_support::for_random_plans(700, attempt, std::random_device{}(), Pass::backward);
  EXPECT_GT(damaged, 100);
}

}  // namespace
}  // namespace qb
