// SPDX-License-Identifier: Apache-2.0
#include "harness/run/transport/memory_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <thread>

#include "base/testing/fake_clock.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/runner/worker.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/failing_allocator.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using Bytes = std::array<std::byte, 8>;

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const CaseError& error) {
    return std::string(word(error.status())) + ": " + error.what();
  }
  return "nothing thrown";
}

TEST(MemoryTransport, CopiesWhenBothSidesAreThereInEitherOrder) {
  for (const bool carrier : {false, true}) {
    MemoryTransport transport({.carrier = carrier, .workers = 2});
    Bytes out{};
    out.fill(std::byte{7});
    Bytes in{};
    const Ticket receive = transport.receive({0, 1, 3}, in);
    const Ticket send = transport.send({0, 1, 3}, out);
    const Passage passage = transport.wait(receive);
    (void)transport.wait(send);
    EXPECT_EQ(in, out);
    EXPECT_GE(passage.done_s, passage.started_s);
    Bytes later{};
    const Ticket sent_first = transport.send({1, 0, 3}, out);
    (void)transport.wait(transport.receive({1, 0, 3}, later));
    (void)transport.wait(sent_first);
    EXPECT_EQ(later, out);
  }
}

TEST(MemoryTransport, UnequalMessagesNameBothSidesAndLengths) {
  MemoryTransport transport({.workers = 4});
  Bytes out{};
  std::array<std::byte, 4> in{};
  (void)transport.send({2, 3, 1}, out);
  EXPECT_EQ(message_of([&] {
              (void)transport.receive({2, 3, 1}, in);
            }),
            "error: worker 2 sends 8 bytes to worker 3 for step 1, which awaits 4");
}

TEST(MemoryTransport, AMessageThatNeverComesEndsInATimeoutThatNamesTheWorkers) {
  MemoryTransport transport({.carrier = true, .timeout_s = 0.05, .workers = 4});
  Bytes bytes{};
  const Ticket receive = transport.receive({1, 2, 4}, bytes);
  EXPECT_EQ(message_of([&] { (void)transport.wait(receive); }),
            "timeout: worker 2 waited 0.05 s without success for a message of worker 1 in step 4");
  const Ticket send = transport.send({3, 0, 2}, bytes);
  EXPECT_EQ(
      message_of([&] { (void)transport.wait(send); }),
      "timeout: worker 3 waited 0.05 s without success for worker 0 to take its message of step 2");
}

TEST(MemoryTransport, AFailureWakesWhoeverWaits) {
  MemoryTransport transport({.carrier = true, .workers = 2});
  Bytes bytes{};
  const Ticket receive = transport.receive({0, 1, 1}, bytes);
  std::string message;
  std::jthread waiting([&] { message = message_of([&] { (void)transport.wait(receive); }); });
  transport.fail(std::make_exception_ptr(CaseError(Status::error, "worker 0 is gone")));
  waiting.join();
  EXPECT_EQ(message, "error: worker 0 is gone");
}

// Time moves by whole seconds, and after each a message to oneself lets the carrier look at it.
TEST(MemoryTransport, ALinkTakesItsMessagesOneAfterAnotherAndDeliversThemLater) {
  const testing_support::FakeClock clock;
  MemoryTransport transport({.carrier = true, .link = {1.0, 3.0}, .workers = 3});
  std::array<std::byte, 8> from{};
  std::array<std::array<std::byte, 8>, 6> to{};
  const auto move = [&](const MessageKey& key, std::size_t bytes, std::size_t into) {
    (void)transport.send(key, std::span(from).first(bytes));
    return transport.receive(key, std::span(to[into]).first(bytes));
  };
  const Ticket first = move({0, 1, 0}, 8, 0);
  const Ticket second = move({0, 2, 0}, 4, 1);  // it waits for the first to leave
  const Ticket other = move({1, 0, 0}, 2, 2);   // it has a link of its own
  const Ticket empty = move({2, 0, 0}, 0, 3);
  const Ticket own = move({0, 0, 0}, 8, 4);  // it uses no link
  EXPECT_EQ(transport.wait(own).done_s, 0.0);
  Ticket late;
  for (int second_of = 1; second_of <= 40; ++second_of) {
    testing_support::FakeClock::advance(1);
    if (second_of == 20) late = move({0, 1, 1}, 8, 5);
    (void)transport.wait(move({2, 2, second_of}, 0, 3));
  }
  EXPECT_EQ(transport.wait(first).done_s, 8.0 + 3.0);
  EXPECT_EQ(transport.wait(second).done_s, 8.0 + 4.0 + 3.0);
  EXPECT_EQ(transport.wait(other).done_s, 2.0 + 3.0);
  EXPECT_EQ(transport.wait(empty).done_s, 3.0);
  const Passage passage = transport.wait(late);
  EXPECT_EQ(passage.started_s, 20.0);
  EXPECT_EQ(passage.done_s, 20.0 + 8.0 + 3.0);
}

// The messages begin at second 0; returns when each has come.
std::vector<double> arrivals(const MemoryTransport::Options& options,
                             const std::vector<std::pair<MessageKey, std::size_t>>& messages) {
  const testing_support::FakeClock clock;
  MemoryTransport transport(options);
  std::vector<std::byte> from(64);
  std::vector<std::vector<std::byte>> to(messages.size(), from);
  std::vector<Ticket> tickets;
  std::vector<std::byte> none;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& [key, bytes] = messages[i];
    tickets.push_back(transport.receive(key, std::span(to[i]).first(bytes)));
    (void)transport.send(key, std::span(from).first(bytes));
  }
  for (int second = 0; second < 40; ++second) {
    const MessageKey own{0, 0, 1000 + second};
    (void)transport.send(own, none);
    (void)transport.wait(transport.receive(own, none));
    testing_support::FakeClock::advance(1);
  }
  std::vector<double> seconds;
  for (const Ticket& ticket : tickets) seconds.push_back(transport.wait(ticket).done_s);
  return seconds;
}

TEST(MemoryTransport, AReceiverTakesMessagesOneAfterAnother) {
  EXPECT_THAT(arrivals({.carrier = true, .link = {1.0, 3.0}, .workers = 3},
                       {{{1, 0, 0}, 8}, {{2, 0, 0}, 8}}),
              ::testing::ElementsAre(3.0 + 8.0 + 8.0, 3.0 + 8.0))
      << "worker 2 is nearer on the ring";
}

TEST(MemoryTransport, HostsHaveLinksInsideAndShareTheirNicsBetween) {
  MemoryTransport::Options options{
      .carrier = true,
      .link = {1.0, 1.0},
      .hosts = {.workers_per_host = 2, .inside = {4.0, 0.0}, .nics = 1},
      .workers = 4};
  const std::vector<std::pair<MessageKey, std::size_t>> messages = {
      {{0, 1, 0}, 8}, {{0, 2, 0}, 4}, {{1, 3, 0}, 4}};
  EXPECT_THAT(arrivals(options, messages), ::testing::ElementsAre(2.0, 5.0, 9.0));
  options.hosts.nics = 0;  // one a worker
  EXPECT_THAT(arrivals(options, messages), ::testing::ElementsAre(2.0, 5.0, 5.0));
  options.hosts.slot = {0, 2, 1, 3};  // workers 0 and 2 are on one host, 1 and 3 on the other
  EXPECT_THAT(arrivals(options, messages), ::testing::ElementsAre(9.0, 1.0, 1.0));
}

// A transport with a careless sender: it reuses the buffer before the message has left.
class Overwriting final : public Transport {
 public:
  explicit Overwriting(MemoryTransport& inner) : inner_(inner) {}
  Passage wait(const Ticket& ticket) override { return inner_.wait(ticket); }

 private:
  Ticket post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) override {
    if (!outgoing) return inner_.receive(key, bytes);
    bytes[bytes.size() / 2] ^= std::byte{1};
    return inner_.send(key, bytes);
  }

  MemoryTransport& inner_;
};

// Runs the first hop of a two-worker ring in this thread. `damage` changes the receiver's plan.
// Returns the message of the error, if any.
std::string play_first_hop(Transport& transport,
                           const std::function<void(Plan& plan_of_receiver)>& damage) {
  Trial trial(
      make_plan("ring", make_problem({1, 1, 1, 20, 20, 8, 8}, MaskKind::full, DType::f32, 1),
                {2, {}}),
      heap_allocator());
  Plan other = trial.plan;
  damage(other);
  auto arguments = trial.with_tensors(ExecutionArguments());
  arguments.allocator = &heap_allocator();
  arguments.guard_messages = true;
  WorkerTime times[2];
  CpuDevice device(1);
  Stopwatch watch(device);
  const WorkerRunner::Tools tools{device, watch, &transport};
  WorkerRunner sender(trial.plan, 0, arguments, tools, times[0]);
  WorkerRunner receiver(other, 1, arguments, tools, times[1]);
  return message_of([&] {
    sender.prepare();
    receiver.prepare();
    sender.begin_step();
    receiver.begin_step();
    sender.compute_step();
    receiver.compute_step();
    sender.end_step();
    receiver.end_step();
    sender.begin_step();
    receiver.begin_step();
  });
}

TEST(Messages, ABufferThatIsUsedTooEarlyIsNoticed) {
  MemoryTransport inner({.workers = 2});
  Overwriting careless(inner);
  EXPECT_THAT(play_first_hop(careless, [](Plan&) {}),
              HasSubstr("was changed on its way: its buffer was used again too early"));
  MemoryTransport careful({.workers = 2});
  EXPECT_EQ(play_first_hop(careful, [](Plan&) {}), "nothing thrown");
}

TEST(Messages, OneThatHoldsSomethingElseIsNoticed) {
  MemoryTransport transport({.workers = 2});
  // The receiver's plan has other names for the same bytes: V comes before K.
  EXPECT_THAT(
      play_first_hop(transport,
                     [](Plan& plan) {
                       std::vector<Transfer>& receives = plan.workers[1].steps[1].receives;
                       std::swap(receives[0], receives[1]);
                     }),
      HasSubstr("worker 1 step 1: the message of worker 0 does not hold what the plan says"));
}

TEST(Messages, OneOfAnotherLengthIsNoticed) {
  MemoryTransport transport({.workers = 2});
  EXPECT_THAT(play_first_hop(transport,
                             [](Plan& plan) {
                               for (Transfer& part : plan.workers[1].steps[1].receives)
                                 part.bytes += 64;
                             }),
              HasSubstr("bytes to worker 1 for step 1, which awaits"));
}

// If a worker throws in the middle of a ring, the others end with its message.
TEST(Messages, AWorkerThatFailsEndsTheWholeCase) {
  Trial trial(
      make_plan("ring", make_problem({1, 1, 1, 90, 90, 8, 8}, MaskKind::full, DType::f32, 1),
                {5, {}}),
      heap_allocator());
  FailingAllocator failing(heap_allocator());
  failing.fail_at(40);
  EXPECT_THROW((void)trial.run(Ranks::threads, Kernel::flash, 1, failing), OutOfMemory);
}

}  // namespace
}  // namespace qb
