// SPDX-License-Identifier: Apache-2.0
// The messages of one step of a modelled run in rounds, and when they arrive: model_simulation.h
// has the rules.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/forecast/model_simulation.h"
#include "harness/plan/worker_group.h"

namespace qb {

// Messages here are worker 0's: the other workers' peers follow from theirs by rotation, and place
// 0 is where a worker keeps the message.
inline std::ptrdiff_t n_travelling(const std::vector<ModelMessage>& messages) {
  return std::ssize(messages) - std::ranges::count(messages, 0, &ModelMessage::peer);
}

// The links between hosts, each of one worker or of several, over a whole run.
struct Nics {
  // A direction of a NIC: when the last of its messages was ready for it, and when it has passed.
  struct Lane {
    double ready_s = -1.0;
    double free_s = 0.0;
  };
  Nics(const Hosts& hosts, std::size_t n_workers) : shared(hosts.shares_nics()) {
    for (std::size_t w = 0; w < n_workers; ++w) {
      const auto nic = shared ? static_cast<std::size_t>(hosts.nic_of(static_cast<int>(w))) : w;
      workers.resize(std::max(workers.size(), nic + 1));
      workers[nic].push_back(w);
    }
    lanes.resize(workers.size());
  }
  bool shared;
  std::vector<std::vector<std::size_t>> workers;  // by NIC
  std::vector<std::array<Lane, 2>> lanes;         // likewise: arriving, leaving
};

// The messages of one kind, early or late, that a step sends, and their passages.
class Exchange {
 public:
  std::vector<double> sender_ready_s;
  std::vector<double> receiver_ready_s;

  Exchange(const WorkerGroup& group, std::vector<ModelMessage> sends,
           std::vector<ModelMessage> receives)
      : group_(&group),
        is_cyclic_(group.is_cyclic()),
        sends_(std::move(sends)),
        receives_(std::move(receives)) {
    for (const ModelMessage& receive : receives_)
      sent_as_.push_back(static_cast<std::size_t>(
          std::ranges::find(sends_, group.minus(receive.peer), &ModelMessage::peer) -
          sends_.begin()));
  }

  [[nodiscard]] bool empty() const { return sends_.empty(); }
  // Each worker sends at most one message, and receives at most one.
  [[nodiscard]] bool has_one_message() const {
    return n_travelling(sends_) <= 1 && n_travelling(receives_) <= 1;
  }
  [[nodiscard]] bool goes_where(const Exchange& other) const {
    return empty() || other.empty() || sends_[0].peer == other.sends_[0].peer;
  }

  // Call it when both sides have reported. went_on_s: the moment of the simulation, or a later one,
  // at which each worker went on after its last wait; empty: any order of messages will do. Returns
  // false if the order in which messages meet on links is not certain.
  bool pass(const ModelLink& link, Nics& nics, const std::vector<double>& went_on_s) {
    link_ = &link;
    const bool on_hosts = link.hosts.workers_per_host > 0;
    at_once_ = link.no_communication ||
               (!on_hosts && link.limit.bandwidth_byte_per_s <= 0.0 && link.limit.latency_s <= 0.0);
    alone_ = (has_one_message() && !nics.shared) ||
             (!on_hosts && link.limit.bandwidth_byte_per_s <= 0.0);
    is_single_ = !at_once_ && alone_ && n_travelling(sends_) == 1 && sends_.size() == 1;
    if (is_single_) {
      passages_.resize(sender_ready_s.size());
      for (std::size_t w = 0; w < passages_.size(); ++w)
        passages_[w] = passage_alone(w, plus(w, sends_[0].peer), sends_[0]);
    }
    if (at_once_ || alone_) return true;
    const auto all_equal = [](const std::vector<double>& times) {
      return std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>()) == times.end();
    };
    const bool equal = all_equal(sender_ready_s) && all_equal(receiver_ready_s);
    // The simulation runs a worker ahead to its next wait as soon as it can go on. If that is
    // before the worker is ready, all messages are in the simulation's queue before they start.
    if (!equal && !went_on_s.empty() &&
        !std::ranges::equal(went_on_s, receiver_ready_s, std::less<>()))
      return false;
    return one_after_another(equal && !on_hosts && group_->is_cyclic() ? 1 : sender_ready_s.size(),
                             nics);
  }

  // Calls visit(passage) for the messages that the worker sends, or receives: in a cyclic group in
  // ascending order of its peers, of which those that wrap past the last worker come first.
  template <class Visit>
  void for_each(std::size_t w, bool sent, const Visit& visit) const {
    const std::vector<ModelMessage>& messages = sent ? sends_ : receives_;
    if (is_single_) {
      if (!messages.empty()) visit(passages_[sent ? w : plus(w, messages[0].peer)]);
      return;
    }
    const std::size_t n = messages.size();
    std::size_t first = 0;
    if (n > 1 && group_->is_cyclic())
      first = static_cast<std::size_t>(
          std::partition_point(messages.begin(), messages.end(),
                               [&](const ModelMessage& message) {
                                 return static_cast<std::size_t>(message.peer) + w <
                                        sender_ready_s.size();
                               }) -
          messages.begin());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = first + i < n ? first + i : first + i - n;
      const std::size_t peer = plus(w, messages[at].peer);
      visit(sent ? passage(w, peer, at) : passage(peer, w, sent_as_[at]));
    }
  }
  // Gives its memory back.
  void forget() {
    for (std::vector<double>* const times : {&sender_ready_s, &receiver_ready_s, &done_s_})
      *times = std::vector<double>();
    passages_ = std::vector<Passage>();
    queue_ = std::vector<Waiting>();
    free_s_ = std::vector<double>();
  }
  // The simulation knows when a message will have arrived as soon as it begins to.
  [[nodiscard]] double known_s(const Passage& passage) const {
    return alone_ && !at_once_ ? passage.started_s + link_->limit.latency_s : passage.done_s;
  }

 private:
  [[nodiscard]] std::size_t plus(std::size_t worker, int place) const {
    const std::size_t sum = worker + static_cast<std::size_t>(place);
    if (is_cyclic_) return sum < sender_ready_s.size() ? sum : sum - sender_ready_s.size();
    return static_cast<std::size_t>(group_->plus(static_cast<int>(worker), place));
  }
  [[nodiscard]] bool are_apart(std::size_t from, std::size_t to) const {
    return link_->hosts.are_apart(static_cast<int>(from), static_cast<int>(to));
  }
  [[nodiscard]] const LinkLimit& limit(bool apart) const {
    return apart || link_->hosts.workers_per_host == 0 ? link_->limit : link_->hosts.inside;
  }
  [[nodiscard]] static double on_link_s(const LinkLimit& limit, const ModelMessage& message) {
    const double bandwidth = limit.bandwidth_byte_per_s;
    return bandwidth > 0.0 ? static_cast<double>(message.bytes) / bandwidth : 0.0;
  }
  [[nodiscard]] double& done_s(std::size_t from, std::size_t sent) {
    return done_s_[from * done_stride_ + sent];
  }

  [[nodiscard]] Passage passage(std::size_t from, std::size_t to, std::size_t sent) const {
    const double started_s = std::max(sender_ready_s[from], receiver_ready_s[to]);
    const ModelMessage& message = sends_[sent];
    if (message.peer == 0 || at_once_) return {started_s, started_s};
    if (!alone_) return {started_s, done_s_[from * done_stride_ + sent]};
    return passage_alone(from, to, message);
  }
  [[nodiscard]] Passage passage_alone(std::size_t from, std::size_t to,
                                      const ModelMessage& message) const {
    const double started_s = std::max(sender_ready_s[from], receiver_ready_s[to]);
    const LinkLimit& on = limit(are_apart(from, to));
    return {started_s, started_s + on.latency_s + on_link_s(on, message)};
  }

  struct Waiting {
    double ready_s = 0.0;
    std::size_t distance = 0;
    std::size_t from = 0;
    std::size_t sent = 0;
    std::size_t lane = 0;  // 0: to other hosts
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return std::tie(a.ready_s, a.distance, a.from) < std::tie(b.ready_s, b.distance, b.from);
    }
  };

  // Messages leave and arrive when they are ready for it; of two, the one of less distance first.
  // n_different 1: every worker's messages travel as worker 0's do.
  bool one_after_another(std::size_t n_different, Nics& nics) {
    done_stride_ = n_different == 1 ? 0 : sends_.size();
    done_s_.resize(n_different * sends_.size());
    for (const bool leave : {true, false})
      for (std::size_t nic = 0; nic < std::min(n_different, nics.workers.size()); ++nic) {
        wait_in_line(nics.workers[nic], leave);
        if (!serve(nics.workers[nic].size(), leave, nics.shared, nics.lanes[nic][leave ? 1 : 0]))
          return false;
      }
    return true;
  }

  // Puts what the workers of a NIC send or receive into the queue.
  void wait_in_line(const std::vector<std::size_t>& workers, bool leave) {
    const std::vector<ModelMessage>& messages = leave ? sends_ : receives_;
    const std::size_t n = sender_ready_s.size();
    queue_.clear();
    for (std::size_t k = 0; k < workers.size(); ++k)
      for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i].peer == 0) continue;
        const std::size_t w = workers[k];
        const std::size_t peer = plus(w, messages[i].peer);
        // The only message of a worker has its link inside of the host to itself.
        if (sends_.size() == 1 && receives_.size() == 1 && !are_apart(w, peer)) {
          if (leave) done_s(w, i) = passage_alone(w, peer, messages[i]).done_s;
          continue;
        }
        Waiting next{
            .distance = leave ? (peer + n + 1 - w) % (n + 1) : (w + n + 1 - peer) % (n + 1),
            .from = leave ? w : peer,
            .sent = leave ? i : sent_as_[i],
            .lane = are_apart(w, peer) ? 0 : k + 1};
        next.ready_s = leave ? std::max(sender_ready_s[w], receiver_ready_s[peer])
                             : done_s(next.from, next.sent);
        queue_.push_back(next);
      }
    if (!std::is_sorted(queue_.begin(), queue_.end())) std::sort(queue_.begin(), queue_.end());
  }

  // On hosts messages to the same host have links of their own, one a worker. Returns false if a
  // message may be ready for a shared NIC before one of the exchanges before.
  bool serve(std::size_t n_workers, bool leave, bool shared, Nics::Lane& nic) {
    free_s_.assign(n_workers + 1, 0.0);
    if (shared) free_s_[0] = nic.free_s;
    double ready_s = nic.ready_s;
    for (const Waiting& next : queue_) {
      const LinkLimit& on = limit(next.lane == 0);
      double& lane_s = free_s_[next.lane];
      const double begin_s = std::max(next.ready_s, lane_s);
      lane_s = begin_s + on_link_s(on, sends_[next.sent]);
      done_s(next.from, next.sent) = leave ? begin_s + on.latency_s : lane_s;
      if (next.lane > 0) continue;
      if (shared && next.ready_s <= nic.ready_s) return false;
      ready_s = next.ready_s;
    }
    nic = {ready_s, free_s_[0]};
    return true;
  }

  const WorkerGroup* group_;
  bool is_cyclic_;
  std::vector<ModelMessage> sends_;
  std::vector<ModelMessage> receives_;  // in the next step
  std::vector<std::size_t> sent_as_;    // by receive: which send of its sender it is
  const ModelLink* link_ = nullptr;
  bool at_once_ = false;
  bool alone_ = false;             // no message waits for another
  bool is_single_ = false;         // there is one for each worker
  std::vector<Passage> passages_;  // of single ones, by sender
  std::vector<double> done_s_;     // by sender, if senders differ, and send
  std::size_t done_stride_ = 0;    // 0: senders do not differ
  std::vector<Waiting> queue_;
  std::vector<double> free_s_;  // by lane of the queue
};

// What a step sends.
struct Exchanges {
  Exchange early;
  Exchange late;
};

}  // namespace qb
