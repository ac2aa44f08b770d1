// SPDX-License-Identifier: Apache-2.0
// Messages between workers in one address space, which one thread runs in turn or a thread each.
#pragma once

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <string_view>
#include <thread>

#include "harness/run/transport/link_lanes.h"
#include "harness/run/transport/worker_team.h"

namespace qb {

// Thread-safe. A message is copied once, into the receiver's buffer, as soon as both sides exist.
class MemoryTransport final : public WorkerTeam {
 public:
  struct Options {
    // A thread copies while the workers compute. false: the side that comes second copies at once.
    bool carrier = false;
    LinkLimit link{};         // with a carrier only; with hosts, the link between them
    Hosts hosts{};            // with a carrier only
    double timeout_s = 60.0;  // limit of each wait
    int workers = 0;
    // Copies between buffers of the workers' device; empty: they are in the host's memory.
    std::function<void(std::span<const std::byte> from, std::byte* to)> copy{};
    // What to use where there are too few threads.
    std::string_view instead = "fewer workers or ranks: serial";
  };
  explicit MemoryTransport(const Options& options);
  ~MemoryTransport() override;

  Passage wait(const Ticket& ticket) override;

  // Calls work(worker) for each worker in a thread of its own, once; work calls meet(). Returns
  // when all have ended, or throws the first failure.
  void run(const std::function<void(int worker)>& work);

  // Throws the failure of another worker.
  double meet() override;
  // Makes every wait, present and future, throw this. Then no message moves any more, so that its
  // buffers can be freed.
  void fail(const std::exception_ptr& error) override;
  void close() override { meeting_.arrive_and_drop(); }

 private:
  // Records when all have met, before any thread continues.
  struct NoteTime {
    double* met_s;
    void operator()() noexcept { *met_s = now_s(); }
  };
  struct Parcel;
  // The first byte of a message reaches its receiver, or all of it has arrived.
  struct Due {
    double at_s = 0.0;
    std::int64_t order = 0;  // of those at the same time
    bool all = false;
    std::shared_ptr<Parcel> parcel;
    friend bool operator<(const Due& a, const Due& b) {  // soonest first
      return a.at_s != b.at_s ? a.at_s > b.at_s : a.order > b.order;
    }
  };

  Ticket post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) override;
  void complete(const std::shared_ptr<Parcel>& parcel, std::unique_lock<std::mutex>& lock);
  void carry();
  void dispatch(std::shared_ptr<Parcel> parcel);
  void deliver();
  void copy(const std::shared_ptr<Parcel>& parcel, std::unique_lock<std::mutex>& lock);

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;  // for waiting workers
  std::condition_variable work_;     // for the carrier
  std::map<MessageKey, std::shared_ptr<Parcel>> open_;
  std::deque<std::shared_ptr<Parcel>> ready_;
  std::priority_queue<Due> due_;
  LinkLanes lanes_;
  int copying_ = 0;  // messages that a thread copies now
  std::exception_ptr error_;
  std::atomic<bool> failed_ = false;  // there is an error
  bool stop_ = false;
  double met_s_ = 0.0;
  std::barrier<NoteTime> meeting_;
  std::jthread carrier_;
};

}  // namespace qb
