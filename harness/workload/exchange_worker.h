// SPDX-License-Identifier: Apache-2.0
// What workers that exchange parts of tensors or states (harness/plan/exchange/) have in common in
// a pass, whatever they exchange: clocks, and messages in rounds.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/schema/row.h"
#include "harness/forecast/hosts.h"
#include "harness/forecast/scan_model.h"
#include "harness/plan/exchange/exchange_plan.h"
#include "harness/run/runner/run_workers.h"
#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

using ExchangeMessages = std::vector<std::vector<SizedMessage>>;

inline void add_sent(const ExchangeMessages& exchanges, const Hosts& hosts, SentBytes& sent) {
  for (const std::vector<SizedMessage>& messages : exchanges)
    for (const SizedMessage& m : messages) sent.add(hosts, m.from, m.to, m.bytes);
}
// Sets the predicted columns that follow from what a run sends.
inline void set_sent(const SentBytes& sent, bool has_hosts, RowValues& values) {
  values.set("moved_bytes", std::accumulate(sent.all.begin(), sent.all.end(), std::int64_t{0}));
  values.set("device_sent_bytes", std::ranges::max(sent.all));
  if (has_hosts) values.set("between_hosts_bytes", std::ranges::max(sent.between_hosts));
}
// How workers of the case that compute by threads or processes carry messages.
[[nodiscard]] inline MemoryTransport::Options links_of(const Case& c) {
  const Network network = c.ranks == Ranks::threads ? network_of(c) : Network{};
  return {.carrier = c.ranks == Ranks::threads,
          .link = network.limit,
          .hosts = network.hosts,
          .timeout_s = message_timeout_s(c),
          .workers = c.workers};
}
// The bound of a model where workers compute first and then exchange.
[[nodiscard]] inline Sample sample_of_bound(double compute_s, double worker_sum_s, double links_s) {
  return {.wall_s = compute_s + links_s,
          .critical_path_s = compute_s + links_s,
          .worker_sum_s = worker_sum_s,
          .longest_subsequence_s = compute_s,
          .compute_s = compute_s,
          .communication_s = links_s,
          .exposed_communication_s = links_s,
          .idle_s = 0.0};
}

// Memory of messages comes from the allocator as message_in and message_out, when it is made. A run
// has a step for each round of messages, and one after the last.
class ExchangeWorker : public StepWorker {
 public:
  // exchanges: each has rounds from 0 on. The references must outlive it.
  ExchangeWorker(const ExchangeMessages& exchanges, int index, Allocator& memory)
      : index_(index), memory_(memory) {
    for (const std::vector<SizedMessage>& messages : exchanges) {
      for (const SizedMessage& m : messages) take(m);
      rounds_ += messages.empty() ? 0 : messages.back().round + 1;
    }
  }

  // What the next run sends with. at_end: called when its time has ended.
  void use(Transport& messages, std::function<void(WorkerTime&)> at_end) {
    messages_ = &messages;
    at_end_ = std::move(at_end);
  }

  [[nodiscard]] int steps() const final { return rounds_ + 1; }
  void prepare() final {
    round_ = 0;
    time_ = {};
    time_.steps.resize(static_cast<std::size_t>(steps()));
    for (Parcel& in : in_) in.ticket = messages_->receive({in.from, index_, in.number}, in.bytes());
  }
  void begin(double begin_s) final { begin_s_ = step_begin_s_ = begin_s; }
  void compute_step() final { compute(round_); }
  void end_step() final {
    StepTime& step = step_time();
    double exposed_s = 0.0;
    for (const Parcel& in : in_)
      if (in.round == round_) (void)messages_->timed_wait(in.ticket, step.idle_s, exposed_s);
    if (round_ == rounds_)
      for (const Parcel& out : out_) (void)messages_->wait(out.ticket);
    // Nothing is computed while states are packed, sent and combined.
    const double end_s = now_s();
    const double lasted_s = end_s - std::exchange(step_begin_s_, end_s);
    step.communication_s = step.exposed_communication_s = lasted_s - step.compute_s - step.idle_s;
    ++round_;
  }
  void finish() final {
    time_.wall_s = step_begin_s_ - begin_s_;
    time_.compute_s = time_.sum_s(&StepTime::compute_s);
    if (at_end_) at_end_(time_);
  }
  [[nodiscard]] const WorkerTime& time() const final { return time_; }

 protected:
  // Sends what others get in the round, or, once after the last one, ends the pass.
  virtual void compute(int round) = 0;

  // Calls work() and adds its time.
  template <class Work>
  void timed(const Work& work) {
    const double start_s = now_s();
    work();
    step_time().compute_s += now_s() - start_s;
  }
  // A message with its memory, from which all of one content are sent.
  struct Parcel : SizedMessage {
    std::shared_ptr<Buffer> memory;
    int number = 0;  // among those of the pass between the two workers
    Ticket ticket{};
    [[nodiscard]] std::span<std::byte> bytes() const {
      return {memory->as<std::byte>(), memory->bytes()};
    }
  };
  // Sends what belongs to the round, after fill(parcel) where no earlier message has its content:
  // a worker may still read that.
  template <class Fill>
  void send(int round, const Fill& fill) {
    for (Parcel& out : out_) {
      if (out.round != round) continue;
      if (&*std::ranges::find(out_, out.memory, &Parcel::memory) == &out) fill(out);
      out.ticket = messages_->send({index_, out.to, out.number}, out.bytes());
    }
  }

  const int index_;
  Allocator& memory_;
  std::vector<Parcel> in_;  // with rounds of the whole pass, as `out_`
  int rounds_ = 0;

 private:
  void take(const SizedMessage& m) {
    if (m.from != index_ && m.to != index_) return;
    const bool leaves = m.from == index_;
    const auto same =
        leaves ? std::ranges::find_if(out_,
                                      [&](const Parcel& out) {
                                        return out.tensor == m.tensor && out.part == m.part;
                                      })
               : out_.end();
    Parcel parcel{m, same != out_.end()
                         ? same->memory
                         : std::make_shared<Buffer>(memory_, static_cast<std::size_t>(m.bytes),
                                                    leaves ? "message_out" : "message_in", index_)};
    parcel.round += rounds_;
    parcel.number = known_[leaves ? m.to : -1 - m.from]++;
    (leaves ? out_ : in_).push_back(std::move(parcel));
  }
  [[nodiscard]] StepTime& step_time() { return time_.steps[static_cast<std::size_t>(round_)]; }

  Transport* messages_ = nullptr;
  std::function<void(WorkerTime&)> at_end_;
  std::vector<Parcel> out_;
  std::map<int, int> known_;  // messages to each worker, and from each as -1 less it
  WorkerTime time_;
  double begin_s_ = 0.0;
  double step_begin_s_ = 0.0;
  int round_ = 0;
};

}  // namespace qb
