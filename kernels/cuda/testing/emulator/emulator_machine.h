// SPDX-License-Identifier: Apache-2.0
// The emulated instructions work on this machine. Only emulator*.cpp use it.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/testing/emulator/emulator.h"

namespace qb::cuda::emulator {

inline constexpr int kWarp = 32;
inline constexpr int kWarpgroup = 128;
inline constexpr std::size_t kStackBytes = 256 << 10;
inline constexpr std::uint8_t kPoison = 0xFF;  // NaN in every 16-bit and 32-bit format

struct Copy {
  std::uint32_t shared = 0;
  std::array<std::byte, 16> data{};
};

struct Product {
  bool bf16 = false;
  bool add = false;
  int columns = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  bool a_in_registers = false;
  bool a_transposed = false;                      // A in shared memory is column-major, as is B
  std::vector<float*> accumulators;               // accumulators of the warpgroup's threads
  std::vector<const std::uint32_t*> a_registers;  // A registers of the warpgroup's threads
  std::vector<float> a_values;                    // 64 x 16, as captured when it was issued
  std::vector<float> b_values;                    // 16 x columns
};

// This is a stack to run on: a fiber's, or that of the launching thread.
struct Stack {
  ucontext_t context{};
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* shadow = nullptr;  // the address sanitizer's, while another stack runs
};

// A box in shared memory that is being added to a tensor.
struct BoxedSum {
  TensorMap map;
  std::array<std::int64_t, 5> at{};
  std::uint32_t shared = 0;
  std::vector<std::byte> data;  // as it was when this was requested
};

struct Thread {
  Stack stack;
  std::unique_ptr<std::byte[]> stack_memory;
  bool done = false;
  std::vector<std::vector<Copy>> copy_groups{{}};
  std::vector<BoxedSum> sums;  // not waited for yet
  std::size_t committed_sums = 0;
  int uniform_values = 0;  // that it asked its warp for
};

// Threads meet here: it holds what each of them brings, and how often all have met.
struct Meeting {
  const void* what = nullptr;
  int arrived = 0;
  std::uint64_t met = 0;
  std::array<void*, kWarpgroup> brought{};
};

struct Barrier {
  int expected = 0;
  int pending = 0;
  std::int64_t bytes = 0;
  int phase = 0;
};

// A block has sixteen of these. Each has one use: the same warps come each time, and the same ones
// of them wait.
struct NamedBarrier {
  using Warp = std::pair<int, bool>;  // its number, whether it waits
  int threads = 0;                    // number of threads that meet; 0: none has come yet
  int arrived = 0;
  std::uint64_t met = 0;
  std::map<Warp, int> lanes;    // lanes that have come since the last meeting
  std::map<Warp, int> members;  // warps of the first meeting
};

struct Box {
  std::uint32_t shared = 0;
  std::uint32_t barrier = 0;
  std::vector<std::byte> data;
};

struct Block {
  int index = 0;
  int n_blocks = 0;
  std::vector<std::byte> shared;
  std::vector<Thread> threads;
  std::vector<Meeting> warps;
  std::vector<Meeting> warpgroups;
  std::vector<std::vector<std::vector<Product>>> products;  // groups of a warpgroup, newest last
  std::map<std::uint32_t, Barrier> barriers;
  std::map<int, NamedBarrier> named;
  std::vector<Box> boxes;
  std::mt19937 engine;
  Stack scheduler;
  int current = 0;
  std::uint64_t progress = 0;  // counts every event that a thread may wait for
  const std::function<void()>* kernel = nullptr;
  std::exception_ptr error;
};

// This is the block that runs.
extern Block* block;

[[noreturn]] void fail(const std::string& message);
[[nodiscard]] Thread& self();
void yield();
[[nodiscard]] std::byte* shared_bytes(std::uint32_t address, std::size_t count,
                                      std::size_t alignment);
void end_phase_if_complete(Barrier& barrier);
[[nodiscard]] float from_bits(bool bf16, std::uint16_t bits);
[[nodiscard]] std::uint16_t bits_of(std::uint32_t both, int half);

template <class Condition>
void wait_until(Condition condition) {
  while (!condition()) yield();
  ++block->progress;
}

// The threads of a warp or warpgroup meet in instruction `what`; the last one acts for all.
template <class Act>
void meet(Meeting& meeting, int size, const void* what, void* brought, Act act) {
  if (meeting.arrived > 0 && meeting.what != what)
    fail("threads of one warp are in different instructions");
  meeting.what = what;
  meeting.brought[static_cast<std::size_t>(block->current % size)] = brought;
  if (++meeting.arrived == size) {
    act(meeting.brought.data());
    meeting.arrived = 0;
    ++meeting.met;
    ++block->progress;
    return;
  }
  const std::uint64_t round = meeting.met;
  wait_until([&] { return meeting.met != round; });
}

template <class Act>
void meet_warp(const void* what, void* brought, Act act) {
  const auto warp = static_cast<std::size_t>(block->current / kWarp);
  meet(block->warps[warp], kWarp, what, brought, [&](void** all) {
    for (std::size_t lane = 1; lane < kWarp; ++lane)
      if (block->threads[kWarp * warp + lane].uniform_values !=
          block->threads[kWarp * warp].uniform_values)
        fail("a part of a warp asked for a value that is the same in all of it");
    act(all);
  });
}

}  // namespace qb::cuda::emulator
