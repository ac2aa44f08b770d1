// SPDX-License-Identifier: Apache-2.0
// Serves one thread from memory of a known size, of which only the end is given back. Without
// memory it counts what it would need.
#pragma once

#include <algorithm>
#include <ranges>
#include <vector>

#include "kernels/allocator.h"

namespace qb::cpu {

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

}  // namespace qb::cpu
