// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/block_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <vector>

#include "base/status.h"
#include "harness/run/memory/timeline.h"
#include "harness/run/testing/fake_segments.h"
#include "harness/run/testing/memory_fakes.h"

namespace qb {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kGB = 1'000'000'000;

TEST(SegmentAllocator, TakesWholePagesAndHugePagesFromHalfOfOneOn) {
  struct Expected {
    std::size_t request;
    std::size_t segment;
  };
  for (const AllocatorKind kind :
       {AllocatorKind::same_size, AllocatorKind::direct, AllocatorKind::pool})
    for (const auto& [request, segment] :
         {Expected{0, kPageBytes}, Expected{1, kPageBytes}, Expected{kPageBytes, kPageBytes},
          Expected{kPageBytes + 1, 2 * kPageBytes},
          Expected{kHugePageBytes / 2 - 1, kHugePageBytes / 2},
          Expected{kHugePageBytes / 2, kHugePageBytes},
          Expected{kHugePageBytes + 1, 2 * kHugePageBytes}}) {
      FakeSegments device(kGB);
      const auto allocator = make_block_allocator(kind, device.source());
      void* const block = allocator->allocate(request);
      ASSERT_EQ(device.live.size(), 1u);
      EXPECT_EQ(device.live.begin()->second, segment) << request;
      allocator->free(block);
      EXPECT_EQ(device.held, kind == AllocatorKind::same_size ? segment : 0u);
      allocator->release_cached();
      EXPECT_EQ(device.held, 0u);
    }
}

TEST(SegmentAllocator, ServesFromAFreedSegmentWhatFillsAtLeastFourFifthsOfIt) {
  for (const auto& [mib, is_reused] : {std::pair{21, false}, {20, true}, {16, true}, {14, false}}) {
    FakeSegments device(kGB);
    const auto allocator = make_block_allocator(AllocatorKind::same_size, device.source());
    void* const freed = allocator->allocate(20 * kMiB);
    allocator->free(freed);
    void* const block = allocator->allocate(static_cast<std::size_t>(mib) * kMiB);
    EXPECT_EQ(block == freed, is_reused) << mib;
    EXPECT_EQ(device.maps, is_reused ? 1 : 2) << mib;
    // A reused segment keeps its size.
    allocator->free(block);
    EXPECT_EQ(allocator->allocate(20 * kMiB) == freed, true) << mib;
    EXPECT_EQ(allocator->retries(), 0);
  }
}

TEST(SegmentAllocator, GivesFreedSegmentsBackOnceWhenTheDeviceIsFull) {
  FakeSegments device(50 * kMiB);
  const auto allocator = make_block_allocator(AllocatorKind::same_size, device.source());
  allocator->free(allocator->allocate(20 * kMiB));
  EXPECT_NE(allocator->allocate(40 * kMiB), nullptr);
  EXPECT_EQ(allocator->retries(), 1);
  EXPECT_EQ(device.held, 40 * kMiB);
  EXPECT_EQ(allocator->allocate(40 * kMiB), nullptr);
  EXPECT_EQ(allocator->retries(), 2);
  const auto direct = make_block_allocator(AllocatorKind::direct, device.source());
  EXPECT_EQ(direct->allocate(40 * kMiB), nullptr);
  EXPECT_EQ(direct->retries(), 0);
}

TEST(CachingAllocator, TakesSegmentsOfPyTorchsSizes) {
  struct Expected {
    std::size_t request;
    std::size_t segment;
  };
  for (const auto& [request, segment] :
       {Expected{1, 2 * kMiB}, Expected{kMiB, 2 * kMiB}, Expected{kMiB + 1, 20 * kMiB},
        Expected{10 * kMiB - 512, 20 * kMiB}, Expected{10 * kMiB, 10 * kMiB},
        Expected{11 * kMiB, 12 * kMiB}, Expected{kGB, (kGB / (2 * kMiB) + 1) * 2 * kMiB}}) {
    FakeSegments device(10 * kGB);
    const auto allocator = make_block_allocator(AllocatorKind::caching, device.source());
    void* const block = allocator->allocate(request);
    ASSERT_EQ(device.live.size(), 1u);
    EXPECT_EQ(device.live.begin()->second, segment) << request;
    allocator->free(block);
    allocator->release_cached();
    EXPECT_EQ(device.held, 0u);
  }
}

TEST(CachingAllocator, ServesManySmallRequestsFromOneSegmentAndJoinsThemAgain) {
  FakeSegments device(10 * kGB);
  const auto allocator = make_block_allocator(AllocatorKind::caching, device.source());
  std::vector<void*> blocks;
  for (int i = 0; i < 4096; ++i) blocks.push_back(allocator->allocate(100));
  EXPECT_EQ(device.maps, 1);
  // It frees every other one first, so that neighbours join from both sides.
  for (std::size_t i = 0; i < blocks.size(); i += 2) allocator->free(blocks[i]);
  for (std::size_t i = 1; i < blocks.size(); i += 2) allocator->free(blocks[i]);
  void* const whole = allocator->allocate(kMiB);
  EXPECT_EQ(device.maps, 1);
  allocator->free(whole);
  allocator->release_cached();
  EXPECT_EQ(device.held, 0u);
}

TEST(CachingAllocator, TakesTheSmallestFreeBlockThatHoldsTheRequest) {
  FakeSegments device(10 * kGB);
  const auto allocator = make_block_allocator(AllocatorKind::caching, device.source());
  void* const large = allocator->allocate(600 * kMiB);
  void* const medium = allocator->allocate(400 * kMiB);
  allocator->free(large);
  allocator->free(medium);
  EXPECT_EQ(allocator->allocate(300 * kMiB), medium);
  EXPECT_EQ(allocator->allocate(300 * kMiB), large);
  EXPECT_EQ(allocator->allocate(300 * kMiB), static_cast<std::byte*>(large) + 300 * kMiB);
  EXPECT_EQ(device.maps, 2);
}

TEST(CachingAllocator, GivesBackWholeSegmentsAndTriesAgainWhereTheDeviceIsFull) {
  FakeSegments device(100 * kMiB);
  const auto allocator = make_block_allocator(AllocatorKind::caching, device.source());
  allocator->free(allocator->allocate(60 * kMiB));
  EXPECT_NE(allocator->allocate(80 * kMiB), nullptr);
  EXPECT_EQ(allocator->retries(), 1);
  EXPECT_EQ(device.held, 80 * kMiB);
}

TEST(CachingAllocator, CannotGiveBackASegmentOfWhichABlockIsInUse) {
  FakeSegments device(100 * kMiB);
  const auto allocator = make_block_allocator(AllocatorKind::caching, device.source());
  allocator->free(allocator->allocate(60 * kMiB));
  void* const bite = allocator->allocate(11 * kMiB);  // part of the 60
  EXPECT_EQ(allocator->allocate(60 * kMiB), nullptr);
  allocator->free(bite);
  EXPECT_NE(allocator->allocate(60 * kMiB), nullptr);
  EXPECT_EQ(device.maps, 1);
}

// Blocks never overlap and lie in their segment, for any order of requests.
TEST(CachingAllocator, HandsOutDisjointBlocksUnderRandomTraffic) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    FakeSegments device(400 * kMiB);
    const auto allocator = make_block_allocator(AllocatorKind::caching, device.source());
    std::map<std::uintptr_t, std::size_t> live;
    for (int turn = 0; turn < 2000; ++turn) {
      if (live.empty() || random() % 2 == 0) {
        const std::size_t bytes = std::size_t{1} << (random() % 27);
        const std::size_t request = bytes + random() % bytes;
        void* const block = allocator->allocate(request);
        if (block == nullptr) continue;
        const auto begin = reinterpret_cast<std::uintptr_t>(block);
        const auto after = live.lower_bound(begin);
        if (after != live.end()) {
          ASSERT_LE(begin + request, after->first) << seed;
        }
        if (after != live.begin()) {
          const auto before = std::prev(after);
          ASSERT_LE(before->first + before->second, begin) << seed;
        }
        auto segment = device.live.upper_bound(block);
        ASSERT_NE(segment, device.live.begin());
        --segment;
        ASSERT_LE(begin + request,
                  reinterpret_cast<std::uintptr_t>(segment->first) + segment->second);
        live.emplace(begin, request);
      } else {
        auto chosen = live.begin();
        std::advance(chosen, static_cast<long>(random() % live.size()));
        allocator->free(reinterpret_cast<void*>(chosen->first));
        live.erase(chosen);
      }
    }
    for (const auto& [begin, bytes] : live) allocator->free(reinterpret_cast<void*>(begin));
    allocator->release_cached();
    EXPECT_EQ(device.held, 0u) << seed;
  }
}

MemoryLedger::Options caching_options(FakeMachine& machine) {
  MemoryLedger::Options options = machine.options();
  options.allocator = AllocatorKind::caching;
  options.record_events = true;
  return options;
}

TEST(MemoryLedger, WithTheCachingAllocatorReservesSegmentsAndHandsOutBlocksOfThem) {
  FakeMachine machine(1000 * kMiB);
  MemoryLedger ledger(caching_options(machine));
  const Buffer first(ledger, 1000, "first");
  const Buffer second(ledger, 1000, "second");
  EXPECT_EQ(ledger.active_bytes(), 2000u);
  EXPECT_EQ(ledger.reserved_bytes(), 2 * kMiB);
  const std::string pickle = pytorch_snapshot(ledger.events());
  EXPECT_NE(pickle.find("second"), std::string::npos);
}

TEST(MemoryLedger, WithTheCachingAllocatorCountsWhatIsReservedAgainstTheBudget) {
  FakeMachine machine(1000 * kMiB);
  MemoryLedger::Options options = caching_options(machine);
  options.budget_bytes = 100 * kMiB;
  MemoryLedger ledger(options);
  std::optional<Buffer> gone(std::in_place, ledger, 60 * kMiB, "gone");
  gone.reset();
  const Buffer bite(ledger, 11 * kMiB, "bite");
  // 60 MiB would fit beside 11, but the segment of 60 that is partly used stays.
  EXPECT_THROW(Buffer(ledger, 60 * kMiB, "scores"), OutOfMemory);
  const Buffer fits(ledger, 40 * kMiB, "fits");
}

TEST(MemoryLedger, WithTheDirectAllocatorHoldsNothingThatIsFree) {
  FakeMachine machine(1000 * kMiB);
  MemoryLedger::Options options = machine.options();
  options.allocator = AllocatorKind::direct;
  MemoryLedger ledger(options);
  { const Buffer gone(ledger, 60 * kMiB, "gone"); }
  EXPECT_EQ(ledger.reserved_bytes(), 0u);
  EXPECT_EQ(ledger.reserved_peak_bytes(), 60 * kMiB);
  EXPECT_EQ(machine.held_bytes(), 0u);
}

// It works like a driver's pool: released memory stays reserved and available.
TEST(MemoryLedger, OverASourceThatKeepsWhatItGetsReservesWhatThatHolds) {
  FakeMachine machine(1000 * kMiB);
  MemoryLedger::Options options = machine.options();
  std::uint64_t held = 0;
  options.allocator = AllocatorKind::pool;
  options.source.held = [&held] { return held; };
  options.source.reserve = [&](std::size_t bytes) {
    held = std::max<std::uint64_t>(held, bytes);
    return machine.reserve(bytes);
  };
  MemoryLedger ledger(options);
  { const Buffer gone(ledger, 60 * kMiB, "gone"); }
  EXPECT_EQ(ledger.active_bytes(), 0u);
  EXPECT_EQ(ledger.reserved_bytes(), 60 * kMiB);
  const Buffer again(ledger, 20 * kMiB, "again");
  EXPECT_EQ(ledger.reserved_bytes(), 60 * kMiB);
}

}  // namespace
}  // namespace qb
