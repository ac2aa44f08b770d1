// How the memory ledger cuts the blocks it hands out from the segments it holds. Host code: it
// never touches the memory, so that device memory is kept by the same classes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "base/words.h"

namespace qb {

enum class AllocatorKind {
  automatic,  // same_size on the CPU, pool on a GPU
  same_size,  // a block is a segment; freed ones serve requests of nearly their size
  direct,     // a block is a segment, which goes back to the machine when freed
  pool,       // GPU only: as direct, and the driver keeps what was freed (a private memory pool)
  caching,    // as PyTorch's CUDA caching allocator: see caching_keeper.cpp
};

template <>
struct Words<AllocatorKind> {
  static constexpr std::string_view what = "allocator";
  static constexpr std::pair<AllocatorKind, std::string_view> table[] = {
      {AllocatorKind::automatic, "auto"},
      {AllocatorKind::same_size, "same_size"},
      {AllocatorKind::direct, "direct"},
      {AllocatorKind::pool, "pool"},
      {AllocatorKind::caching, "caching"}};
};

// What a keeper takes its segments from.
struct SegmentSource {
  // nullptr: the machine has no more, or (limited) the budget would be exceeded by what is held.
  std::function<void*(std::size_t bytes, bool limited)> map;
  std::function<void(void* segment, std::size_t bytes)> unmap;
};

class BlockKeeper {
 public:
  virtual ~BlockKeeper() = default;
  // nullptr where there is no more, also after everything that was kept has gone back.
  [[nodiscard]] virtual void* take(std::size_t bytes) = 0;
  virtual void give(void* block) = 0;
  // Gives back to the machine what nobody uses.
  virtual void release_cached() = 0;
};

[[nodiscard]] std::unique_ptr<BlockKeeper> make_block_keeper(AllocatorKind kind,
                                                             SegmentSource source);

// PyTorch's sizes, for tests and for those who wonder where their memory went.
namespace caching {
inline constexpr std::size_t kMinBlockBytes = 512;           // every request is rounded up to it
inline constexpr std::size_t kSmallRequestBytes = 1u << 20;  // up to here from small segments
inline constexpr std::size_t kSmallSegmentBytes = 2u << 20;
inline constexpr std::size_t kLargeSegmentBytes = 20u << 20;  // of requests below the next
inline constexpr std::size_t kOwnSegmentFromBytes = 10u << 20;
inline constexpr std::size_t kSegmentRoundingBytes = 2u << 20;
}  // namespace caching

}  // namespace qb
