// PyTorch's CUDA caching allocator, as far as one stream sees it (torch 2.x, default settings).
//
// Segments come from the machine in sizes of their own and are cut into blocks: up to 1 MiB from
// segments of 2 MiB, below 10 MiB from segments of 20 MiB, larger ones from a segment of the
// request rounded up to 2 MiB. A request takes the smallest free block that holds it, whatever is
// left of the block becomes a free block too (small: from 512 bytes on, large: above 1 MiB), and a
// freed block joins its free neighbours. Nothing goes back to the machine until the machine refuses
// a segment; then every segment without a live block does, and the request is tried once more.
//
// A free block that a smaller request has taken a bite of serves no request of its own size any
// more, and cannot go back while the bite is in use. So in the published case study the output,
// alive while the cache is emptied, holds a whole score matrix until right before the next repeat:
// see published_cliff_test.cpp.
#pragma once

#include <cstddef>
#include <set>
#include <unordered_map>

#include "harness/execute/memory/block_keeper.h"

namespace qb {

class CachingKeeper final : public BlockKeeper {
 public:
  explicit CachingKeeper(SegmentSource source) : source_(std::move(source)) {}
  ~CachingKeeper() override;
  CachingKeeper(const CachingKeeper&) = delete;
  CachingKeeper& operator=(const CachingKeeper&) = delete;

  [[nodiscard]] void* take(std::size_t bytes) override;
  void give(void* block) override;
  void release_cached() override;

  // Free-and-retries so far: each waits for the device.
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
