#include "harness/execute/memory/memory_ledger.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <unordered_map>

#include "base/clock.h"
#include "base/status.h"

namespace qb {
namespace {

struct Block {
  std::size_t bytes = 0;  // requested bytes
  std::string_view label;
  int worker = 0;
};

// The memory that one worker holds.
struct Share {
  std::uint64_t active = 0;
  std::uint64_t peak = 0;
  std::uint64_t at_reset = 0;
};

}  // namespace

struct MemoryLedger::State {
  explicit State(LedgerOptions given) : options(std::move(given)) {
    if (!options.clock) options.clock = now_s;
    start_s = options.clock();
    machine_bytes = options.source.available();
    allocator = make_block_allocator(
        options.allocator,
        {.map = [this](std::size_t bytes, bool limited) { return map_segment(bytes, limited); },
         .unmap = [this](void* segment, std::size_t bytes) { unmap_segment(segment, bytes); }});
  }

  void record(MemoryAction action, std::string_view label, int worker, const void* address,
              std::uint64_t bytes, std::uint64_t free_bytes = 0) {
    active_peak = std::max(active_peak, active);
    reserved_peak = std::max(reserved_peak, reserved);
    if (!options.record_events) return;
    events.push_back({options.clock() - start_s, action, label, worker,
                      reinterpret_cast<std::uintptr_t>(address), bytes, active, reserved,
                      free_bytes});
  }

  // Returns what a new segment may take. Held segments count whole even if they were never touched,
  // which the machine's own figure does not include. (A source that keeps released memory includes
  // it.)
  std::uint64_t free_on_machine() {
    const std::uint64_t available = options.source.available();
    if (options.source.held) return available;
    machine_bytes = std::max(machine_bytes, available);
    return std::min(available, machine_bytes - std::min(machine_bytes, reserved));
  }

  // Serves the current request.
  void* map_segment(std::size_t bytes, bool limited) {
    const std::uint64_t budget = options.budget_bytes;
    if (limited && budget != 0 && bytes > budget - std::min(budget, reserved)) return nullptr;
    if (bytes > free_on_machine()) return nullptr;
    void* const segment = options.source.reserve(bytes);
    if (segment == nullptr) return nullptr;
    reserved += bytes;
    follow_source();
    record(MemoryAction::segment_alloc, request_label, request_worker, segment, bytes);
    return segment;
  }

  void unmap_segment(void* segment, std::size_t bytes) {
    options.source.release(segment, bytes);
    reserved -= bytes;
    follow_source();
    record(MemoryAction::segment_free, {}, 0, segment, bytes);
  }

  // A source that keeps released memory knows better what is reserved.
  void follow_source() {
    if (options.source.held) reserved = options.source.held();
  }

  [[noreturn]] void out_of_memory(std::size_t bytes, std::string_view label, int worker,
                                  std::uint64_t free_bytes, std::uint64_t limit) {
    record(MemoryAction::oom, label, worker, nullptr, bytes, free_bytes);
    throw OutOfMemory(label, bytes, active, limit);
  }

  void* allocate(std::size_t bytes, std::string_view label, int worker) {
    const std::uint64_t budget = options.budget_bytes;
    if (budget != 0 && bytes > budget - std::min(budget, active))
      out_of_memory(bytes, label, worker, budget - std::min(budget, active), budget);
    request_label = label;
    request_worker = worker;
    void* const block = allocator->allocate(bytes);
    if (block == nullptr) {
      // The held bytes of a caching allocator count, not those handed out.
      const bool over_budget = budget != 0 && options.source.available() >= bytes;
      out_of_memory(bytes, label, worker, free_on_machine(), over_budget ? budget : 0);
    }
    live.emplace(block, Block{bytes, label, worker});
    active += bytes;
    Share& share = shares[worker];
    share.active += bytes;
    share.peak = std::max(share.peak, share.active);
    record(MemoryAction::alloc, label, worker, block, bytes);
    return block;
  }

  void deallocate(void* pointer) {
    const auto found = live.find(pointer);
    if (found == live.end()) std::terminate();
    const Block block = found->second;
    live.erase(found);
    active -= block.bytes;
    shares[block.worker].active -= block.bytes;
    record(MemoryAction::free, block.label, block.worker, pointer, block.bytes);
    allocator->free(pointer);
  }

  mutable std::mutex mutex;
  LedgerOptions options;
  double start_s = 0.0;
  std::uint64_t machine_bytes = 0;  // the most that the machine was ever seen to have
  std::uint64_t active = 0;
  std::uint64_t reserved = 0;
  std::uint64_t active_peak = 0;
  std::uint64_t reserved_peak = 0;
  std::map<int, Share> shares;  // by worker
  std::unordered_map<void*, Block> live;
  std::unique_ptr<BlockAllocator> allocator;
  std::string_view request_label;
  int request_worker = 0;
  std::vector<MemoryEvent> events;
};

MemoryLedger::MemoryLedger(LedgerOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

MemoryLedger::~MemoryLedger() { state_->allocator->release_cached(); }

void* MemoryLedger::allocate(std::size_t bytes, std::string_view label, int worker) {
  const std::lock_guard lock(state_->mutex);
  return state_->allocate(bytes, label, worker);
}

void MemoryLedger::deallocate(void* pointer) noexcept {
  const std::lock_guard lock(state_->mutex);
  state_->deallocate(pointer);
}

std::uint64_t MemoryLedger::active_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->active;
}

std::uint64_t MemoryLedger::reserved_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->reserved;
}

std::uint64_t MemoryLedger::active_peak_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->active_peak;
}

std::uint64_t MemoryLedger::reserved_peak_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->reserved_peak;
}

void MemoryLedger::reset_peaks() {
  const std::lock_guard lock(state_->mutex);
  state_->active_peak = state_->active;
  state_->reserved_peak = state_->reserved;
  for (auto& [worker, share] : state_->shares) share.at_reset = share.peak = share.active;
}

std::uint64_t MemoryLedger::worker_peak_bytes(int worker) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->shares.find(worker);
  return found == state_->shares.end() ? 0 : found->second.peak - found->second.at_reset;
}

void MemoryLedger::release_cached() {
  const std::lock_guard lock(state_->mutex);
  state_->allocator->release_cached();
}

std::vector<MemoryEvent> MemoryLedger::events() const {
  const std::lock_guard lock(state_->mutex);
  return state_->events;
}

}  // namespace qb
