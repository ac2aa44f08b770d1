// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/system_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <mutex>
#include <vector>

namespace qb {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// Reads the whole file as one number; nullopt if there is none ("max", or no such file).
std::optional<std::uint64_t> lone_number(const std::string& path) { return keyed_number(path, ""); }

std::uint64_t group_available(const std::string& folder) {
  const auto limit = lone_number(folder + "/memory.max");
  const auto current = lone_number(folder + "/memory.current");
  if (!limit || !current) return kUnlimited;
  const std::uint64_t droppable =
      std::min(keyed_number(folder + "/memory.stat", "inactive_file ").value_or(0), *current);
  const std::uint64_t used = *current - droppable;
  return *limit > used ? *limit - used : 0;
}

// The limits of a group and of all groups above it apply.
std::uint64_t groups_available(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("0::/")) continue;
    const std::string mount = root + "/sys/fs/cgroup";
    std::uint64_t least = group_available(mount);
    std::string path = line.substr(3);
    for (; path.size() > 1; path = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)))
      least = std::min(least, group_available(mount + path));
    return least;
  }
  return kUnlimited;
}

// What `ulimit -v` leaves of the address space.
std::uint64_t addresses_available(const std::string& root) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::uint64_t used = lone_number(root + "/proc/self/statm").value_or(0) * kPageBytes;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

void* map(std::size_t bytes) {
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

// Maps one huge page more and cuts the ends off, so that the segment starts on a huge page.
void* map_huge(std::size_t bytes) {
  auto* pages = static_cast<std::byte*>(map(bytes + kHugePageBytes));
  if (pages == nullptr) return nullptr;
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(pages) % kHugePageBytes;
  const std::size_t head = misaligned == 0 ? 0 : kHugePageBytes - misaligned;
  if (head > 0) ::munmap(pages, head);
  ::munmap(pages + head + bytes, kHugePageBytes - head);
  ::madvise(pages + head, bytes, MADV_HUGEPAGE);  // a hint: small pages work too
  return pages + head;
}

void* reserve(std::size_t bytes) {
  return bytes % kHugePageBytes == 0 ? map_huge(bytes) : map(bytes);
}

// Who cannot have the lock goes without: in a child of fork() another thread's may be held for
// good.
class KeptSegments {
 public:
  static KeptSegments& all() {
    static auto* const all = new KeptSegments;  // a ledger may outlive the end of main()
    return *all;
  }
  // Returns the last one of this size; nullptr if there is none.
  void* take(std::size_t bytes) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return nullptr;
    const auto found = std::find_if(segments_.rbegin(), segments_.rend(),
                                    [&](const Segment& one) { return one.bytes == bytes; });
    if (found == segments_.rend()) return nullptr;
    void* const data = found->data;
    segments_.erase(std::next(found).base());
    bytes_ -= bytes;
    return data;
  }
  void give(void* data, std::size_t bytes) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || bytes > kMostKeptBytes) {
      ::munmap(data, bytes);
      return;
    }
    segments_.push_back({data, bytes});
    bytes_ += bytes;
    while (bytes_ > kMostKeptBytes || segments_.size() > kMostKeptSegments) drop_oldest();
  }
  void clear() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    while (lock && !segments_.empty()) drop_oldest();
  }

 private:
  struct Segment {
    void* data;
    std::size_t bytes;
  };
  void drop_oldest() {
    ::munmap(segments_.front().data, segments_.front().bytes);
    bytes_ -= segments_.front().bytes;
    segments_.erase(segments_.begin());
  }
  std::mutex mutex_;
  std::vector<Segment> segments_;  // the oldest first
  std::size_t bytes_ = 0;
};

std::uint64_t recently_available() {
  using Clock = std::chrono::steady_clock;
  thread_local std::uint64_t bytes = 0;
  thread_local Clock::time_point read_at{};
  if (const Clock::time_point now = Clock::now(); now - read_at > std::chrono::milliseconds(10)) {
    bytes = available_memory_bytes();
    read_at = now;
  }
  return bytes;
}

}  // namespace

std::optional<std::uint64_t> keyed_number(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    try {
      return std::stoull(line.substr(key.size()));
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::uint64_t available_memory_bytes(const std::string& root) {
  std::uint64_t available = std::min(groups_available(root), addresses_available(root));
  if (const auto kib = keyed_number(root + "/proc/meminfo", "MemAvailable:"))
    available = std::min(available, *kib * 1024);
  return available == kUnlimited ? kUnlimited : available - available / 64;
}

MemorySource system_memory() {
  return {.available = [] { return available_memory_bytes(); },
          .reserve = reserve,
          .release = [](void* segment, std::size_t bytes) { ::munmap(segment, bytes); }};
}

MemorySource kept_memory() {
  return {.available = recently_available,
          .reserve =
              [](std::size_t bytes) {
                void* const kept = KeptSegments::all().take(bytes);
                return kept != nullptr ? kept : reserve(bytes);
              },
          .release = [](void* segment,
                        std::size_t bytes) { KeptSegments::all().give(segment, bytes); }};
}

void release_kept_memory() { KeptSegments::all().clear(); }

}  // namespace qb
