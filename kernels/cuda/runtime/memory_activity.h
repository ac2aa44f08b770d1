// SPDX-License-Identifier: Apache-2.0
// Measures how much device memory is held at once, by the driver's record (CUPTI), which counts
// also what libraries, graphs and the runtime take. This host header needs no CUDA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qb::cuda {

// A process has one at a time. Recording costs time, so nothing is timed meanwhile.
class MemoryActivity {
 public:
  struct Operation {
    std::uint64_t time_ns = 0;
    bool allocates = false;  // false: gives back
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  // Returns the most bytes that were held at once; operations may come in any order. Memory held
  // before the first one does not count, nor does giving it back.
  [[nodiscard]] static std::uint64_t peak_of(std::vector<Operation> operations);

  // Begins to record; where CUPTI is missing or refuses, nothing is recorded and reason() says why.
  MemoryActivity();
  ~MemoryActivity();
  MemoryActivity(const MemoryActivity&) = delete;
  MemoryActivity& operator=(const MemoryActivity&) = delete;

  // Returns the most bytes held at once since it began; nullopt where this is not known.
  [[nodiscard]] std::optional<std::uint64_t> peak_bytes() const;
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

}  // namespace qb::cuda
