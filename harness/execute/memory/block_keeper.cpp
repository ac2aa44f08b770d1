#include "harness/execute/memory/block_keeper.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "harness/execute/memory/caching_keeper.h"
#include "harness/execute/memory/system_memory.h"

namespace qb {
namespace {

// Whole pages; whole huge pages from half of one on. A request too large to round up stays as it
// is: no machine has it, and the check for available memory says so.
std::size_t segment_bytes(std::size_t bytes) {
  const std::size_t unit = bytes >= kHugePageBytes / 2 ? kHugePageBytes : kPageBytes;
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) return bytes;
  return std::max((bytes + unit - 1) / unit * unit, unit);
}

// One block is one segment; a freed one serves a request that fills at least 4/5 of it.
class SameSizeKeeper final : public BlockKeeper {
 public:
  explicit SameSizeKeeper(SegmentSource source) : source_(std::move(source)) {}

  void* take(std::size_t bytes) override {
    const std::size_t wanted = segment_bytes(bytes);
    const auto found = cached_.lower_bound(wanted);
    if (found != cached_.end() && found->first - wanted <= wanted / 4) {
      void* const segment = found->second;
      live_.emplace(segment, found->first);
      cached_.erase(found);
      return segment;
    }
    void* segment = source_.map(wanted, true);
    if (segment == nullptr) {  // free and retry
      release_cached();
      segment = source_.map(wanted, false);
    }
    if (segment != nullptr) live_.emplace(segment, wanted);
    return segment;
  }
  void give(void* block) override {
    const auto found = live_.find(block);
    cached_.emplace(found->second, block);
    live_.erase(found);
  }
  void release_cached() override {
    for (const auto& [bytes, segment] : cached_) source_.unmap(segment, bytes);
    cached_.clear();
  }

 private:
  SegmentSource source_;
  std::unordered_map<void*, std::size_t> live_;  // segment bytes
  std::multimap<std::size_t, void*> cached_;
};

class DirectKeeper final : public BlockKeeper {
 public:
  explicit DirectKeeper(SegmentSource source) : source_(std::move(source)) {}

  void* take(std::size_t bytes) override {
    const std::size_t wanted = segment_bytes(bytes);
    void* const segment = source_.map(wanted, false);
    if (segment != nullptr) live_.emplace(segment, wanted);
    return segment;
  }
  void give(void* block) override {
    const auto found = live_.find(block);
    source_.unmap(block, found->second);
    live_.erase(found);
  }
  void release_cached() override {}

 private:
  SegmentSource source_;
  std::unordered_map<void*, std::size_t> live_;
};

}  // namespace

std::unique_ptr<BlockKeeper> make_block_keeper(AllocatorKind kind, SegmentSource source) {
  switch (kind) {
    case AllocatorKind::automatic:
    case AllocatorKind::same_size:
      break;
    case AllocatorKind::direct:
    case AllocatorKind::pool:
      return std::make_unique<DirectKeeper>(std::move(source));
    case AllocatorKind::caching:
      return std::make_unique<CachingKeeper>(std::move(source));
  }
  return std::make_unique<SameSizeKeeper>(std::move(source));
}

}  // namespace qb
