// SPDX-License-Identifier: Apache-2.0
// Simulates what workers of a modelled run share, in order of time: their links, by the rules of
// link_model.h, and the cores of one machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/run/transport/link_lanes.h"
#include "harness/run/transport/link_model.h"
#include "harness/run/transport/transport.h"

namespace qb {

class ModelNetwork {
 public:
  // Both sides of a message keep its index until they have seen that it is done.
  struct Flight {
    int from = 0;
    int to = 0;
    std::size_t sent_in = 0;  // the step of the sender
    bool left = false;
    bool done = false;
    bool sender_waits = false;
    bool receiver_waits = false;
    std::int8_t holders = 2;
    std::int64_t bytes = 0;
    Passage passage;
  };

  // n_nodes: the workers and the root. landed: called with a message's index when it has arrived.
  ModelNetwork(const ModelLink& link, int n_nodes, std::function<void(int)> landed);

  // The two sides of a message report when they are ready, in any order; both get the same index.
  [[nodiscard]] int send(const MessageKey& key, std::int64_t bytes, double at_s);
  [[nodiscard]] int receive(const MessageKey& key, double at_s) { return send(key, 0, at_s); }
  // Sends a message whose receiver is always ready.
  [[nodiscard]] int send_alone(int from, int to, std::int64_t bytes, double at_s);

  [[nodiscard]] Flight& flight(int index) { return flights_[static_cast<std::size_t>(index)]; }
  void let_go(int index);

  [[nodiscard]] double next_s() const;  // next event on the links; infinity if there is none
  void advance();

 private:
  struct Event {
    double at_s = 0.0;
    std::int64_t order = 0;  // order among events of the same time
    int flight = 0;
    friend bool operator>(const Event& a, const Event& b) {
      return a.at_s != b.at_s ? a.at_s > b.at_s : a.order > b.order;
    }
  };

  int make(const MessageKey& key, std::int64_t bytes, double at_s);
  void start(int index);
  void land(int index, double at_s);

  const bool no_communication_;
  const std::int64_t n_nodes_;
  LinkLanes lanes_;
  const std::function<void(int)> landed_;
  std::vector<Flight> flights_;
  std::vector<int> free_;
  std::unordered_map<std::uint64_t, int> open_;  // messages with one side ready
  // Each message has two events: it is ready to leave, and it begins to arrive.
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

// Processor sharing: more jobs than cores, and all jobs get the same share. With n jobs on C cores
// each runs at min(1, C/n) of its speed.
//
// Virtual time is the service that one job has received; a job that joins at virtual time v with
// work s ends at v + s, whichever jobs join or end meanwhile.
class SharedCores {
 public:
  // cores <= 0: as many as jobs.
  explicit SharedCores(double cores) : cores_(cores) {}

  // Times never decrease. work_s: the job's time alone on a core.
  void add(double at_s, double work_s, int job) {
    advance(at_s);
    ends_.push({served_s_ + work_s, job});
  }
  // Returns when the next job ends if none joins before; infinity if there is no job.
  [[nodiscard]] double next_end_s() const {
    if (ends_.empty()) return std::numeric_limits<double>::infinity();
    return now_s_ + std::max(0.0, ends_.top().first - served_s_) / speed();
  }
  // Returns the job that ends next, and moves the time to its end.
  int take() {
    now_s_ = next_end_s();
    served_s_ = std::max(served_s_, ends_.top().first);
    const int job = ends_.top().second;
    ends_.pop();
    return job;
  }

 private:
  [[nodiscard]] double speed() const {
    const auto jobs = static_cast<double>(ends_.size());
    return cores_ > 0.0 ? std::min(1.0, cores_ / jobs) : 1.0;
  }
  void advance(double at_s) {
    if (!ends_.empty()) served_s_ += (at_s - now_s_) * speed();
    now_s_ = at_s;
  }

  using End = std::pair<double, int>;  // end in virtual time
  double cores_;
  double now_s_ = 0.0;
  double served_s_ = 0.0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace qb
