// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/pipeline_model.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "harness/execute/model/model_network.h"

namespace qb {
namespace {

class PipelinePlay {
 public:
  PipelinePlay(const PipelinePlan& plan, const Network& network, const PipelineCosts& costs)
      : plan_(plan),
        costs_(costs),
        network_({.limit = network.limit, .hosts = network.hosts}, plan.stages + 1, [](int) {}),
        stages_(plan.order.size()) {}

  double run() {
    for (int stage = 0; stage < plan_.stages; ++stage)
      at(stage) = {.in = receive(stage, 0), .ahead = receive(stage, 1)};
    for (;; network_.advance()) {
      for (bool moved = true; moved;) {
        moved = false;
        for (int stage = 0; stage < plan_.stages; ++stage) moved |= advance(stage);
      }
      if (std::isinf(network_.next_s())) break;
    }
    return std::ranges::max_element(stages_, {}, &Stage::now_s)->now_s;
  }

 private:
  using Flight = std::optional<int>;
  struct Stage {
    std::size_t index = 0;
    double now_s = 0.0;
    Flight in{};     // the message of the unit at the index
    Flight ahead{};  // of the one after it
    Flight out{};    // the last gradients
  };
  [[nodiscard]] Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }

  Flight receive(int stage, std::size_t index) {
    const auto& order = plan_.order[static_cast<std::size_t>(stage)];
    if (index >= order.size()) return std::nullopt;
    const auto from = plan_.neighbour(stage, order[index], -1);
    if (!from) return std::nullopt;
    const auto number = static_cast<int>(plan_.number_of(order[index]));
    return network_.receive({from->stage, stage, number}, at(stage).now_s);
  }

  // Delays a time until a message has arrived; false where it has not yet.
  bool wait(const Flight& message, double& time_s) {
    if (!message) return true;
    time_s = std::max(time_s, network_.flight(*message).passage.done_s);
    return network_.flight(*message).done;
  }

  // Ends the unit that a stage is at, if it can.
  bool advance(int stage) {
    Stage& s = at(stage);
    const auto& order = plan_.order[static_cast<std::size_t>(stage)];
    if (s.index == order.size()) return false;
    const PipelineUnit& unit = order[s.index];
    const auto to = plan_.neighbour(stage, unit, 1);
    double end_s = s.now_s;
    if (!wait(s.in, end_s)) return false;
    end_s += costs_.compute_s({stage, s.index});
    if (to && unit.backward && !wait(s.out, end_s)) return false;
    if (to) {
      const auto number = static_cast<int>(plan_.number_of(to->unit));
      Flight old = network_.send({stage, to->stage, number}, costs_.bytes_of(unit), end_s);
      if (unit.backward) std::swap(s.out, old);
      if (old) network_.let_go(*old);  // nobody waits for it
    }
    if (s.in) network_.let_go(*s.in);
    s.now_s = end_s;
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

double pipeline_time_s(const PipelinePlan& plan, const Network& network,
                       const PipelineCosts& costs) {
  return PipelinePlay(plan, network, costs).run();
}

}  // namespace qb
