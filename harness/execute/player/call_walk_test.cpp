#include "harness/execute/player/call_walk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "harness/execute/testing/execute_fixtures.h"
#include "harness/plan/blocks.h"

namespace qb {
namespace {

std::string describe_call(const KernelCall& call, const Plan& plan) {
  std::int64_t pairs = 0;
  for (const PairTask& task : call.tasks) pairs += task_pairs(plan, task);
  return fmt::format("heads {}-{} first {} q {}-{} k {}-{} pairs {}\n", call.heads.begin,
                     call.heads.end, call.first, call.q_begin, call.q_end, call.k_begin, call.k_end,
                     pairs);
}

std::string describe_call(const CallTotals& call) {
  return fmt::format("heads {}-{} first {} q {}-{} k {}-{} pairs {}\n", call.heads.begin,
                     call.heads.end, call.first, call.q_begin, call.q_end, call.k_begin, call.k_end,
                     call.pairs);
}

std::string describe_block(bool of_queries, std::int64_t rows, bool in_one_message) {
  return fmt::format("{} of {} rows{}\n", of_queries ? "Q" : "KV", rows,
                     in_one_message ? " in one message" : "");
}

std::string describe_message(int peer, bool late, std::size_t n_parts) {
  return fmt::format("message with {}{}, {} parts\n", peer, late ? " late" : "", n_parts);
}

// What BlockTracker, on which executors play, says of every step of a worker.
std::vector<std::string> tracked(const Plan& plan, const Worker& worker) {
  std::vector<std::string> steps;
  BlockTracker blocks(plan, worker);
  for (std::size_t s = 0; s < worker.steps.size(); ++s) {
    std::string text;
    blocks.enter_step();
    for (const Message& message : messages_of(worker.steps[s].sends))
      text += describe_message(message.peer, message.late, message.parts.size());
    for (const Block& block : blocks.arrived())
      text += describe_block(block.of_queries, block.rows, block.messages.size() == 1);
    for (const KernelCall& call : blocks.take_calls()) text += describe_call(call, plan);
    (void)blocks.leave_step();
    steps.push_back(text);
  }
  return steps;
}

std::vector<std::string> walked(const Plan& plan, CallWalk& walk, int index) {
  std::vector<std::string> steps;
  MessageReader receives(plan);
  MessageReader sends(plan);
  walk.begin_worker(index);
  for (const Step& step : plan.workers[static_cast<std::size_t>(index)].steps) {
    std::string text;
    for (const MessageView& message : sends.read(step.sends))
      text += describe_message(message.peer, message.late, message.parts.size());
    const std::vector<CallTotals>& calls = walk.enter_step(receives.read(step.receives));
    for (const ArrivedBlock& block : walk.arrived())
      text += describe_block(block.of_queries, block.rows, block.n_messages == 1);
    for (const CallTotals& call : calls) text += describe_call(call);
    walk.leave_step();
    steps.push_back(text);
  }
  return steps;
}

TEST(CallWalk, FindsTheCallsOfTheBlockTracker) {
  (void)testing_support::for_random_plans(400, [](const Plan& plan, Random&) {
    CallWalk walk(plan, [&](const PairTask& task) { return task_pairs(plan, task); });
    for (int w = 0; w < static_cast<int>(plan.workers.size()); ++w)
      ASSERT_EQ(walked(plan, walk, w), tracked(plan, plan.workers[static_cast<std::size_t>(w)]))
          << "worker " << w;
  });
}

TEST(MessageReader, GathersTransfersOfAMessageThatDoNotStandTogether) {
  Plan plan;
  plan.workers.resize(3);
  const auto transfer = [](TensorRole what, int peer, std::int64_t bytes) {
    return Transfer{TransferKind::p2p, what, peer, 0, {0, 1}, bytes};
  };
  const std::vector<Transfer> transfers = {
      transfer(TensorRole::k, 1, 10), transfer(TensorRole::q, kRoot, 1),
      transfer(TensorRole::k, 2, 20), transfer(TensorRole::v, 1, 30),
      transfer(TensorRole::v, 2, 40)};
  MessageReader reader(plan);
  const std::vector<MessageView>& messages = reader.read(transfers);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].peer, 1);
  EXPECT_EQ(messages[0].bytes, 40);
  EXPECT_EQ(messages[1].peer, 2);
  EXPECT_EQ(messages[1].bytes, 60);
}

}  // namespace
}  // namespace qb
