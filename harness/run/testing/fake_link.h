// SPDX-License-Identifier: Apache-2.0
// For tests: links between ranks that are threads of this process, a device whose memory the host
// cannot touch, and ranks that start, fail and end together.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/run/device/compute_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/device_probe.h"
#include "harness/run/transport/device_link.h"
#include "harness/run/transport/worker_team.h"

namespace qb {

class FakeLinks;

inline void* to_device(void* host) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(host) | kOnDevice);
}

class FakeGpu : public DeviceProbe, public LinkedDevice {
 public:
  // The links of the ranks that run with it; they must outlive it.
  void connect(FakeLinks& links) { links_ = &links; }
  [[nodiscard]] std::string make_link_id() override { return "fake"; }
  [[nodiscard]] std::unique_ptr<DeviceLink> open_link(const std::string& id, int rank, int ranks,
                                                      double timeout_s) override;

  [[nodiscard]] MemorySource memory(AllocatorKind) override {
    MemorySource source = system_memory();
    const auto reserve = source.reserve;
    const auto release = source.release;
    source.reserve = [reserve](std::size_t bytes) {
      void* const memory = reserve(bytes);
      // No code may rely on what a segment held before it was handed out.
      if (memory != nullptr) std::memset(memory, 0x7b, bytes);
      return memory == nullptr ? nullptr : to_device(memory);
    };
    source.release = [release](void* memory, std::size_t bytes) {
      release(to_host(memory), bytes);
    };
    return source;
  }

 protected:
  // The host's kernels work in memory of the host, beside what a kernel here would take.
  void attend(Kernel kernel, AttentionArguments call, Allocator& memory, int worker) override {
    const Buffer workspace = workspace_of(costs().of_call(kernel, call), memory, worker);
    DeviceProbe::attend(kernel, call, heap_allocator(), worker);
  }
  void attend_backward(Kernel kernel, BackwardArguments call, Allocator& memory,
                       int worker) override {
    const Buffer workspace = workspace_of(costs().of_backward_call(kernel, call), memory, worker);
    DeviceProbe::attend_backward(kernel, call, heap_allocator(), worker);
  }

 private:
  [[nodiscard]] static Buffer workspace_of(const cuda::CallCost& cost, Allocator& memory,
                                           int worker) {
    return room(cost.workspace_bytes.value_or(0) - cost.list_bytes, "workspace", memory, worker);
  }

  FakeLinks* links_ = nullptr;
};

// All ranks' side streams. A group runs when it is the oldest of its rank; a part of it is done
// when the peer's oldest group has its counterpart, and the group ends when all of its parts are
// done. So a group that waits for one that cannot run is a deadlock, as on GPUs. It is noticed at
// once: the oldest groups of some ranks wait for each other in a ring.
//
// Bytes of every other group arrive at the last allowed moment: when one of the two sides first
// learns that its group has ended. A worker that reads or reuses a buffer earlier gets garbage.
class FakeLinks {
 public:
  explicit FakeLinks(int ranks, double patience_s = 20.0)
      : patience_s_(patience_s), ranks_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] std::unique_ptr<DeviceLink> open(int rank) {
    return std::make_unique<Link>(*this, rank);
  }
  // Says what went wrong with the groups; empty if nothing did.
  [[nodiscard]] std::string flaw() const {
    const std::lock_guard lock(mutex_);
    return flaw_;
  }
  [[nodiscard]] int groups() const {
    const std::lock_guard lock(mutex_);
    return n_groups_;
  }
  // Ends all waits: what waits here is a device, and its host goes on and finds what has failed.
  void stop_waiting() {
    {
      const std::lock_guard lock(mutex_);
      broken_ = true;
    }
    changed_.notify_all();
  }
  // Makes this rank's link fail from the `group`-th of all groups on (counting from 1).
  void fail_at(int rank, int group) {
    failing_rank_ = rank;
    failing_group_ = group;
  }

 private:
  struct Part {
    DeviceLink::Part part;
    bool done = false;
  };
  struct Late {
    int from = 0;
    int from_group = 0;
    int to = 0;
    int to_group = 0;
    DeviceLink::Part out;
    DeviceLink::Part in;
  };
  struct Rank {
    std::deque<std::vector<Part>> waiting;  // the oldest group runs
    int n_enqueued = 0;
    int n_ended = 0;
  };

  class Link final : public DeviceLink {
   public:
    Link(FakeLinks& links, int rank) : links_(links), rank_(rank) {}
    ~Link() override { links_.abort(rank_); }
    int enqueue(std::span<const DeviceLink::Part> parts,
                const std::function<void()>& patience) override {
      patience();
      return links_.enqueue(rank_, parts);
    }
    void hold_back(int group) override { links_.wait(rank_, group); }
    [[nodiscard]] bool has_ended(int group) override { return links_.has_ended(rank_, group); }
    [[nodiscard]] double seconds(int group) const override { return 1.0 + group; }
    void check() override { links_.check(rank_); }
    void abort() noexcept override { links_.abort(rank_); }
    void forget_groups() override { links_.forget(rank_); }

   private:
    FakeLinks& links_;
    const int rank_;
  };

  [[nodiscard]] Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  int enqueue(int rank, std::span<const DeviceLink::Part> parts) {
    const std::lock_guard lock(mutex_);
    check_locked(rank);
    ++n_groups_;
    std::vector<Part> group;
    for (const DeviceLink::Part& part : parts) group.push_back({part});
    at(rank).waiting.push_back(std::move(group));
    progress();
    return at(rank).n_enqueued++;
  }

  // The device's later work is done at once, so this function itself waits. If a rank has given up
  // it goes on with the bytes that are there, as a GPU does whose transfers were aborted.
  void wait(int rank, int group) {
    std::unique_lock lock(mutex_);
    (void)changed_.wait_for(lock, std::chrono::duration<double>(patience_s_),
                            [&] { return at(rank).n_ended > group || broken_ || !flaw_.empty(); });
    deliver(rank, group);
  }
  bool has_ended(int rank, int group) {
    const std::lock_guard lock(mutex_);
    check_locked(rank);
    if (at(rank).n_ended <= group) return false;
    deliver(rank, group);
    return true;
  }
  void deliver(int rank, int group) {
    std::erase_if(late_, [&](const Late& late) {
      const bool due = (late.from == rank && late.from_group <= group) ||
                       (late.to == rank && late.to_group <= group);
      if (due) std::memcpy(to_host(late.in.data), to_host(late.out.data), late.in.bytes);
      return due;
    });
  }
  void check(int rank) {
    const std::lock_guard lock(mutex_);
    check_locked(rank);
  }
  void check_locked(int rank) {
    if (!flaw_.empty()) throw CaseError(Status::error, flaw_);
    if (rank == failing_rank_ && n_groups_ >= failing_group_)
      throw CaseError(Status::crashed, "the link is down: unhandled system error");
  }
  void abort(int rank) {
    {
      const std::lock_guard lock(mutex_);
      at(rank).waiting.clear();
      std::erase_if(late_, [&](const Late& late) { return late.from == rank || late.to == rank; });
    }
    stop_waiting();
  }
  void forget(int rank) {
    const std::lock_guard lock(mutex_);
    if (!at(rank).waiting.empty()) flaw_ = "groups are under way that will be forgotten";
    at(rank).n_enqueued = at(rank).n_ended = 0;
  }

  // Returns the counterpart of a part in the peer's oldest group.
  Part* counterpart(int rank, const Part& part) {
    Rank& peer = at(part.part.peer);
    if (peer.waiting.empty()) return nullptr;
    for (Part& other : peer.waiting.front())
      if (!other.done && other.part.peer == rank && other.part.outgoing != part.part.outgoing)
        return &other;
    return nullptr;
  }

  void progress() {
    for (bool moved = true; moved && flaw_.empty();) {
      moved = false;
      for (int r = 0; r < static_cast<int>(ranks_.size()); ++r) moved = run_oldest(r) || moved;
    }
    if (flaw_.empty()) look_for_deadlock();
    changed_.notify_all();
  }

  bool run_oldest(int r) {
    if (at(r).waiting.empty()) return false;
    bool moved = false;
    bool all = true;
    for (Part& part : at(r).waiting.front()) {
      if (!part.done && part.part.outgoing) {
        if (Part* const other = counterpart(r, part)) {
          copy(r, part, *other);
          moved = true;
        }
      }
      all = all && part.done;
    }
    if (!all) return moved;
    at(r).waiting.pop_front();
    ++at(r).n_ended;
    return true;
  }

  void copy(int from, Part& out, Part& in) {
    out.done = in.done = true;
    if (out.part.bytes != in.part.bytes) {
      flaw_ = fmt::format("rank {} sends {} bytes to rank {}, which awaits {}", from,
                          out.part.bytes, out.part.peer, in.part.bytes);
      return;
    }
    if (n_groups_ % 2 == 0)
      late_.push_back(
          {from, at(from).n_ended, out.part.peer, at(out.part.peer).n_ended, out.part, in.part});
    else
      std::memcpy(to_host(in.part.data), to_host(out.part.data), in.part.bytes);
  }

  // Finds a rank that waits for a peer whose oldest group has no counterpart. A peer without a
  // group may still add one; a ring of waiting ranks never ends.
  void look_for_deadlock() {
    for (std::size_t start = 0; start < ranks_.size(); ++start) {
      std::vector<int> path;
      if (waits_in_ring(static_cast<int>(start), path)) {
        flaw_ = fmt::format("deadlock: ranks {} wait for each other", fmt::join(path, ", "));
        return;
      }
    }
  }
  bool waits_in_ring(int rank, std::vector<int>& path) {
    if (std::find(path.begin(), path.end(), rank) != path.end()) return true;
    if (at(rank).waiting.empty()) return false;
    path.push_back(rank);
    for (const Part& part : at(rank).waiting.front())
      if (!part.done && counterpart(rank, part) == nullptr && waits_in_ring(part.part.peer, path))
        return true;
    path.pop_back();
    return false;
  }

  const double patience_s_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Rank> ranks_;
  std::vector<Late> late_;
  int n_groups_ = 0;
  bool broken_ = false;
  std::string flaw_;
  int failing_rank_ = -1;
  int failing_group_ = 0;
};

inline MemoryLedger::Options ledger_over(ComputeDevice& device) {
  MemoryLedger::Options options;
  options.source = device.memory(AllocatorKind::pool);
  return options;
}

inline std::unique_ptr<DeviceLink> FakeGpu::open_link(const std::string&, int rank, int, double) {
  if (links_ == nullptr) throw Unsupported(std::string(LinkedDevice::kMissing));
  return links_->open(rank);
}

// Ranks that are threads: they start, fail and end together.
class ThreadRanks {
 public:
  // on_failure is called whenever a rank has failed.
  explicit ThreadRanks(int ranks, std::function<void()> on_failure = {})
      : meeting_(ranks), on_failure_(std::move(on_failure)) {}

  class One final : public WorkerTeam {
   public:
    One(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    Passage wait(const Ticket&) override { return {}; }
    double meet() override {
      has_met_ = true;
      all_.meeting_.arrive_and_wait();
      return now_s();
    }
    void fail(const std::exception_ptr& error) override {
      const CaseError failure = case_error(error);
      {
        const std::lock_guard lock(all_.mutex_);
        if (!all_.failure_)
          all_.failure_.emplace(
              rank_, std::make_exception_ptr(CaseError(
                         failure.status(), fmt::format("rank {}: {}", rank_, failure.what()))));
      }
      if (all_.on_failure_) all_.on_failure_();
    }
    [[nodiscard]] std::exception_ptr failure() override {
      const std::lock_guard lock(all_.mutex_);
      if (!all_.failure_ || all_.failure_->first == rank_) return nullptr;
      return all_.failure_->second;
    }
    void close() override {
      if (!has_met_) (void)meet();
      all_.meeting_.arrive_and_wait();
      closed_ = true;
    }
    [[nodiscard]] bool is_closed() const override { return closed_; }

   private:
    Ticket post(const MessageKey&, bool, std::span<std::byte>) override {
      throw std::logic_error("a link carries the messages of these ranks");
    }

    ThreadRanks& all_;
    const int rank_;
    bool has_met_ = false;
    bool closed_ = false;
  };

 private:
  std::barrier<> meeting_;
  const std::function<void()> on_failure_;
  mutable std::mutex mutex_;
  std::optional<std::pair<int, std::exception_ptr>> failure_;
};

}  // namespace qb
