#include "harness/execute/memory/block_allocator.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "harness/execute/memory/caching_allocator.h"
#include "harness/execute/memory/system_memory.h"

namespace qb {
namespace {

// Rounds up to whole pages, or to whole huge pages from half of one on. A request too large to
// round up is returned unchanged: the check for available memory refuses it.
std::size_t segment_bytes(std::size_t bytes) {
  const std::size_t unit = bytes >= kHugePageBytes / 2 ? kHugePageBytes : kPageBytes;
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) return bytes;
  return std::max((bytes + unit - 1) / unit * unit, unit);
}

// One block is one segment. A freed one goes back at once, or is kept and serves a request that
// fills at least 4/5 of it.
class SegmentAllocator final : public BlockAllocator {
 public:
  SegmentAllocator(SegmentSource source, bool keeps_freed)
      : source_(std::move(source)), keeps_freed_(keeps_freed) {}

  void* allocate(std::size_t bytes) override {
    const std::size_t wanted = segment_bytes(bytes);
    const auto found = cached_.lower_bound(wanted);
    if (found != cached_.end() && found->first - wanted <= wanted / 4) {
      void* const segment = found->second;
      live_.emplace(segment, found->first);
      cached_.erase(found);
      return segment;
    }
    void* segment = source_.map(wanted, keeps_freed_);
    if (segment == nullptr && keeps_freed_) {  // free and retry
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
  SegmentSource source_;
  bool keeps_freed_;
  std::unordered_map<void*, std::size_t> live_;  // segment bytes
  std::multimap<std::size_t, void*> cached_;
};

}  // namespace

std::unique_ptr<BlockAllocator> make_block_allocator(AllocatorKind kind, SegmentSource source) {
  if (kind == AllocatorKind::caching) return std::make_unique<CachingAllocator>(std::move(source));
  const bool goes_back = kind == AllocatorKind::direct || kind == AllocatorKind::pool;
  return std::make_unique<SegmentAllocator>(std::move(source), !goes_back);
}

}  // namespace qb
