// The driver's own record of device memory, by CUPTI: what the ledger counts, and beside it what
// libraries, graphs and the runtime take for themselves. A plain host header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace qb::cuda {

// One for the process at a time; it costs time, so not while anything is timed.
class MemoryActivity {
 public:
  // Begins to record. Without CUPTI, or where it refuses, nothing is, and reason() says why.
  MemoryActivity();
  ~MemoryActivity();
  MemoryActivity(const MemoryActivity&) = delete;
  MemoryActivity& operator=(const MemoryActivity&) = delete;

  // Most device memory held at once since it began; nothing where it is not known.
  [[nodiscard]] std::optional<std::uint64_t> peak_bytes() const;
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

}  // namespace qb::cuda
