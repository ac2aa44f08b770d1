// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/pipeline_model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/forecast/model_network.h"
#include "harness/forecast/model_simulation.h"

namespace qb {
namespace {

class PipelineRun {
 public:
  PipelineRun(const Pipeline& pipeline, const Network& network, const PipelineCosts& costs)
      : pipeline_(pipeline),
        costs_(costs),
        network_({.limit = network.limit, .hosts = network.hosts},
                 pipeline.stages * costs.workers + 1, [](int) {}) {
    for (int stage = 0; stage < pipeline.stages; ++stage) {
      stages_.push_back({.number = stage, .units = units_of(pipeline, stage)});
      Stage& s = stages_.back();
      s.in = receive(s, 0);
      s.ahead = receive(s, 1);
    }
  }

  PipelineTimes times() {
    for (;; network_.advance()) {
      for (bool moved = true; moved;) {
        moved = false;
        for (Stage& stage : stages_) moved |= advance(stage);
      }
      if (std::isinf(network_.next_s())) break;
    }
    const auto ended = [](const Stage& s) { return s.index == s.units.size(); };
    if (!std::ranges::all_of(stages_, ended))
      throw std::logic_error("a stage of a pipeline waits for ever");
    const Stage& last =
        *std::ranges::max_element(stages_, {}, [](const Stage& s) { return s.clock.now_s; });
    return {last.clock.now_s, last.waits.exposed_communication_s, last.waits.idle_s};
  }

 private:
  using Flights = std::vector<int>;  // a message of each worker, or none
  struct Stage {
    int number = 0;
    std::vector<PipelineUnit> units{};
    std::size_t index = 0;  // of its unit
    WorkerClock clock{};
    StepTime waits{};
    Flights in{};     // the messages of that unit
    Flights ahead{};  // of the one after it
    Flights out{};    // the last gradients
  };

  // Calls what gives a message from that stage to that place for each worker.
  template <class Message>
  [[nodiscard]] Flights flights(int from, const PipelinePlace& to, const Message& message) const {
    Flights all;
    for (int w = 0; w < costs_.workers; ++w)
      all.push_back(message(MessageKey{from * costs_.workers + w, to.stage * costs_.workers + w,
                                       number_of(pipeline_, to.unit)},
                            w));
    return all;
  }

  Flights receive(const Stage& s, std::size_t index) {
    if (index >= s.units.size()) return {};
    const auto from = neighbour(pipeline_, s.number, s.units[index], -1);
    if (!from) return {};
    return flights(from->stage, {s.number, s.units[index]}, [&](const MessageKey& key, int) {
      return network_.receive(key, s.clock.now_s);
    });
  }

  Flights send(const Stage& s, const PipelinePlace& to) {
    return flights(s.number, to, [&](const MessageKey& key, int worker) {
      return network_.send(key, costs_.bytes_of(to.unit, worker), s.clock.now_s);
    });
  }

  void await(const Flights& messages, Stage& s) {
    for (const int message : messages) s.clock.await(network_.flight(message).passage, s.waits);
  }
  [[nodiscard]] bool are_done(const Flights& messages) {
    return std::ranges::all_of(messages, [&](int m) { return network_.flight(m).done; });
  }
  void let_go(const Flights& messages) {
    for (const int message : messages) network_.let_go(message);
  }

  // Ends the unit that a stage is at, if what it waits for is known; false if not.
  bool advance(Stage& s) {
    if (s.index == s.units.size()) return false;
    const PipelineUnit& unit = s.units[s.index];
    const auto to = neighbour(pipeline_, s.number, unit, 1);
    const bool sends_gradients = to && unit.backward;
    if (!are_done(s.in) || (sends_gradients && !are_done(s.out))) return false;
    await(s.in, s);
    s.clock.now_s += costs_.unit_s(unit);
    if (sends_gradients) await(s.out, s);
    if (to) {
      Flights sent = send(s, *to);
      if (sends_gradients) std::swap(s.out, sent);
      let_go(sent);  // nobody waits for them
    }
    let_go(s.in);
    s.in = std::exchange(s.ahead, receive(s, s.index + 2));
    ++s.index;
    return true;
  }

  const Pipeline& pipeline_;
  const PipelineCosts& costs_;
  ModelNetwork network_;
  std::vector<Stage> stages_;
};

}  // namespace

PipelineTimes pipeline_times(const Pipeline& pipeline, const Network& network,
                             const PipelineCosts& costs) {
  return PipelineRun(pipeline, network, costs).times();
}

}  // namespace qb
