// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/system_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

// A folder of fake /proc and /sys files.
class FakeRoot {
 public:
  void write(const std::string& name, const std::string& content) const {
    (void)folder_.file(name, content);
  }
  [[nodiscard]] std::uint64_t available() const { return available_memory_bytes(folder_.path()); }

 private:
  ScratchFolder folder_;
};

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(AvailableMemory, IsMemAvailableLessItsMarginWithoutControlGroups) {
  const FakeRoot root;
  root.write("/proc/meminfo",
             "MemTotal: 16777216 kB\nMemFree: 1 kB\nMemAvailable:    8388608 kB\n");
  EXPECT_EQ(root.available(), 8 * kGiB - 8 * kGiB / 64);
}

TEST(AvailableMemory, IsUnknownWhereNothingCanBeRead) {
  const FakeRoot root;
  EXPECT_EQ(root.available(), std::numeric_limits<std::uint64_t>::max());
}

TEST(AvailableMemory, IsBoundByTheTightestGroupAboveTheProcess) {
  const FakeRoot root;
  root.write("/proc/meminfo", "MemAvailable: 8388608 kB\n");
  root.write("/proc/self/cgroup", "4:memory:/elsewhere\n0::/user/job\n");
  root.write("/sys/fs/cgroup/user/job/memory.max", "max\n");
  root.write("/sys/fs/cgroup/user/job/memory.current", "1073741824\n");
  EXPECT_EQ(root.available(), 8 * kGiB - 8 * kGiB / 64) << "max is not a limit";

  root.write("/sys/fs/cgroup/user/memory.max", "4294967296\n");
  root.write("/sys/fs/cgroup/user/memory.current", "3221225472\n");
  EXPECT_EQ(root.available(), kGiB - kGiB / 64);

  root.write("/sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 1073741824\n");
  EXPECT_EQ(root.available(), 2 * kGiB - 2 * kGiB / 64) << "file cache can be dropped";

  root.write("/sys/fs/cgroup/memory.max", "1024\n");
  root.write("/sys/fs/cgroup/memory.current", "2048\n");
  EXPECT_EQ(root.available(), 0u) << "a group over its limit has nothing left";
}

TEST(SystemMemory, GivesAlignedWritableSegments) {
  const MemorySource source = system_memory();
  for (const std::size_t bytes : {kPageBytes, 3 * kPageBytes, kHugePageBytes, 3 * kHugePageBytes}) {
    void* segment = source.reserve(bytes);
    ASSERT_NE(segment, nullptr);
    const std::size_t alignment = bytes % kHugePageBytes == 0 ? kHugePageBytes : kPageBytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment) % alignment, 0u);
    std::memset(segment, 0x5a, bytes);
    source.release(segment, bytes);
  }
}

TEST(SystemMemory, HasSomeOnThisMachine) {
  EXPECT_GT(system_memory().available(), std::uint64_t{1} << 20);
}

TEST(KeptMemory, AReleasedHugePageIsTheNextOneUntilItIsGivenBack) {
  release_kept_memory();
  const MemorySource source = kept_memory();
  void* const first = source.reserve(kHugePageBytes);
  ASSERT_NE(first, nullptr);
  std::memset(first, 7, kHugePageBytes);
  source.release(first, kHugePageBytes);
  EXPECT_EQ(kept_memory().reserve(kHugePageBytes), first) << "of another ledger too";
  EXPECT_EQ(static_cast<char*>(first)[kHugePageBytes - 1], 7) << "as it was left";
  source.release(first, kHugePageBytes);
  release_kept_memory();
  void* const fresh = source.reserve(kHugePageBytes);
  EXPECT_EQ(static_cast<char*>(fresh)[kHugePageBytes - 1], 0) << "the system clears it";
  source.release(fresh, kHugePageBytes);
  release_kept_memory();
}

TEST(KeptMemory, KeepsWhatWasReleasedLastUpToItsBounds) {
  release_kept_memory();
  const MemorySource source = kept_memory();
  const auto survive = [&](std::size_t bytes, std::size_t n, std::size_t most) {
    std::vector<void*> segments;
    for (std::size_t i = 0; i < n; ++i) segments.push_back(source.reserve(bytes));
    for (void* const one : segments) source.release(one, bytes);
    for (std::size_t i = 0; i < most; ++i)
      EXPECT_EQ(source.reserve(bytes), segments[n - 1 - i]) << bytes << " bytes, " << i;
    for (std::size_t i = 0; i < most; ++i) source.release(segments[n - 1 - i], bytes);
  };
  survive(4 * kHugePageBytes, 10, kMostKeptBytes / (4 * kHugePageBytes));
  survive(kPageBytes, kMostKeptSegments + 3, kMostKeptSegments);
  survive(3 * kPageBytes, 2, 2);
  release_kept_memory();
  void* const fresh = source.reserve(3 * kPageBytes);
  EXPECT_EQ(static_cast<char*>(fresh)[0], 0) << "the system clears it";
  source.release(fresh, 3 * kPageBytes);
  release_kept_memory();
}

}  // namespace
}  // namespace qb
