// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/memory_ledger.h"

#include <algorithm>
#include <exception>

#include "base/clock.h"
#include "base/status.h"

namespace qb {

MemoryLedger::MemoryLedger(Options options) : options_(std::move(options)) {
  if (!options_.clock) options_.clock = now_s;
  start_s_ = options_.clock();
  machine_bytes_ = options_.source.available();
  allocator_ = make_block_allocator(
      options_.allocator,
      {.map = [this](std::size_t bytes, bool limited) { return map_segment(bytes, limited); },
       .unmap = [this](void* segment, std::size_t bytes) { unmap_segment(segment, bytes); }});
}

void MemoryLedger::record(MemoryEvent::Action action, const Block& block, const void* address,
                          std::uint64_t free_bytes) {
  active_peak_ = std::max(active_peak_, active_);
  reserved_peak_ = std::max(reserved_peak_, reserved_);
  if (!options_.record_events) return;
  events_.push_back({options_.clock() - start_s_, action, block.label, block.worker,
                     reinterpret_cast<std::uintptr_t>(address), block.bytes, active_, reserved_,
                     free_bytes});
}

// Returns what a new segment may take. Held segments count whole, even if never touched; the
// machine's own figure has only what was touched, unless the source keeps released memory.
std::uint64_t MemoryLedger::free_on_machine() {
  const std::uint64_t available = options_.source.available();
  if (options_.source.held) return available;
  machine_bytes_ = std::max(machine_bytes_, available);
  return std::min(available, machine_bytes_ - std::min(machine_bytes_, reserved_));
}

void* MemoryLedger::map_segment(std::size_t bytes, bool limited) {
  const std::uint64_t budget = options_.budget_bytes;
  if (limited && budget != 0 && bytes > budget - std::min(budget, reserved_)) return nullptr;
  if (bytes > free_on_machine()) return nullptr;
  void* const segment = options_.source.reserve(bytes);
  if (segment == nullptr) return nullptr;
  reserved_ += bytes;
  follow_source();
  record(MemoryEvent::Action::segment_alloc, {bytes, request_.label, request_.worker}, segment);
  return segment;
}

void MemoryLedger::unmap_segment(void* segment, std::size_t bytes) {
  options_.source.release(segment, bytes);
  reserved_ -= bytes;
  follow_source();
  record(MemoryEvent::Action::segment_free, {bytes, {}, 0}, segment);
}

// A source that keeps released memory knows better what is reserved.
void MemoryLedger::follow_source() {
  if (options_.source.held) reserved_ = options_.source.held();
}

void MemoryLedger::out_of_memory(std::uint64_t free_bytes, std::uint64_t limit) {
  record(MemoryEvent::Action::oom, request_, nullptr, free_bytes);
  throw OutOfMemory(request_.label, request_.bytes, active_, limit);
}

void* MemoryLedger::allocate(std::size_t bytes, std::string_view label, int worker) {
  const std::lock_guard lock(mutex_);
  request_ = {bytes, label, worker};
  const std::uint64_t budget = options_.budget_bytes;
  const std::uint64_t left = budget - std::min(budget, active_);
  if (budget != 0 && bytes > left) out_of_memory(left, budget);
  void* const block = allocator_->allocate(bytes);
  if (block == nullptr) {
    // The held bytes of a caching allocator count, not those handed out.
    const bool over_budget = budget != 0 && options_.source.available() >= bytes;
    out_of_memory(free_on_machine(), over_budget ? budget : 0);
  }
  live_.emplace(block, request_);
  active_ += bytes;
  Share& share = shares_[worker];
  share.active += bytes;
  share.peak = std::max(share.peak, share.active);
  record(MemoryEvent::Action::alloc, request_, block);
  return block;
}

void MemoryLedger::deallocate(void* pointer) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(pointer);
  if (found == live_.end()) std::terminate();
  const Block block = found->second;
  live_.erase(found);
  active_ -= block.bytes;
  shares_[block.worker].active -= block.bytes;
  record(MemoryEvent::Action::free, block, pointer);
  allocator_->free(pointer);
}

void MemoryLedger::reset_peaks() {
  const std::lock_guard lock(mutex_);
  active_peak_ = active_;
  reserved_peak_ = reserved_;
  for (auto& [worker, share] : shares_) share.at_reset = share.peak = share.active;
}

std::uint64_t MemoryLedger::worker_peak_bytes(int worker) const {
  const std::lock_guard lock(mutex_);
  const auto found = shares_.find(worker);
  return found == shares_.end() ? 0 : found->second.peak - found->second.at_reset;
}

void MemoryLedger::stop_recording() {
  const std::lock_guard lock(mutex_);
  options_.record_events = false;
  events_ = {};
}

void MemoryLedger::release_cached() {
  const std::lock_guard lock(mutex_);
  allocator_->release_cached();
}

}  // namespace qb
