// Every tensor is allocated from the memory ledger, with a label and a worker. The ledger knows
// active, reserved and peak bytes at every moment and enforces a budget.
//
// active   bytes that are allocated and not yet freed, exactly as requested
// reserved bytes held from the system: freed blocks are kept for the next request of their size, as
//          caching allocators do, so that timed repeats do not pay for page faults; they go back to
//          the system when the budget or the system runs out (free and retry), and at the end
//
// By default one block is one segment of the system's memory: whole pages, or whole 2 MiB pages
// from 1 MiB on, and a cached segment serves a request that fills at least 4/5 of it.
// block_allocator.h has the other kinds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
#include "harness/execute/memory/block_allocator.h"
#include "harness/execute/memory/system_memory.h"
#include "kernels/allocator.h"

namespace qb {

enum class MemoryAction { alloc, free, segment_alloc, segment_free, oom };

template <>
inline constexpr auto kWords<MemoryAction> =
    word_table<MemoryAction>("memory action", {{MemoryAction::alloc, "alloc"},
                                               {MemoryAction::free, "free"},
                                               {MemoryAction::segment_alloc, "segment_alloc"},
                                               {MemoryAction::segment_free, "segment_free"},
                                               {MemoryAction::oom, "oom"}});

struct MemoryEvent {
  double time_s = 0.0;  // since the ledger was made
  MemoryAction action = MemoryAction::alloc;
  std::string_view label;  // empty for segment_free: a cached segment has no owner
  int worker = 0;
  std::uint64_t address = 0;  // address of the block or segment; 0 for oom
  std::uint64_t bytes = 0;    // requested bytes for alloc, free and oom; whole bytes for segments
  std::uint64_t active_bytes = 0;  // after the event
  std::uint64_t reserved_bytes = 0;
  std::uint64_t free_bytes = 0;  // oom: bytes that the budget or the machine still had
};

struct LedgerOptions {
  std::uint64_t budget_bytes = 0;  // limit on active bytes; 0: the machine's own
  bool record_events = false;      // keep the timeline (memory passes, not timed ones)
  std::function<double()> clock;   // seconds; the default is a steady clock, tests use a fake
  MemorySource source = system_memory();  // a GPU's memory; a fake machine in tests
  AllocatorKind allocator = AllocatorKind::same_size;
};

// Thread-safe. Throws OutOfMemory over the budget or if the system has no more: a request above the
// machine's available memory fails here, as a data point, before the kernel kills the process.
// Segments that are held but not yet touched count as used.
class MemoryLedger final : public Allocator {
 public:
  explicit MemoryLedger(LedgerOptions options = {});
  // Every block must have been freed.
  ~MemoryLedger() override;
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  [[nodiscard]] void* allocate(std::size_t bytes, std::string_view label, int worker) override;
  // A pointer that did not come from this ledger ends the program: memory is corrupt.
  void deallocate(void* pointer) noexcept override;

  [[nodiscard]] std::uint64_t active_bytes() const;
  [[nodiscard]] std::uint64_t reserved_bytes() const;
  [[nodiscard]] std::uint64_t active_peak_bytes() const;
  [[nodiscard]] std::uint64_t reserved_peak_bytes() const;
  // Returns the most that one worker has held since reset_peaks(), minus what it held then.
  [[nodiscard]] std::uint64_t worker_peak_bytes(int worker) const;
  // Restarts the peaks from what is held now.
  void reset_peaks();
  // Gives cached blocks back to the system.
  void release_cached();
  [[nodiscard]] std::vector<MemoryEvent> events() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace qb
