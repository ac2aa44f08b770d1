// SPDX-License-Identifier: Apache-2.0
// For tests: memory that runs out at any request.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "harness/run/memory/memory_ledger.h"
#include "kernels/allocator.h"

namespace qb {

// Forwards to `inner` and throws OutOfMemory at the k-th request after fail_at(k) was called (k >=
// 1); later requests succeed again.
class FailingAllocator final : public Allocator {
 public:
  explicit FailingAllocator(Allocator& inner) : inner_(inner) {}

  void fail_at(int k) { countdown_ = k; }
  // Returns true if fewer than k requests have come since.
  [[nodiscard]] bool still_armed() const { return countdown_ > 0; }

  [[nodiscard]] void* allocate(std::size_t bytes, std::string_view label, int worker) override {
    if (countdown_-- == 1) throw OutOfMemory(label, bytes, 0, 1);
    return inner_.allocate(bytes, label, worker);
  }
  void deallocate(void* pointer) noexcept override { inner_.deallocate(pointer); }

 private:
  Allocator& inner_;
  std::atomic<int> countdown_{0};
};

// Calls run(memory) until it succeeds; in the k-th call the k-th request for memory fails. Each
// such call must throw OutOfMemory, and none may hold more of `ledger` than before. Returns their
// number.
template <class Play>
int run_out_at_each_request(MemoryLedger& ledger, Play play) {
  const std::uint64_t held = ledger.active_bytes();
  FailingAllocator memory(ledger);
  for (int request = 1;; ++request) {
    memory.fail_at(request);
    bool ran_out = false;
    try {
      play(memory);
    } catch (const OutOfMemory&) {
      ran_out = true;
    }
    EXPECT_NE(ran_out, memory.still_armed()) << "a failure was swallowed, request " << request;
    EXPECT_EQ(ledger.active_bytes(), held) << "after request " << request;
    if (memory.still_armed()) return request - 1;
  }
}

}  // namespace qb
