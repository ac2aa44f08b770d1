// PyTorch's CUDA caching allocator, as one stream sees it (torch 2.x, default settings).
//
// Segments come from the machine and are cut into blocks: blocks up to 1 MiB from segments of 2
// MiB, below 10 MiB from segments of 20 MiB, and a larger one from a segment of the request rounded
// up to 2 MiB. A request takes the smallest free block that holds it; the rest becomes a free block
// too (small: from 512 bytes on, large: above 1 MiB), and a freed block joins its free neighbours.
// Memory goes back to the machine only when the machine refuses a segment: then every segment
// without a live block goes back, and the request is tried once more.
//
// If a smaller request takes part of a free block, the rest no longer serves a request of the
// block's full size, and the segment cannot go back while that part is in use. So in the published
// case study the output, alive while the cache is emptied, keeps a whole score matrix until right
// before the next repeat: see published_cliff_test.cpp.
#pragma once

#include <cstddef>
#include <set>
#include <unordered_map>

#include "harness/execute/memory/block_allocator.h"

namespace qb {

class CachingAllocator final : public BlockAllocator {
 public:
  explicit CachingAllocator(SegmentSource source) : source_(std::move(source)) {}
  ~CachingAllocator() override;
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void free(void* block) override;
  void release_cached() override;

  // How often it has freed its cache and retried; each retry waits for the device.
  [[nodiscard]] int retries() const { return retries_; }

 private:
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool small = false;
    bool live = false;
    Block* previous = nullptr;  // neighbours in the segment
    Block* next = nullptr;
  };
  struct BySize {
    bool operator()(const Block* a, const Block* b) const {
      return a->bytes != b->bytes ? a->bytes < b->bytes : a->data < b->data;
    }
  };
  using FreeBlocks = std::set<Block*, BySize>;

  [[nodiscard]] FreeBlocks& free_of(const Block& block) {
    return block.small ? free_small_ : free_large_;
  }
  [[nodiscard]] Block* find_free(std::size_t bytes, bool small);
  [[nodiscard]] Block* map_segment(std::size_t bytes, bool small);
  void split(Block* block, std::size_t bytes);
  void absorb(Block* block, Block* neighbour);
  static void release(FreeBlocks& blocks, const SegmentSource& source);

  SegmentSource source_;
  FreeBlocks free_small_;
  FreeBlocks free_large_;
  std::unordered_map<void*, Block*> live_;
  int retries_ = 0;
};

}  // namespace qb
