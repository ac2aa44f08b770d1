// SPDX-License-Identifier: Apache-2.0
// Simulates the links of a modelled run in order of time; link_model.h has the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
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

}  // namespace qb
