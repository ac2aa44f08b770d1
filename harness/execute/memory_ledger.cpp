#include "harness/execute/memory_ledger.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <unordered_map>

#include "harness/base/status.h"

namespace qb {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Whole pages; whole huge pages from half of one on. A request too large to round up stays as it
// is: no machine has it, and the check for available memory says so.
std::size_t segment_bytes(std::size_t bytes) {
  const std::size_t unit = bytes >= kHugePageBytes / 2 ? kHugePageBytes : kPageBytes;
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) return bytes;
  return std::max((bytes + unit - 1) / unit * unit, unit);
}

struct Block {
  std::size_t bytes = 0;  // as requested
  std::size_t segment_bytes = 0;
  std::string_view label;
  int worker = 0;
};

// What one worker holds.
struct Share {
  std::uint64_t active = 0;
  std::uint64_t peak = 0;
  std::uint64_t at_reset = 0;
};

}  // namespace

struct MemoryLedger::State {
  explicit State(LedgerOptions given) : options(std::move(given)) {
    if (!options.clock) options.clock = steady_seconds;
    start_s = options.clock();
    machine_bytes = options.source.available();
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

  // What a new segment may take. Held segments count whole even where nobody has touched them yet,
  // which the machine's own figure does not know of.
  std::uint64_t free_on_machine() {
    const std::uint64_t available = options.source.available();
    machine_bytes = std::max(machine_bytes, available);
    return std::min(available, machine_bytes - std::min(machine_bytes, reserved));
  }

  void release_cached() {
    for (const auto& [bytes, segment] : cached) {
      options.source.release(segment, bytes);
      reserved -= bytes;
      record(MemoryAction::segment_free, {}, 0, segment, bytes);
    }
    cached.clear();
  }

  // A cached segment that the request fills well enough, taken out of the cache; else nullptr.
  std::pair<void*, std::size_t> take_cached(std::size_t wanted) {
    const auto found = cached.lower_bound(wanted);
    if (found == cached.end() || found->first - wanted > wanted / 4) return {nullptr, 0};
    const std::pair<void*, std::size_t> segment(found->second, found->first);
    cached.erase(found);
    return segment;
  }

  void* map_segment(std::size_t wanted, std::string_view label, int worker) {
    if (wanted > free_on_machine()) return nullptr;
    void* segment = options.source.reserve(wanted);
    if (segment == nullptr) return nullptr;
    reserved += wanted;
    record(MemoryAction::segment_alloc, label, worker, segment, wanted);
    return segment;
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
    const std::size_t wanted = segment_bytes(bytes);
    auto [segment, size] = take_cached(wanted);
    if (segment == nullptr) {
      if (budget != 0 && reserved + wanted > budget) release_cached();
      size = wanted;
      segment = map_segment(wanted, label, worker);
      if (segment == nullptr) {  // free and retry
        release_cached();
        segment = map_segment(wanted, label, worker);
      }
      if (segment == nullptr) out_of_memory(bytes, label, worker, free_on_machine(), 0);
    }
    live.emplace(segment, Block{bytes, size, label, worker});
    active += bytes;
    Share& share = shares[worker];
    share.active += bytes;
    share.peak = std::max(share.peak, share.active);
    record(MemoryAction::alloc, label, worker, segment, bytes);
    return segment;
  }

  void deallocate(void* pointer) {
    const auto found = live.find(pointer);
    if (found == live.end()) std::terminate();
    const Block block = found->second;
    live.erase(found);
    active -= block.bytes;
    shares[block.worker].active -= block.bytes;
    cached.emplace(block.segment_bytes, pointer);
    record(MemoryAction::free, block.label, block.worker, pointer, block.bytes);
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
  std::multimap<std::size_t, void*> cached;
  std::vector<MemoryEvent> events;
};

MemoryLedger::MemoryLedger(LedgerOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

MemoryLedger::~MemoryLedger() { state_->release_cached(); }

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
  state_->release_cached();
}

std::vector<MemoryEvent> MemoryLedger::events() const {
  const std::lock_guard lock(state_->mutex);
  return state_->events;
}

}  // namespace qb
