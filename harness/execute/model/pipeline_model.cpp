// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/pipeline_model.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/execute/model/model_network.h"
#include "harness/execute/model/model_simulation.h"

namespace qb {
namespace {

class PipelinePlay {
 public:
  PipelinePlay(const PipelinePlan& plan, const Network& network, const PipelineCosts& costs)
      : plan_(plan),
        costs_(costs),
        network_({.limit = network.limit, .hosts = network.hosts}, plan.stages * costs.workers + 1,
                 [](int) {}),
        stages_(plan.order.size()) {}

  PipelineTimes run() {
    for (int stage = 0; stage < plan_.stages; ++stage)
      at(stage) = {.in = receive(stage, 0), .ahead = receive(stage, 1)};
    for (;; network_.advance()) {
      for (bool moved = true; moved;) {
        moved = false;
        for (int stage = 0; stage < plan_.stages; ++stage) moved |= advance(stage);
      }
      if (std::isinf(network_.next_s())) break;
    }
    const Stage& last =
        *std::ranges::max_element(stages_, {}, [](const Stage& s) { return s.clock.now_s; });
    return {last.clock.now_s, last.waits.exposed_communication_s, last.waits.idle_s};
  }

 private:
  using Flights = std::vector<int>;  // a message of each worker, or none
  struct Stage {
    std::size_t index = 0;
    WorkerClock clock{};
    StepTime waits{};
    Flights in{};     // the messages of the unit at the index
    Flights ahead{};  // of the one after it
    Flights out{};    // the last gradients
  };
  [[nodiscard]] Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }

  Flights receive(int stage, std::size_t index) {
    const auto& order = plan_.order[static_cast<std::size_t>(stage)];
    if (index >= order.size()) return {};
    const auto from = plan_.neighbour(stage, order[index], -1);
    if (!from) return {};
    Flights flights;
    for (int worker = 0; worker < costs_.workers; ++worker)
      flights.push_back(
          network_.receive(key(from->stage, {stage, order[index]}, worker), at(stage).clock.now_s));
    return flights;
  }

  Flights send(int stage, const PipelinePlace& to, double at_s) {
    Flights flights;
    for (int worker = 0; worker < costs_.workers; ++worker)
      flights.push_back(
          network_.send(key(stage, to, worker), costs_.bytes_of(to.unit, worker), at_s));
    return flights;
  }

  [[nodiscard]] MessageKey key(int from, const PipelinePlace& to, int worker) const {
    return {from * costs_.workers + worker, to.stage * costs_.workers + worker,
            static_cast<int>(plan_.number_of(to.unit))};
  }

  // Waits until all have arrived; false where one has not yet.
  bool wait(const Flights& messages, WorkerClock& clock, StepTime& waits) {
    for (const int message : messages) {
      if (!network_.flight(message).done) return false;
      clock.await(network_.flight(message).passage, waits);
    }
    return true;
  }

  void let_go(const Flights& messages) {
    for (const int message : messages) network_.let_go(message);
  }

  // Ends the unit that a stage is at, if it can.
  bool advance(int stage) {
    Stage& s = at(stage);
    const auto& order = plan_.order[static_cast<std::size_t>(stage)];
    if (s.index == order.size()) return false;
    const PipelineUnit& unit = order[s.index];
    const auto to = plan_.neighbour(stage, unit, 1);
    WorkerClock clock = s.clock;
    StepTime waits = s.waits;
    if (!wait(s.in, clock, waits)) return false;
    clock.now_s += costs_.unit_s({stage, s.index});
    if (to && unit.backward && !wait(s.out, clock, waits)) return false;
    s.clock = clock;
    s.waits = waits;
    if (to) {
      Flights old = send(stage, *to, clock.now_s);
      if (unit.backward) std::swap(s.out, old);
      let_go(old);  // nobody waits for them
    }
    let_go(s.in);
    s.in = std::exchange(s.ahead, receive(stage, s.index + 2));
    ++s.index;
    return true;
  }

  const PipelinePlan& plan_;
  const PipelineCosts& costs_;
  ModelNetwork network_;
  std::vector<Stage> stages_;
};

}  // namespace

PipelineTimes pipeline_times(const PipelinePlan& plan, const Network& network,
                             const PipelineCosts& costs) {
  return PipelinePlay(plan, network, costs).run();
}

}  // namespace qb
