// SPDX-License-Identifier: Apache-2.0
// Every tensor is allocated from the memory ledger, with a label and a worker. The ledger knows
// active, reserved and peak bytes at every moment and enforces a budget.
//
// active   bytes that are allocated and not yet freed, exactly as requested
// reserved bytes held from the system: freed blocks are kept for the next request of their size, so
//          that timed repeats do not pay for page faults; they go back to the system when it or the
//          budget runs out (free and retry), and at the end
//
// block_allocator.h says how blocks are cut from segments.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/words.h"
#include "harness/run/memory/block_allocator.h"
#include "harness/run/memory/system_memory.h"
#include "kernels/allocator.h"

namespace qb {

struct MemoryEvent {
  enum class Action { alloc, free, segment_alloc, segment_free, oom };
  double time_s = 0.0;  // since the ledger was made
  Action action = Action::alloc;
  std::string_view label;  // empty for segment_free: a cached segment has no owner
  int worker = 0;
  std::uint64_t address = 0;  // address of the block or segment; 0 for oom
  std::uint64_t bytes = 0;    // requested bytes for alloc, free and oom; whole bytes for segments
  std::uint64_t active_bytes = 0;  // after the event
  std::uint64_t reserved_bytes = 0;
  std::uint64_t free_bytes = 0;  // oom: bytes that the budget or the machine still had
};

QB_WORDS(MemoryEvent::Action, "memory action", alloc, free, segment_alloc, segment_free, oom);

// Thread-safe. Throws OutOfMemory over the budget or if the system has no more: a request above the
// machine's available memory fails here, as a data point, before the kernel kills the process.
class MemoryLedger final : public Allocator {
 public:
  struct Options {
    std::uint64_t budget_bytes = 0;   // limit on active bytes (caching: reserved); 0: the machine's
    bool record_events = false;       // keep the timeline
    std::function<double()> clock{};  // seconds; the default is a steady clock, tests use a fake
    MemorySource source = system_memory();  // a GPU's memory; a fake machine in tests
    AllocatorKind allocator = AllocatorKind::same_size;
  };

  MemoryLedger() : MemoryLedger(Options()) {}
  explicit MemoryLedger(Options options);
  ~MemoryLedger() override { allocator_->release_cached(); }  // every block must have been freed
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  [[nodiscard]] void* allocate(std::size_t bytes, std::string_view label, int worker) override;
  // A pointer that did not come from this ledger ends the program: memory is corrupt.
  void deallocate(void* pointer) noexcept override;

  [[nodiscard]] std::uint64_t active_bytes() const { return read(active_); }
  [[nodiscard]] std::uint64_t reserved_bytes() const { return read(reserved_); }
  [[nodiscard]] std::uint64_t active_peak_bytes() const { return read(active_peak_); }
  [[nodiscard]] std::uint64_t reserved_peak_bytes() const { return read(reserved_peak_); }
  // Returns the most that one worker has held since reset_peaks(), minus what it held then.
  [[nodiscard]] std::uint64_t worker_peak_bytes(int worker) const;
  void reset_peaks();     // to what is held now
  void release_cached();  // gives cached blocks back to the system
  [[nodiscard]] std::vector<MemoryEvent> events() const { return read(events_); }
  void stop_recording();  // forgets the events too; memory and peaks stay as they are

 private:
  struct Block {
    std::size_t bytes = 0;  // requested bytes
    std::string_view label;
    int worker = 0;
  };
  struct Share {
    std::uint64_t active = 0;
    std::uint64_t peak = 0;
    std::uint64_t at_reset = 0;
  };

  template <class T>
  [[nodiscard]] T read(const T& member) const {
    const std::lock_guard lock(mutex_);
    return member;
  }
  void record(MemoryEvent::Action action, const Block& block, const void* address,
              std::uint64_t free_bytes = 0);
  [[nodiscard]] std::uint64_t free_on_machine();
  [[nodiscard]] void* map_segment(std::size_t bytes, bool limited);
  void unmap_segment(void* segment, std::size_t bytes);
  void follow_source();
  [[noreturn]] void out_of_memory(std::uint64_t free_bytes, std::uint64_t limit);

  mutable std::mutex mutex_;
  Options options_;
  double start_s_ = 0.0;
  std::uint64_t machine_bytes_ = 0;  // the most that the machine was ever seen to have
  std::uint64_t active_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t active_peak_ = 0;
  std::uint64_t reserved_peak_ = 0;
  std::map<int, Share> shares_;  // by worker
  std::unordered_map<void*, Block> live_;
  std::unique_ptr<BlockAllocator> allocator_;
  Block request_;  // the present one
  std::vector<MemoryEvent> events_;
};

}  // namespace qb
