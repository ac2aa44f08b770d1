// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/memory_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "base/status.h"
#include "harness/run/testing/memory_fakes.h"

namespace qb {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kLedgerMiB = std::size_t{1} << 20;

TEST(MemoryLedger, CountsActiveBytesAsRequestedAndReservedBytesAsHeld) {
  MemoryLedger ledger;
  {
    const Buffer a(ledger, 100, "a");
    const Buffer b(ledger, 3 * kLedgerMiB, "b", 2);
    EXPECT_EQ(ledger.active_bytes(), 100 + 3 * kLedgerMiB);
    EXPECT_EQ(ledger.reserved_bytes(), kPageBytes + 4 * kLedgerMiB);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % kHugePageBytes, 0u);
    std::memset(b.data(), 1, b.bytes());
  }
  EXPECT_EQ(ledger.active_bytes(), 0u);
  EXPECT_EQ(ledger.reserved_bytes(), kPageBytes + 4 * kLedgerMiB) << "freed segments stay cached";
  EXPECT_EQ(ledger.active_peak_bytes(), 100 + 3 * kLedgerMiB);
  ledger.release_cached();
  EXPECT_EQ(ledger.reserved_bytes(), 0u);
  EXPECT_EQ(ledger.reserved_peak_bytes(), kPageBytes + 4 * kLedgerMiB);
}

TEST(MemoryLedger, PeaksStartAgainFromWhatIsHeld) {
  MemoryLedger ledger;
  const Buffer held(ledger, 1000, "held");
  { const Buffer gone(ledger, 9000, "gone"); }
  EXPECT_EQ(ledger.active_peak_bytes(), 10000u);
  ledger.reset_peaks();
  EXPECT_EQ(ledger.active_peak_bytes(), 1000u);
  EXPECT_EQ(ledger.reserved_peak_bytes(), ledger.reserved_bytes());
}

TEST(MemoryLedger, ReusesASegmentForRequestsThatFillItWell) {
  FakeMachine machine(kLedgerMiB * 1000);
  MemoryLedger ledger(machine.options());
  void* first = ledger.allocate(20 * kLedgerMiB, "first", 0);
  ledger.deallocate(first);
  void* second = ledger.allocate(17 * kLedgerMiB, "second", 1);
  EXPECT_EQ(second, first) << "17 MiB fill a segment of 20";
  ledger.deallocate(second);
  void* third = ledger.allocate(8 * kLedgerMiB, "third", 1);
  EXPECT_NE(third, first) << "8 MiB would waste more than half of it";
  EXPECT_EQ(ledger.reserved_bytes(), 28 * kLedgerMiB);
  ledger.deallocate(third);
}

TEST(MemoryLedger, TakesTheBestFittingCachedSegment) {
  FakeMachine machine(kLedgerMiB * 1000);
  MemoryLedger ledger(machine.options());
  void* large = ledger.allocate(22 * kLedgerMiB, "large", 0);
  void* small = ledger.allocate(20 * kLedgerMiB, "small", 0);
  ledger.deallocate(large);
  ledger.deallocate(small);
  void* again = ledger.allocate(19 * kLedgerMiB, "again", 0);
  EXPECT_EQ(again, small);
  ledger.deallocate(again);
}

TEST(MemoryLedger, EnforcesTheBudgetOnActiveBytesExactly) {
  FakeMachine machine(kLedgerMiB * 1000);
  MemoryLedger::Options options = machine.options();
  options.budget_bytes = 10 * kLedgerMiB + 5;
  MemoryLedger ledger(options);
  const Buffer held(ledger, 10 * kLedgerMiB, "scores");
  try {
    const Buffer over(ledger, 6, "out_partial", 3);
    FAIL() << "6 bytes were handed out with 5 left";
  } catch (const OutOfMemory& error) {
    EXPECT_STREQ(error.what(),
                 "out_partial needs 6 B with 10.00 MiB in use, over the budget of 10.00 MiB");
    EXPECT_EQ(error.status(), Status::oom);
  }
  EXPECT_EQ(ledger.active_bytes(), 10 * kLedgerMiB);
  const Buffer fits(ledger, 5, "fits");
  EXPECT_EQ(ledger.active_bytes(), options.budget_bytes);
}

TEST(MemoryLedger, GivesCachedSegmentsBackWhenTheBudgetWouldBeExceededByReserve) {
  FakeMachine machine(kLedgerMiB * 1000);
  MemoryLedger::Options options = machine.options();
  options.budget_bytes = 40 * kLedgerMiB;
  MemoryLedger ledger(options);
  { const Buffer gone(ledger, 30 * kLedgerMiB, "gone"); }
  const Buffer held(ledger, 20 * kLedgerMiB, "held");
  EXPECT_EQ(ledger.reserved_bytes(), 20 * kLedgerMiB);
}

TEST(MemoryLedger, FreesCachedSegmentsAndRetriesWhenTheMachineRunsOut) {
  FakeMachine machine(40 * kLedgerMiB);
  MemoryLedger ledger(machine.options());
  { const Buffer gone(ledger, 30 * kLedgerMiB, "gone"); }
  const Buffer held(ledger, 20 * kLedgerMiB, "held");
  EXPECT_EQ(ledger.reserved_bytes(), 20 * kLedgerMiB);
  EXPECT_EQ(machine.held_bytes(), 20 * kLedgerMiB);
}

TEST(MemoryLedger, FreesCachedSegmentsAndRetriesWhenReservingFails) {
  FakeMachine machine(1000 * kLedgerMiB);
  MemoryLedger::Options options = machine.options();
  options.source.available = [] {
    return std::uint64_t{1000 * kLedgerMiB};
  };  // it promises too much
  options.source.reserve = [&machine](std::size_t bytes) -> void* {
    return machine.held_bytes() + bytes > 40 * kLedgerMiB ? nullptr : machine.reserve(bytes);
  };
  MemoryLedger ledger(options);
  { const Buffer gone(ledger, 30 * kLedgerMiB, "gone"); }
  const Buffer held(ledger, 20 * kLedgerMiB, "held");
  EXPECT_EQ(machine.held_bytes(), 20 * kLedgerMiB);
  EXPECT_THROW(Buffer(ledger, 30 * kLedgerMiB, "too much"), OutOfMemory);
}

TEST(MemoryLedger, RefusesWhatTheMachineHasNot) {
  FakeMachine machine(40 * kLedgerMiB);
  MemoryLedger ledger(machine.options());
  try {
    const Buffer scores(ledger, 50 * kLedgerMiB, "scores");
    FAIL() << "50 MiB came out of a machine of 40";
  } catch (const OutOfMemory& error) {
    EXPECT_STREQ(error.what(),
                 "scores needs 50.00 MiB with 0 B in use, and the machine has no more");
  }
  EXPECT_EQ(machine.held_bytes(), 0u);
}

// Anonymous memory costs nothing until it is touched, so the machine's own figure stays high.
TEST(MemoryLedger, CountsUntouchedSegmentsAsUsed) {
  FakeMachine machine(40 * kLedgerMiB);
  MemoryLedger::Options options = machine.options();
  options.source.available = [] { return std::uint64_t{40 * kLedgerMiB}; };
  MemoryLedger ledger(options);
  const Buffer untouched(ledger, 30 * kLedgerMiB, "untouched");
  EXPECT_THROW(Buffer(ledger, 20 * kLedgerMiB, "scores"), OutOfMemory);
}

TEST(MemoryLedger, RefusesARequestBeyondTheAddressSpace) {
  MemoryLedger ledger;
  EXPECT_THROW(Buffer(ledger, ~std::size_t{0}, "scores"), OutOfMemory);
  EXPECT_THROW(Buffer(ledger, ~std::size_t{0} / 2, "scores"), OutOfMemory);
}

TEST(MemoryLedger, ReturnsEverythingAtTheEnd) {
  FakeMachine machine(40 * kLedgerMiB);
  {
    MemoryLedger ledger(machine.options());
    { const Buffer buffer(ledger, 5 * kLedgerMiB, "buffer"); }
    EXPECT_GT(machine.held_bytes(), 0u);
  }
  EXPECT_EQ(machine.held_bytes(), 0u);
}

using Row = std::tuple<double, MemoryEvent::Action, std::string, int, std::uint64_t, std::uint64_t,
                       std::uint64_t>;

TEST(MemoryLedger, RecordsEveryEventWithItsLabelAndTheStateAfterIt) {
  FakeMachine machine(40 * kLedgerMiB);
  MemoryLedger::Options options = machine.options();
  options.record_events = true;
  MemoryLedger ledger(options);
  {
    const Buffer a(ledger, 3 * kLedgerMiB, "q_local", 1);
    EXPECT_THROW(Buffer(ledger, 100 * kLedgerMiB, "scores", 2), OutOfMemory);
  }
  ledger.release_cached();
  std::vector<Row> rows;
  for (const MemoryEvent& e : ledger.events())
    rows.emplace_back(e.time_s, e.action, std::string(e.label), e.worker, e.bytes, e.active_bytes,
                      e.reserved_bytes);
  EXPECT_THAT(
      rows, ElementsAre(
                Row{1, MemoryEvent::Action::segment_alloc, "q_local", 1, 4 * kLedgerMiB, 0,
                    4 * kLedgerMiB},
                Row{2, MemoryEvent::Action::alloc, "q_local", 1, 3 * kLedgerMiB, 3 * kLedgerMiB,
                    4 * kLedgerMiB},
                Row{3, MemoryEvent::Action::oom, "scores", 2, 100 * kLedgerMiB, 3 * kLedgerMiB,
                    4 * kLedgerMiB},
                Row{4, MemoryEvent::Action::free, "q_local", 1, 3 * kLedgerMiB, 0, 4 * kLedgerMiB},
                Row{5, MemoryEvent::Action::segment_free, "", 0, 4 * kLedgerMiB, 0, 0}));
  EXPECT_EQ(ledger.events()[2].free_bytes, 36 * kLedgerMiB);
}

TEST(MemoryLedger, RecordsNothingUnlessAsked) {
  MemoryLedger ledger;
  { const Buffer buffer(ledger, 10, "buffer"); }
  EXPECT_TRUE(ledger.events().empty());
}

TEST(MemoryLedger, StopsRecordingAndKeepsItsMemory) {
  FakeMachine machine(40 * kLedgerMiB);
  MemoryLedger::Options options = machine.options();
  options.record_events = true;
  MemoryLedger ledger(options);
  { const Buffer buffer(ledger, 3 * kLedgerMiB, "buffer"); }
  const std::uint64_t held = machine.held_bytes();
  ledger.stop_recording();
  { const Buffer again(ledger, 3 * kLedgerMiB, "buffer"); }
  EXPECT_TRUE(ledger.events().empty());
  EXPECT_GT(held, 0u);
  EXPECT_EQ(machine.held_bytes(), held);
  EXPECT_EQ(ledger.active_peak_bytes(), 3 * kLedgerMiB);
}

TEST(MemoryLedgerThreads, HandsOutDisjointBlocksToManyThreads) {
  MemoryLedger ledger;
  std::vector<std::thread> threads;
  std::atomic<int> damaged = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&ledger, &damaged, t] {
      for (std::size_t i = 1; i <= 200; ++i) {
        const Buffer buffer(ledger, i * 37, "buffer", t);
        std::memset(buffer.data(), t, buffer.bytes());
        for (std::size_t j = 0; j < buffer.bytes(); ++j)
          if (buffer.as<char>()[j] != t) ++damaged;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(damaged, 0);
  EXPECT_EQ(ledger.active_bytes(), 0u);
  EXPECT_LE(ledger.active_peak_bytes(), 4u * 200 * 37);
}

TEST(MemoryLedgerDeathTest, AnUnknownPointerEndsTheProgram) {
  MemoryLedger ledger;
  int stranger = 0;
  EXPECT_DEATH(ledger.deallocate(&stranger), "");
}

}  // namespace
}  // namespace qb
