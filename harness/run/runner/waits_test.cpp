// SPDX-License-Identifier: Apache-2.0
// Checks how a worker's waits are split into idle and exposed time, message by message.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "base/testing/fake_clock.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/runner/worker.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/transport/memory_transport.h"

namespace qb {
namespace {

using testing_support::FakeClock;

void move_clock_to(double seconds) {
  FakeClock::advance(static_cast<std::int64_t>(seconds - FakeClock::read()));
}

// Its messages travel at once, but a wait lasts until the end of the next of `passages`.
class ScriptedTransport final : public Transport {
 public:
  ScriptedTransport(MemoryTransport& inner, double offset_s) : inner_(inner), offset_s_(offset_s) {}

  Passage wait(const Ticket& ticket) override {
    (void)inner_.wait(ticket);
    const Passage passage = passages.at(0);
    passages.pop_front();
    if (passage.done_s > FakeClock::read()) move_clock_to(passage.done_s);
    return passage;
  }
  double clock_offset_s() const override { return offset_s_; }

  std::deque<Passage> passages;

 private:
  Ticket post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) override {
    return outgoing ? inner_.send(key, bytes) : inner_.receive(key, bytes);
  }

  MemoryTransport& inner_;
  const double offset_s_;
};

// Three workers give each other their keys and values, and then worker 2 waits for the messages of
// workers 0 and 1, and for two of its own to leave. The two are sent when the clock shows 10 and
// 12, and the workers' clocks differ by `offsets`.
std::vector<StepTime> steps_of_worker_2(const std::array<double, 3>& offsets,
                                        const std::array<Passage, 2>& messages,
                                        const std::array<Passage, 2>& sends) {
  constexpr std::size_t kWorkers = 3;
  Trial trial(make_plan("all_gather_kv",
                        make_problem({1, 1, 1, 30, 30, 8, 8}, MaskKind::full, DType::f32, 1),
                        {.workers = kWorkers}),
              heap_allocator());
  auto arguments = trial.with_tensors(ExecutionArguments());
  arguments.allocator = &heap_allocator();
  const FakeClock clock;
  MemoryTransport inner({.workers = kWorkers});
  CpuDevice device(1);
  Stopwatch watch(device);
  std::vector<WorkerTime> times(kWorkers);
  std::vector<std::unique_ptr<ScriptedTransport>> transports;
  std::vector<std::unique_ptr<WorkerRunner>> players;
  for (std::size_t w = 0; w < kWorkers; ++w) {
    transports.push_back(std::make_unique<ScriptedTransport>(inner, offsets[w]));
    players.push_back(std::make_unique<WorkerRunner>(
        trial.plan, static_cast<int>(w), arguments,
        WorkerRunner::Tools{device, watch, transports[w].get()}, times[w]));
    players[w]->prepare();
  }
  for (std::size_t w = 0; w < kWorkers; ++w) {
    move_clock_to(10.0 + 2.0 * static_cast<double>(w));
    players[w]->begin_step();
  }
  for (const auto& player : players) {
    player->compute_step();
    player->end_step();
  }
  move_clock_to(20.0);
  const Passage own{messages[1].done_s, messages[1].done_s};  // what it keeps is there already
  transports[2]->passages = {messages[0], messages[1], own, sends[0], sends[1], own};
  players[2]->begin_step();
  EXPECT_TRUE(transports[2]->passages.empty());
  EXPECT_EQ(times[2].steps[0].idle_s + times[2].steps[0].exposed_communication_s, 0.0);
  return times[2].steps;
}

StepTime waits_of_worker_2(const std::array<double, 3>& offsets,
                           const std::array<Passage, 2>& messages,
                           const std::array<Passage, 2>& sends) {
  return steps_of_worker_2(offsets, messages, sends)[1];
}

TEST(Waits, AreIdleUntilBothSidesAreReadyAndExposedFromThenOn) {
  const StepTime step = waits_of_worker_2({0.0, 0.0, 0.0}, {{{13.0, 30.0}, {35.0, 42.0}}},
                                          {{{43.0, 45.0}, {40.0, 47.0}}});
  EXPECT_EQ(step.idle_s, 0.0 + 5.0 + 1.0 + 0.0);
  EXPECT_EQ(step.exposed_communication_s, 10.0 + 7.0 + 2.0 + 2.0);
  EXPECT_EQ(step.communication_s, 42.0 - 13.0) << "from the first start to the last arrival";
}

TEST(Waits, MessagesAreNotedInTheStepThatSendsThemAndInTheOneThatComputesWithThem) {
  const std::vector<StepTime> steps = steps_of_worker_2(
      {0.0, 0.0, 0.0}, {{{13.0, 30.0}, {35.0, 42.0}}}, {{{43.0, 45.0}, {41.0, 47.0}}});
  EXPECT_EQ(steps[1].receive.start_s, 13.0);
  EXPECT_EQ(steps[1].receive.end_s, 42.0);
  EXPECT_EQ(steps[0].send.start_s, 14.0) << "what it keeps was posted then";
  EXPECT_EQ(steps[0].send.end_s, 47.0);
  EXPECT_TRUE(std::isnan(steps[0].receive.end_s));
  EXPECT_TRUE(std::isnan(steps[1].send.end_s));
}

TEST(Waits, AMessageStartsWhenItsSenderSaysByACommonClock) {
  // By the clock of worker 2 they are sent at 10 + 5 + 2 = 17 and at 12 + 24 + 2 = 38.
  const StepTime step = waits_of_worker_2({5.0, 24.0, -2.0}, {{{13.0, 30.0}, {35.0, 42.0}}}, {});
  EXPECT_EQ(step.idle_s, 0.0 + 8.0);
  EXPECT_EQ(step.exposed_communication_s, 10.0 + 4.0);
  EXPECT_EQ(step.communication_s, 42.0 - 17.0);
  // A message starts no earlier than the transport says, and no later than it is there.
  const StepTime early = waits_of_worker_2({-9.0, 90.0, 0.0}, {{{21.0, 30.0}, {35.0, 42.0}}}, {});
  EXPECT_EQ(early.idle_s, 1.0 + 12.0);
  EXPECT_EQ(early.exposed_communication_s, 9.0);
  EXPECT_EQ(early.communication_s, 42.0 - 21.0);
}

TEST(Waits, TheLastArrivalNeedNotBeThatOfTheLastMessage) {
  const StepTime step = waits_of_worker_2({0.0, 0.0, 0.0}, {{{16.0, 50.0}, {14.0, 15.0}}}, {});
  EXPECT_EQ(step.idle_s, 0.0);
  EXPECT_EQ(step.exposed_communication_s, 30.0);
  EXPECT_EQ(step.communication_s, 50.0 - 14.0);
}

}  // namespace
}  // namespace qb
