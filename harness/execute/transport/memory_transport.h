// SPDX-License-Identifier: Apache-2.0
// Carries messages between workers in one address space, for the serial and threads executors.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "harness/execute/transport/transport.h"

namespace qb {

// Thread-safe. A message is copied once, into the receiver's buffer, as soon as both sides exist.
class MemoryTransport final : public Transport {
 public:
  struct Options {
    // A thread copies while the workers compute. false: the side that comes second copies at once.
    bool carrier = false;
    LinkLimit link{};         // with a carrier only
    double timeout_s = 60.0;  // limit of each wait
    int workers = 0;
    // Copies between buffers of the workers' device; empty: they are in the host's memory.
    std::function<void(std::span<const std::byte> from, std::byte* to)> copy{};
  };
  explicit MemoryTransport(const Options& options);
  ~MemoryTransport() override;

  Passage wait(const Ticket& ticket) override;

  // Makes every wait, present and future, throw this.
  void fail(std::exception_ptr error);

 private:
  struct Parcel;
  struct Due {
    double at_s = 0.0;
    std::shared_ptr<Parcel> parcel;
    friend bool operator<(const Due& a, const Due& b) { return a.at_s > b.at_s; }  // soonest first
  };

  Ticket post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) override;
  void complete(const std::shared_ptr<Parcel>& parcel, std::unique_lock<std::mutex>& lock);
  [[nodiscard]] double due_s(const Parcel& parcel);
  void carry();
  void copy(const std::shared_ptr<Parcel>& parcel, std::unique_lock<std::mutex>& lock);

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;  // for waiting workers
  std::condition_variable work_;     // for the carrier
  std::map<MessageKey, std::shared_ptr<Parcel>> open_;
  std::deque<std::shared_ptr<Parcel>> ready_;
  std::priority_queue<Due> due_;
  std::vector<double> link_free_s_;  // by sender
  std::exception_ptr error_;
  bool stop_ = false;
  std::jthread carrier_;
};

}  // namespace qb
