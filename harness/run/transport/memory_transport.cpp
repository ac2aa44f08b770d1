// SPDX-License-Identifier: Apache-2.0
#include "harness/run/transport/memory_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/interruption.h"
#include "base/status.h"

namespace qb {

struct MemoryTransport::Parcel {
  MessageKey key{};
  std::span<std::byte> out{};
  std::span<std::byte> in{};
  bool sent = false;
  bool awaited = false;
  bool done = false;
  Passage passage{};
};

MemoryTransport::MemoryTransport(const Options& options)
    : options_(options),
      lanes_(options.link, options.hosts, options.workers),
      meeting_(options.workers, NoteTime{&met_s_}) {
  if (options_.carrier) carrier_ = std::jthread([this] { carry(); });
}

MemoryTransport::~MemoryTransport() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
}

Ticket MemoryTransport::post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) {
  std::unique_lock lock(mutex_);
  if (error_) return std::make_shared<Parcel>();  // it never moves
  std::shared_ptr<Parcel>& open = open_[key];
  if (!open) open = std::make_shared<Parcel>(Parcel{.key = key});
  const std::shared_ptr<Parcel> parcel = open;
  if (outgoing ? parcel->sent : parcel->awaited)
    throw CaseError(Status::error,
                    outgoing ? fmt::format("worker {} sends two messages to worker {} for step {}",
                                           key.from, key.to, key.step)
                             : fmt::format("worker {} awaits two messages of worker {} in step {}",
                                           key.to, key.from, key.step));
  (outgoing ? parcel->sent : parcel->awaited) = true;
  (outgoing ? parcel->out : parcel->in) = bytes;
  complete(parcel, lock);
  return parcel;
}

void MemoryTransport::complete(const std::shared_ptr<Parcel>& parcel,
                               std::unique_lock<std::mutex>& lock) {
  if (!parcel->sent || !parcel->awaited) return;
  const MessageKey& key = parcel->key;
  open_.erase(key);
  if (parcel->out.size() != parcel->in.size())
    throw CaseError(
        Status::error,
        fmt::format("worker {} sends {} bytes to worker {} for step {}, which awaits {}", key.from,
                    parcel->out.size(), key.to, key.step, parcel->in.size()));
  parcel->passage.started_s = now_s();
  if (options_.carrier) {
    ready_.push_back(parcel);
    work_.notify_one();
  } else {
    copy(parcel, lock);
    parcel->passage.done_s = now_s();
    parcel->done = true;
    changed_.notify_all();
  }
}

void MemoryTransport::copy(const std::shared_ptr<Parcel>& parcel,
                           std::unique_lock<std::mutex>& lock) {
  ++copying_;
  lock.unlock();
  if (options_.copy)
    options_.copy(parcel->out, parcel->in.data());
  else if (!parcel->in.empty())
    std::memcpy(parcel->in.data(), parcel->out.data(), parcel->in.size());
  lock.lock();
  if (--copying_ == 0 && error_) changed_.notify_all();
}

// Sends a message whose sides are both ready on its way.
void MemoryTransport::dispatch(std::shared_ptr<Parcel> parcel) {
  const auto [from, to, step, late] = parcel->key;
  const double at_s = parcel->passage.started_s;
  const bool at_once = lanes_.takes_no_time(from, to);
  const double due_s = at_once ? at_s : lanes_.leave(from, to, std::ssize(parcel->in), at_s);
  due_.push({due_s, lanes_.order(from, to), at_once, std::move(parcel)});
}

// Lets the next message that is due into its receiver's lane, or hands it over.
void MemoryTransport::deliver() {
  Due due = due_.top();
  due_.pop();
  Parcel& parcel = *due.parcel;
  if (!due.all) {
    due.at_s = lanes_.arrive(parcel.key.from, parcel.key.to, std::ssize(parcel.in), due.at_s);
    due.all = true;
    return due_.push(std::move(due));
  }
  parcel.passage.done_s = now_s();
  parcel.done = true;
  changed_.notify_all();
}

// The carrier copies ready messages and holds them back until the link would have delivered them.
void MemoryTransport::carry() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (!ready_.empty()) {
      const std::shared_ptr<Parcel> parcel = ready_.front();
      ready_.pop_front();
      copy(parcel, lock);
      dispatch(parcel);
    } else if (due_.empty()) {
      work_.wait(lock);
    } else if (const double wait_s = due_.top().at_s - now_s(); wait_s > 0.0) {
      work_.wait_for(lock, std::chrono::duration<double>(wait_s));
    }
    while (!due_.empty() && due_.top().at_s <= now_s()) deliver();
  }
}

Passage MemoryTransport::wait(const Ticket& ticket) {
  const Parcel& parcel = *static_cast<const Parcel*>(ticket.get());
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(options_.timeout_s),
                    [&] { return parcel.done || (error_ && copying_ == 0); });
  if (parcel.done) return parcel.passage;
  if (error_) std::rethrow_exception(error_);
  const MessageKey& key = parcel.key;
  const std::string what =
      parcel.sent ? fmt::format("worker {} to take its message of step {}", key.to, key.step)
                  : fmt::format("a message of worker {} in step {}", key.from, key.step);
  throw CaseError(Status::timeout,
                  fmt::format("worker {} waited {:.4g} s without success for {}",
                              parcel.sent ? key.from : key.to, options_.timeout_s, what));
}

void MemoryTransport::fail(const std::exception_ptr& error) {
  std::unique_lock lock(mutex_);
  if (!error_) error_ = error;
  failed_ = true;
  open_.clear();
  ready_.clear();
  changed_.notify_all();
  changed_.wait(lock, [&] { return copying_ == 0; });
}

double MemoryTransport::meet() {
  meeting_.arrive_and_wait();
  const double met_s = met_s_;
  if (!failed_) return met_s;  // nobody waits for a lock before work begins
  const std::lock_guard lock(mutex_);
  std::rethrow_exception(error_);
}

void MemoryTransport::run(const std::function<void(int worker)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(options_.workers));
  const auto work_of = [&, flag = interrupt_flag](int worker) {
    interrupt_flag = flag;
    (void)run_worker(*this, *this, [&] {
      work(worker);
      return std::string();
    });
  };
  // Address space for what the other threads throw where the system has no more for another one.
  std::unique_ptr<std::byte[]> spare(new (std::nothrow) std::byte[std::size_t{64} << 20]);
  try {
    for (int worker = 0; worker < options_.workers; ++worker) threads.emplace_back(work_of, worker);
  } catch (const std::exception& error) {
    spare.reset();
    fail(std::make_exception_ptr(CaseError(
        Status::error,
        fmt::format("the system gives {} of the {} threads that the workers need ({}); use {}",
                    threads.size(), options_.workers, error.what(), options_.instead))));
    for (auto missing = std::ssize(threads); missing < options_.workers; ++missing) close();
  }
  threads.clear();  // joins
  if (error_) std::rethrow_exception(error_);
}

}  // namespace qb
