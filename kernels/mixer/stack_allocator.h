// SPDX-License-Identifier: Apache-2.0
// The memory of items that threads share, which does not depend on when each begins and ends: a
// stack for each thread, of which only the end is given back.
#pragma once

#include <algorithm>
#include <ranges>
#include <vector>

#include "kernels/attention.h"
#include "kernels/parallel.h"

namespace qb::cpu {

// Without memory it counts what it would need.
class StackAllocator final : public Allocator {
 public:
  StackAllocator() = default;
  // The memory is aligned to 64 bytes and has those that a stack without memory has counted.
  explicit StackAllocator(std::byte* memory) : memory_(memory) {}

  [[nodiscard]] std::size_t peak_bytes() const { return peak_bytes_; }

  void* allocate(std::size_t bytes, std::string_view, int) override {
    const std::size_t begin = blocks_.empty() ? 0 : blocks_.back().end;
    blocks_.push_back({begin, begin + (bytes / kAligned + 1) * kAligned});
    peak_bytes_ = std::max(peak_bytes_, blocks_.back().end);
    return memory_ + begin;
  }
  void deallocate(void* pointer) noexcept override {
    const auto begin = static_cast<std::size_t>(static_cast<std::byte*>(pointer) - memory_);
    std::ranges::find(blocks_ | std::views::reverse, begin, &Block::begin)->is_free = true;
    while (!blocks_.empty() && blocks_.back().is_free) blocks_.pop_back();
  }

 private:
  struct Block {
    std::size_t begin;
    std::size_t end;
    bool is_free = false;
  };
  static constexpr std::size_t kAligned = 64;

  std::byte* memory_ = reinterpret_cast<std::byte*>(kAligned);  // only its addresses
  std::size_t peak_bytes_ = 0;
  std::vector<Block> blocks_;
};

// Calls compute(item, context) for each of these items, `at_once` of them at a time, with a part of
// the threads each. All take as much memory as item 0.
template <class Compute>
void for_each_item(std::int64_t items, int at_once, const char* label, const KernelContext& context,
                   const Compute& compute) {
  const auto of_item = [&](Allocator& stack, bool computes) {
    return KernelContext{stack, context.threads / at_once, context.worker, context.stages,
                         computes};
  };
  StackAllocator counted;
  compute(0, of_item(counted, false));
  const std::size_t bytes = counted.peak_bytes();
  const Buffer memory(context.workspace, bytes * static_cast<std::size_t>(at_once), label,
                      context.worker);
  if (!context.computes) return;
  parallel_for(items, at_once, 1, [&](std::int64_t item, std::int64_t, int thread) {
    StackAllocator stack(memory.as<std::byte>() + bytes * static_cast<std::size_t>(thread));
    compute(item, of_item(stack, true));
  });
}

}  // namespace qb::cpu
