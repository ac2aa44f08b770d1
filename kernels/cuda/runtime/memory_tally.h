// What a GPU's allocations add up to, whoever made them. A plain host header.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace qb::cuda {

struct MemoryOperation {
  std::uint64_t time_ns = 0;
  bool allocates = false;  // else: gives back
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// Operations come in buffers that are complete in any order, so they are sorted by time first.
class MemoryTally {
 public:
  void add(const MemoryOperation& operation) { operations_.push_back(operation); }
  // Most bytes held at once. What was there before the first operation is not in it, and giving it
  // back counts for nothing.
  [[nodiscard]] std::uint64_t peak_bytes() const;

 private:
  std::vector<MemoryOperation> operations_;
};

}  // namespace qb::cuda
