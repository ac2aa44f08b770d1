#include "harness/execute/memory/caching_allocator.h"

#include <algorithm>
#include <limits>

namespace qb {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) return bytes;  // refused later
  return (bytes + unit - 1) / unit * unit;
}

std::size_t segment_bytes(std::size_t bytes) {
  if (bytes <= caching::kSmallRequestBytes) return caching::kSmallSegmentBytes;
  if (bytes < caching::kOwnSegmentFromBytes) return caching::kLargeSegmentBytes;
  return round_up(bytes, caching::kSegmentRoundingBytes);
}

}  // namespace

CachingAllocator::~CachingAllocator() {
  for (FreeBlocks* blocks : {&free_small_, &free_large_})
    for (const Block* block : *blocks) delete block;
  for (const auto& [data, block] : live_) delete block;
}

void* CachingAllocator::allocate(std::size_t requested) {
  const std::size_t bytes =
      std::max(round_up(requested, caching::kMinBlockBytes), caching::kMinBlockBytes);
  const bool small = bytes <= caching::kSmallRequestBytes;
  Block* block = find_free(bytes, small);
  if (block == nullptr) block = map_segment(bytes, small);
  if (block == nullptr) {
    ++retries_;
    release_cached();
    block = map_segment(bytes, small);
  }
  if (block == nullptr) return nullptr;
  split(block, bytes);
  block->live = true;
  live_.emplace(block->data, block);
  return block->data;
}

void CachingAllocator::free(void* data) {
  const auto found = live_.find(data);
  Block* const block = found->second;
  live_.erase(found);
  block->live = false;
  absorb(block, block->previous);
  absorb(block, block->next);
  free_of(*block).insert(block);
}

void CachingAllocator::release_cached() {
  release(free_large_, source_);
  release(free_small_, source_);
}

void CachingAllocator::release(FreeBlocks& blocks, const SegmentSource& source) {
  for (auto at = blocks.begin(); at != blocks.end();) {
    const Block* const block = *at;
    const bool whole_segment = block->previous == nullptr && block->next == nullptr;
    if (!whole_segment) {
      ++at;
      continue;
    }
    source.unmap(block->data, block->bytes);
    at = blocks.erase(at);
    delete block;
  }
}

CachingAllocator::Block* CachingAllocator::find_free(std::size_t bytes, bool small) {
  FreeBlocks& blocks = small ? free_small_ : free_large_;
  Block wanted;
  wanted.bytes = bytes;
  const auto found = blocks.lower_bound(&wanted);
  if (found == blocks.end()) return nullptr;
  Block* const block = *found;
  blocks.erase(found);
  return block;
}

CachingAllocator::Block* CachingAllocator::map_segment(std::size_t bytes, bool small) {
  const std::size_t whole = segment_bytes(bytes);
  void* const data = source_.map(whole, true);
  if (data == nullptr) return nullptr;
  return new Block{static_cast<std::byte*>(data), whole, small, false, nullptr, nullptr};
}

// Cuts the rest off if it is large enough to be a block.
void CachingAllocator::split(Block* block, std::size_t bytes) {
  const std::size_t rest = block->bytes - bytes;
  const bool worth_it =
      block->small ? rest >= caching::kMinBlockBytes : rest > caching::kSmallRequestBytes;
  if (!worth_it) return;
  auto* const remaining =
      new Block{block->data + bytes, rest, block->small, false, block, block->next};
  if (block->next != nullptr) block->next->previous = remaining;
  block->next = remaining;
  block->bytes = bytes;
  free_of(*remaining).insert(remaining);
}

// Joins a free neighbour to a block that is in no list.
void CachingAllocator::absorb(Block* block, Block* neighbour) {
  if (neighbour == nullptr || neighbour->live) return;
  free_of(*neighbour).erase(neighbour);
  if (block->previous == neighbour) {
    block->data = neighbour->data;
    block->previous = neighbour->previous;
    if (block->previous != nullptr) block->previous->next = block;
  } else {
    block->next = neighbour->next;
    if (block->next != nullptr) block->next->previous = block;
  }
  block->bytes += neighbour->bytes;
  delete neighbour;
}

}  // namespace qb
