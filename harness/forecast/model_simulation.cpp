// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/model_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <span>
#include <utility>

#include "base/status.h"
#include "harness/forecast/model_network.h"
#include "harness/plan/messages.h"
#include "harness/run/runner/worker.h"

namespace qb {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

enum class Phase : std::uint8_t {
  fetch_shard,
  begin_work,
  await_messages,
  receive,
  await_late,
  pack_early,
  post_early,
  compute,
  await_early,
  pack_late,
  post_late,
  finish,
  done,
};

struct StepMessages {
  std::vector<ModelMessage> receives;
  std::vector<ModelMessage> sends;
};

struct Player : WorkerClock {
  Phase phase = Phase::fetch_shard;
  std::size_t step = 0;
  int pending = 0;  // messages that it waits for
  // Posted receives, and sends but for those that its step awaits, by the step that receives them.
  std::map<std::size_t, std::vector<int>> expected;
  std::map<std::size_t, std::vector<int>> sent;
  std::vector<int> incoming;
  std::vector<int> early;
  std::vector<int> late;
  int longest_delay = 1;
  std::vector<int> exchange;  // without overlap: messages that must arrive before it computes
  std::vector<StepMessages> steps;
};

class Simulation {
 public:
  Simulation(const Plan& plan, const DeviceCosts& device, const PlanProfile& profile, double cores,
             const ModelLink& link)
      : plan_(plan),
        link_(link),
        device_(device),
        profile_(profile),
        n_workers_(static_cast<int>(plan.workers.size())),
        shares_cores_(shares_cores(plan, cores)),
        core_share_(shares_cores_ ? cores / n_workers_ : 1.0),
        cores_(cores),
        network_(link, n_workers_ + 1, [this](int index) { land(index); }),
        players_(plan.workers.size()) {
    execution_.workers.resize(plan.workers.size());
    Worker scratch;
    for (int w = 0; w < n_workers_; ++w) {
      for (const Step& step :
           plan.workers.read(static_cast<std::size_t>(w), scratch, Workers::Parts::messages).steps)
        player(w).steps.push_back({model_messages(step.receives), model_messages(step.sends)});
      time(w).steps.resize(player(w).steps.size());
      for (const StepMessages& step : player(w).steps)
        for (const ModelMessage& message : step.receives)
          player(w).longest_delay = std::max(player(w).longest_delay, message.delay);
    }
  }

  Execution run() {
    scatter();
    for (int w = 0; w < n_workers_; ++w) runnable_.push_back(w);
    go_on();
    for (;;) {
      double begin_s = kNever;
      if (!begins_.empty()) begin_s = begins_.top().at_s;
      const double network_s = network_.next_s();
      const double end_s = cores_.next_end_s();
      if (std::min({begin_s, network_s, end_s}) == kNever) break;
      if (end_s <= std::min(begin_s, network_s)) {
        const int w = cores_.take();
        player(w).now_s = end_s;
        runnable_.push_back(w);
      } else if (begin_s <= network_s) {
        const Begin begin = begins_.top();
        begins_.pop();
        cores_.add(begin.at_s, begin.work_s, begin.worker);
      } else {
        network_.advance();
      }
      go_on();
    }
    require_all_done();
    compose();
    return std::move(execution_);
  }

 private:
  // Work on shared cores begins in order of time.
  struct Begin {
    double at_s = 0.0;
    int worker = 0;
    double work_s = 0.0;
    friend bool operator>(const Begin& a, const Begin& b) {
      return a.at_s != b.at_s ? a.at_s > b.at_s : a.worker > b.worker;
    }
  };

  [[nodiscard]] Player& player(int w) { return players_[static_cast<std::size_t>(w)]; }
  [[nodiscard]] WorkerTime& time(int w) { return execution_.workers[static_cast<std::size_t>(w)]; }
  [[nodiscard]] StepTime& step_time(int w) { return time(w).steps[player(w).step]; }
  [[nodiscard]] const StepProfile& cost(int w) { return profile_.of(w, player(w).step); }
  [[nodiscard]] std::int64_t from_root_bytes(int w) {
    return player(w).steps.empty() ? 0 : profile_.of(w, 0).bytes_from_root;
  }
  [[nodiscard]] bool root_sends() const {
    return link_.root_has_link && plan_.result == Result::root;
  }

  [[nodiscard]] double packing_s(double seconds) const {
    return link_.no_communication ? 0.0 : seconds;
  }

  // The root sends all shards at once, one after another.
  void scatter() {
    for (int w = 0; w < n_workers_; ++w) {
      const std::int64_t bytes = from_root_bytes(w);
      if (bytes > 0 && root_sends())
        player(w).incoming = {network_.send_alone(n_workers_, w, bytes, 0.0)};
    }
  }

  void go_on() {
    while (!runnable_.empty()) {
      const int w = runnable_.back();
      runnable_.pop_back();
      while (advance(w)) {
      }
    }
  }

  // A message has arrived, so workers that wait for it may continue.
  void land(int index) {
    const ModelNetwork::Flight& flight = network_.flight(index);
    if (flight.to == n_workers_)
      merges_.push_back({flight.passage.done_s, flight.from, flight.bytes});
    if (flight.sender_waits && --player(flight.from).pending == 0) runnable_.push_back(flight.from);
    if (flight.receiver_waits && --player(flight.to).pending == 0) runnable_.push_back(flight.to);
  }

  // These two return true if the worker continues at once.
  bool work(int w, double work_s, Phase next) {
    Player& p = player(w);
    p.phase = next;
    p.began_s = p.now_s;
    if (!shares_cores_ || work_s <= 0.0) {
      p.now_s += work_s;
      return true;
    }
    begins_.push({p.now_s, w, work_s});
    return false;
  }

  void end_compute(int w) { player(w).end_compute(step_time(w)); }

  bool await(int w, const std::vector<int>& messages, Phase next) {
    Player& p = player(w);
    p.phase = next;
    for (int index : messages) {
      ModelNetwork::Flight& flight = network_.flight(index);
      if (flight.done) continue;
      ++p.pending;
      // A message to itself is done at once, so that one flag is enough.
      (flight.from == w ? flight.sender_waits : flight.receiver_waits) = true;
    }
    return p.pending == 0;
  }

  // Records the waits for messages one after another, all of which have arrived.
  void note_waits(int w, std::span<const int> messages, std::size_t step) {
    for (int index : messages) player(w).await(network_.flight(index).passage, time(w).steps[step]);
  }

  void add_passages(std::span<const int> messages, TimeSpan& span) {
    for (int index : messages) {
      const Passage& passage = network_.flight(index).passage;
      span.add(passage.started_s, passage.done_s);
    }
  }

  // The same for messages that the worker sent, each in its step.
  void note_sends(int w, const std::vector<int>& messages) {
    for (const int& index : messages)
      if (!link_.no_communication)
        add_passages({&index, 1}, time(w).steps[network_.flight(index).sent_in].send);
  }

  static std::vector<int> taken(std::map<std::size_t, std::vector<int>>& of_steps,
                                std::size_t step) {
    auto messages = of_steps.extract(step);
    return messages.empty() ? std::vector<int>() : std::move(messages.mapped());
  }

  void let_go(std::vector<int>& messages) {
    for (int index : messages) network_.let_go(index);
    messages.clear();
  }

  // Runs one phase. Returns false if the worker waits or has ended.
  bool advance(int w) {
    Player& p = player(w);
    switch (p.phase) {
      case Phase::fetch_shard:
        return fetch_shard(w);
      case Phase::begin_work:
        return begin_work(w);
      case Phase::await_messages:
        p.late = taken(p.sent, p.step);
        if (p.step == p.steps.size()) return await(w, p.late, Phase::finish);
        step_time(w).start_s = p.now_s;
        p.incoming = taken(p.expected, p.step);
        return await(w, p.incoming, Phase::receive);
      case Phase::receive:
        note_receives(w);
        return work(w, cost(w).receive_s, Phase::await_late);
      case Phase::await_late:
        end_compute(w);
        return await(w, p.late, Phase::pack_early);
      case Phase::pack_early:
        note_waits(w, p.late, p.step);
        note_sends(w, p.late);
        let_go(p.late);
        post_receives(w);
        return work(w, packing_s(cost(w).pack_early_s), Phase::post_early);
      case Phase::post_early:
        p.end_pack(step_time(w));
        post_sends(w, false);
        return link_.overlap ? work_kernels(w) : await_exchange(w);
      case Phase::compute:
        note_waits(w, p.exchange, p.step);
        return work_kernels(w);
      case Phase::await_early:
        end_compute(w);
        return await(w, p.early, Phase::pack_late);
      case Phase::pack_late:
        note_waits(w, p.early, p.step);
        note_sends(w, p.early);
        let_go(p.early);
        return work(w, packing_s(cost(w).pack_late_s), Phase::post_late);
      case Phase::post_late:
        end_step(w);
        return true;
      case Phase::finish:
        if (p.step > 0) note_waits(w, p.late, p.step - 1);
        note_sends(w, p.late);
        let_go(p.late);
        p.phase = Phase::done;
        return false;
      case Phase::done:
        return false;
    }
    return false;
  }

  bool fetch_shard(int w) {
    const std::int64_t bytes = from_root_bytes(w);
    if (root_sends() || link_.no_communication)
      return await(w, player(w).incoming, Phase::begin_work);
    return work(w, device_.copy_s(bytes), Phase::begin_work);
  }

  bool begin_work(int w) {
    Player& p = player(w);
    for (int index : p.incoming) p.now_s = std::max(p.now_s, network_.flight(index).passage.done_s);
    let_go(p.incoming);
    time(w).gather_s = p.now_s;
    p.phase = Phase::await_messages;
    return true;
  }

  void note_receives(int w) {
    Player& p = player(w);
    if (!link_.no_communication) {
      TimeSpan& receive = step_time(w).receive;
      add_passages(p.incoming, receive);
      if (!p.incoming.empty()) step_time(w).communication_s = receive.end_s - receive.start_s;
    }
    note_waits(w, p.incoming, p.step);
    let_go(p.incoming);
  }

  void post_receives(int w) {
    Player& p = player(w);
    p.exchange.clear();
    for (int delay = 1; delay <= p.longest_delay; ++delay) {
      const std::size_t arrival = p.step + static_cast<std::size_t>(delay);
      if (arrival >= p.steps.size()) return;
      const std::vector<ModelMessage>& receives = p.steps[arrival].receives;
      std::vector<int>& expected = p.expected[arrival];
      expected.resize(receives.size());
      for (std::size_t m = 0; m < receives.size(); ++m) {
        const ModelMessage& message = receives[m];
        if (message.delay != delay) continue;
        expected[m] =
            network_.receive({message.peer, w, static_cast<int>(arrival), message.late}, p.now_s);
        if (!link_.overlap && !message.late) p.exchange.push_back(expected[m]);
      }
    }
  }

  void post_sends(int w, bool late) {
    Player& p = player(w);
    for (const ModelMessage& message : p.steps[p.step].sends) {
      if (message.late != late) continue;
      const std::size_t due = p.step + static_cast<std::size_t>(message.delay);
      const int index =
          network_.send({w, message.peer, static_cast<int>(due), late}, message.bytes, p.now_s);
      network_.flight(index).sent_in = p.step;
      (late || message.delay > 1 ? p.sent[due] : p.early).push_back(index);
    }
  }

  bool work_kernels(int w) { return work(w, cost(w).kernel_s, Phase::await_early); }

  bool await_exchange(int w) {
    Player& p = player(w);
    p.exchange.insert(p.exchange.end(), p.early.begin(), p.early.end());
    for (const auto& [due, messages] : p.sent)
      for (const int index : messages)
        if (network_.flight(index).sent_in == p.step) p.exchange.push_back(index);
    return await(w, p.exchange, Phase::compute);
  }

  void end_step(int w) {
    Player& p = player(w);
    p.end_pack(step_time(w));
    post_sends(w, true);
    const std::int64_t bytes = cost(w).bytes_to_root;
    if (bytes > 0 && root_sends()) {
      p.sent[p.step + 1].push_back(network_.send_alone(w, n_workers_, bytes, p.now_s));
      network_.flight(p.sent[p.step + 1].back()).sent_in = p.step;
    }
    time(w).compute_s += step_time(w).compute_s;
    ++p.step;
    p.phase = Phase::await_messages;
  }

  void require_all_done() {
    for (int w = 0; w < n_workers_; ++w)
      if (player(w).phase != Phase::done)
        throw CaseError(Status::error,
                        fmt::format("worker {} waits in step {} for a message that never comes", w,
                                    player(w).step));
  }

  void compose() {
    for (const Player& p : players_) execution_.wall_s = std::max(execution_.wall_s, p.now_s);
    if (root_sends())
      execution_.wall_s =
          std::max(execution_.wall_s, merge_at_root(std::move(merges_), device_, execution_));
    else if (plan_.result == Result::root && !works_in_place(plan_))
      merge_in_one_memory();
  }

  // It begins when the last worker has computed.
  void merge_in_one_memory() {
    for (int w = 0; w < n_workers_; ++w)
      if (!time(w).steps.empty())
        time(w).steps.back().idle_s += execution_.wall_s - player(w).now_s;
    execution_.wall_s += share_out_merge(plan_, device_, core_share_, execution_);
  }

  const Plan& plan_;
  const ModelLink link_;
  const DeviceCosts& device_;
  const PlanProfile& profile_;
  const int n_workers_;
  const bool shares_cores_;
  const double core_share_;  // part of a core per worker when all are busy
  SharedCores cores_;
  ModelNetwork network_;
  std::vector<Player> players_;
  std::vector<int> runnable_;
  std::priority_queue<Begin, std::vector<Begin>, std::greater<>> begins_;
  std::vector<PartialAtRoot> merges_;  // at the root
  Execution execution_;
};

}  // namespace

std::vector<ModelMessage> model_messages(const std::vector<Transfer>& transfers) {
  std::vector<ModelMessage> messages;
  for (const Message& message : messages_of(transfers))
    messages.push_back({message.peer, message.late, tensor_bytes(message), message.delay});
  return messages;
}

bool shares_cores(const Plan& plan, double cores) {
  return cores > 0.0 && cores < static_cast<double>(plan.workers.size());
}

Execution simulate(const Plan& plan, const DeviceCosts& device, const PlanProfile& profile,
                   double cores, const ModelLink& link) {
  return Simulation(plan, device, profile, cores, link).run();
}

}  // namespace qb
