// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/block_allocator.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "harness/run/memory/system_memory.h"

namespace qb {
namespace {

// Rounds up to one or more units; leaves a request too large for it to the check for free memory.
std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) return bytes;
  return std::max((bytes + unit - 1) / unit * unit, unit);
}

// One block is one segment of whole pages, or of whole huge pages from half of one on. A freed one
// goes back at once, or is kept and serves a request that fills at least 4/5 of it.
class SegmentAllocator final : public BlockAllocator {
 public:
  SegmentAllocator(Source source, bool keeps_freed)
      : source_(std::move(source)), keeps_freed_(keeps_freed) {}

  void* allocate(std::size_t bytes) override {
    const std::size_t wanted =
        rounded_up(bytes, bytes >= kHugePageBytes / 2 ? kHugePageBytes : kPageBytes);
    const auto found = cached_.lower_bound(wanted);
    if (found != cached_.end() && found->first - wanted <= wanted / 4) {
      void* const segment = found->second;
      live_.emplace(segment, found->first);
      cached_.erase(found);
      return segment;
    }
    void* segment = source_.map(wanted, keeps_freed_);
    if (segment == nullptr && keeps_freed_) {
      ++retries_;
      release_cached();
      segment = source_.map(wanted, false);
    }
    if (segment != nullptr) live_.emplace(segment, wanted);
    return segment;
  }
  void free(void* block) override {
    const auto found = live_.find(block);
    if (keeps_freed_)
      cached_.emplace(found->second, block);
    else
      source_.unmap(block, found->second);
    live_.erase(found);
  }
  void release_cached() override {
    for (const auto& [bytes, segment] : cached_) source_.unmap(segment, bytes);
    cached_.clear();
  }

 private:
  Source source_;
  bool keeps_freed_;
  std::unordered_map<void*, std::size_t> live_;  // segment bytes
  std::multimap<std::size_t, void*> cached_;
};

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
class CachingAllocator final : public BlockAllocator {
 public:
  explicit CachingAllocator(Source source) : source_(std::move(source)) {}

  void* allocate(std::size_t requested) override {
    const std::size_t bytes = rounded_up(requested, caching::kMinBlockBytes);
    const bool small = bytes <= caching::kSmallRequestBytes;
    auto block = take_free(bytes, small);
    if (block == blocks_.end()) block = map_segment(bytes, small);
    if (block == blocks_.end()) {
      ++retries_;
      release_cached();
      block = map_segment(bytes, small);
    }
    if (block == blocks_.end()) return nullptr;
    split(block, bytes);
    block->second.live = true;
    return block->first;
  }

  void free(void* data) override {
    auto block = blocks_.find(static_cast<std::byte*>(data));
    block->second.live = false;
    if (!block->second.begins_segment) block = join(std::prev(block), block);
    if (const auto next = std::next(block); !begins_segment(next)) block = join(block, next);
    free_of(block->second).emplace(block->second.bytes, block->first);
  }

  void release_cached() override {
    for (FreeBlocks* const blocks : {&free_large_, &free_small_})
      std::erase_if(*blocks, [this](const auto& free) {
        const auto block = blocks_.find(free.second);
        if (!block->second.begins_segment || !begins_segment(std::next(block))) return false;
        source_.unmap(free.second, free.first);
        blocks_.erase(block);
        return true;
      });
  }

 private:
  struct Block {
    std::size_t bytes = 0;
    bool small = false;
    bool begins_segment = false;
    bool live = false;
  };
  using Blocks = std::map<std::byte*, Block>;                       // in order of their addresses
  using FreeBlocks = std::set<std::pair<std::size_t, std::byte*>>;  // the smallest first

  // Returns true at the end of a segment too, where the next one begins or there is none.
  [[nodiscard]] bool begins_segment(Blocks::const_iterator block) const {
    return block == blocks_.end() || block->second.begins_segment;
  }
  [[nodiscard]] FreeBlocks& free_of(const Block& block) {
    return block.small ? free_small_ : free_large_;
  }

  Blocks::iterator take_free(std::size_t bytes, bool small) {
    FreeBlocks& free = small ? free_small_ : free_large_;
    const auto found = free.lower_bound({bytes, nullptr});
    if (found == free.end()) return blocks_.end();
    const auto block = blocks_.find(found->second);
    free.erase(found);
    return block;
  }

  Blocks::iterator map_segment(std::size_t bytes, bool small) {
    const std::size_t whole = small ? caching::kSmallSegmentBytes
                              : bytes < caching::kOwnSegmentFromBytes
                                  ? caching::kLargeSegmentBytes
                                  : rounded_up(bytes, caching::kSegmentRoundingBytes);
    auto* const data = static_cast<std::byte*>(source_.map(whole, true));
    return data == nullptr ? blocks_.end() : blocks_.emplace(data, Block{whole, small, true}).first;
  }

  // Cuts the rest off if it is large enough to be a block.
  void split(Blocks::iterator block, std::size_t bytes) {
    const bool small = block->second.small;
    const std::size_t rest = block->second.bytes - bytes;
    if (small ? rest < caching::kMinBlockBytes : rest <= caching::kSmallRequestBytes) return;
    block->second.bytes = bytes;
    const auto remaining = blocks_.emplace(block->first + bytes, Block{rest, small}).first;
    free_of(remaining->second).emplace(rest, remaining->first);
  }

  // Joins two neighbours, one of them in no list, if the other is free; returns the one in no list.
  Blocks::iterator join(Blocks::iterator left, Blocks::iterator right) {
    if (left->second.live || right->second.live) return left->second.live ? right : left;
    for (const auto& block : {left, right})
      free_of(block->second).erase({block->second.bytes, block->first});
    left->second.bytes += right->second.bytes;
    blocks_.erase(right);
    return left;
  }

  Source source_;
  Blocks blocks_;
  FreeBlocks free_small_;
  FreeBlocks free_large_;
};

}  // namespace

std::unique_ptr<BlockAllocator> make_block_allocator(AllocatorKind kind,
                                                     BlockAllocator::Source source) {
  if (kind == AllocatorKind::caching) return std::make_unique<CachingAllocator>(std::move(source));
  const bool goes_back = kind == AllocatorKind::direct || kind == AllocatorKind::pool;
  return std::make_unique<SegmentAllocator>(std::move(source), !goes_back);
}

}  // namespace qb
