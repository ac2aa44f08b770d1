// SPDX-License-Identifier: Apache-2.0
// A device of `capacity` bytes for tests of the allocators, without memory behind its addresses.
//
// With `reclaims`, returned memory is not free at once, as on a device that first clears it. idle()
// makes it free, and a request that needs such memory waits for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>

#include "harness/run/memory/block_allocator.h"

namespace qb {

struct FakeSegments {
  explicit FakeSegments(std::size_t bytes, bool reclaims_slowly = false)
      : capacity(bytes), reclaims(reclaims_slowly) {}

  BlockAllocator::Source source() {
    return {.map = [this](std::size_t bytes, bool) { return map(bytes); },
            .unmap = [this](void* segment, std::size_t bytes) { unmap(segment, bytes); }};
  }
  void idle() { returning = 0; }

  std::size_t capacity;
  bool reclaims;
  std::size_t held = 0;
  std::size_t returning = 0;     // returned, not yet free
  std::size_t waited_bytes = 0;  // bytes that requests have waited for
  int waits = 0;
  int maps = 0;
  std::map<void*, std::size_t> live;

 private:
  void* map(std::size_t bytes) {
    constexpr std::size_t kGap = std::size_t{1} << 20;  // no two segments touch
    if (held + bytes > capacity) return nullptr;
    if (held + bytes + returning > capacity) {
      ++waits;
      waited_bytes += returning;
      returning = 0;
    }
    held += bytes;
    void* const segment = reinterpret_cast<void*>(next_);
    next_ += bytes + kGap;
    live.emplace(segment, bytes);
    ++maps;
    return segment;
  }
  void unmap(void* segment, std::size_t bytes) {
    if (live.at(segment) != bytes) throw std::logic_error("a segment of another size");
    live.erase(segment);
    held -= bytes;
    if (reclaims) returning += bytes;
  }

  std::uintptr_t next_ = std::uintptr_t{1} << 40;
};

}  // namespace qb
