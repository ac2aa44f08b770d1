// SPDX-License-Identifier: Apache-2.0
// Says where the memory ledger gets its segments from, and how much memory there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace qb {

// Segment sizes and alignments: large segments are whole huge pages.
inline constexpr std::size_t kPageBytes = std::size_t{4} << 10;
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

struct MemorySource {
  // Bytes that a new segment may take without driving the machine into swap or its killer.
  std::function<std::uint64_t()> available;
  // Returns a segment or nullptr. Multiples of kHugePageBytes are aligned to it, others to a page.
  std::function<void*(std::size_t bytes)> reserve;
  std::function<void(void* segment, std::size_t bytes)> release;
  // Bytes held, if the source keeps released segments (a driver's pool); else empty.
  std::function<std::uint64_t()> held{};
};

// Anonymous mappings, which return to the system when released.
[[nodiscard]] MemorySource system_memory();

// The same for many small calls: the segments that were released last, at most so many and so many
// bytes, are kept for all ledgers of the process, as they were left, since the system takes longer
// to map and clear one than a small attention computes; and what is available is read at most every
// 10 ms. Thread-safe, also in a child of fork(), which keeps copies.
inline constexpr std::size_t kMostKeptSegments = 32;
inline constexpr std::size_t kMostKeptBytes = 32 * kHugePageBytes;
[[nodiscard]] MemorySource kept_memory();
// Gives the kept segments back to the system.
void release_kept_memory();

// Returns the least of MemAvailable in /proc/meminfo, of what `ulimit -v` leaves, and, for each
// control group (v2) that this process is in, of memory.max - memory.current + the file cache that
// the kernel can drop; then it subtracts 1/64 for page tables and the kernel's own needs. `root` is
// prefixed to every path: "" for the machine, a folder of fake files in tests. Returns UINT64_MAX
// if none can be read.
[[nodiscard]] std::uint64_t available_memory_bytes(const std::string& root = "");

// Returns the number after `key` in a file of lines `key value …`, as Linux has them; nullopt where
// there is no such line, number or file.
[[nodiscard]] std::optional<std::uint64_t> keyed_number(const std::string& path,
                                                        std::string_view key);

}  // namespace qb
