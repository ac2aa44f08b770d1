// SPDX-License-Identifier: Apache-2.0
// Fakes of the machine and the clock for tests of the ledger and of the timeline.
#pragma once

#include <map>
#include <stdexcept>

#include "harness/run/memory/memory_ledger.h"

namespace qb {

// A machine of `capacity` bytes. Its segments are addresses without memory behind them, so nobody
// may touch them. Its clock advances one second each time it is read.
class FakeMachine {
 public:
  explicit FakeMachine(std::uint64_t capacity) : capacity_(capacity) {}
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  [[nodiscard]] MemoryLedger::Options options() {
    MemoryLedger::Options options;
    options.clock = [this] { return now_s_++; };
    options.source = {.available = [this] { return capacity_ - held_bytes(); },
                      .reserve = [this](std::size_t bytes) { return reserve(bytes); },
                      .release =
                          [this](void* segment, std::size_t bytes) {
                            if (segments_.at(segment) != bytes)
                              throw std::logic_error("wrong size");
                            segments_.erase(segment);
                          }};
    return options;
  }

  [[nodiscard]] void* reserve(std::size_t bytes) {
    void* segment = reinterpret_cast<void*>(next_);
    next_ += bytes + kHugePageBytes;
    segments_.emplace(segment, bytes);
    return segment;
  }

  [[nodiscard]] std::uint64_t held_bytes() const {
    std::uint64_t held = 0;
    for (const auto& [segment, bytes] : segments_) held += bytes;
    return held;
  }

 private:
  std::uint64_t capacity_;
  std::uintptr_t next_ = std::uintptr_t{1} << 32;
  std::map<void*, std::size_t> segments_;
  double now_s_ = 0.0;
};

}  // namespace qb
