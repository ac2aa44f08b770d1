// SPDX-License-Identifier: Apache-2.0
// How the memory ledger cuts the blocks that it hands out from the segments that it holds. This
// code never touches the memory, so that the same classes allocate on the host and on a device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/words.h"

namespace qb {

enum class AllocatorKind {
  automatic,  // same_size on the CPU, pool on a GPU
  same_size,  // a block is a segment; freed ones serve requests of nearly their size
  direct,     // a block is a segment, which goes back to the machine when freed
  pool,       // direct on a GPU, but the driver keeps freed memory (a private memory pool)
  caching,    // works as PyTorch's CUDA caching allocator: see block_allocator.cpp
};

template <>
inline constexpr auto kWords<AllocatorKind> =
    word_table<AllocatorKind>("allocator", {{AllocatorKind::automatic, "auto"},
                                            {AllocatorKind::same_size, "same_size"},
                                            {AllocatorKind::direct, "direct"},
                                            {AllocatorKind::pool, "pool"},
                                            {AllocatorKind::caching, "caching"}});

class BlockAllocator {
 public:
  struct Source {
    // Returns nullptr if the machine has no more, or (limited) held memory would exceed the budget.
    std::function<void*(std::size_t bytes, bool limited)> map;
    std::function<void(void* segment, std::size_t bytes)> unmap;
  };

  virtual ~BlockAllocator() = default;
  // Returns nullptr if there is no more, even after everything that was kept has been given back.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void free(void* block) = 0;
  virtual void release_cached() = 0;  // gives unused segments back to the machine
  // How often it has given back what it kept and tried again; each retry waits for the device.
  [[nodiscard]] int retries() const { return retries_; }

 protected:
  int retries_ = 0;
};

[[nodiscard]] std::unique_ptr<BlockAllocator> make_block_allocator(AllocatorKind kind,
                                                                   BlockAllocator::Source source);

// Sizes in PyTorch's allocator.
namespace caching {
inline constexpr std::size_t kMinBlockBytes = 512;           // every request is rounded up to it
inline constexpr std::size_t kSmallRequestBytes = 1u << 20;  // larger requests use large segments
inline constexpr std::size_t kSmallSegmentBytes = 2u << 20;
inline constexpr std::size_t kLargeSegmentBytes = 20u << 20;  // requests below the next use it
inline constexpr std::size_t kOwnSegmentFromBytes = 10u << 20;
inline constexpr std::size_t kSegmentRoundingBytes = 2u << 20;
}  // namespace caching

}  // namespace qb
