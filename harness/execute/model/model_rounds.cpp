// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/model_simulation.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "harness/plan/rotation.h"

namespace qb {
namespace {

// Messages here are worker 0's: their peer is the distance at which the other workers have theirs,
// 0 where a worker keeps the message.
std::ptrdiff_t n_travelling(const std::vector<ModelMessage>& messages) {
  return std::ssize(messages) - std::ranges::count(messages, 0, &ModelMessage::peer);
}

// The messages that a step sends, all early or all late, and their passages.
class Exchange {
 public:
  std::vector<ModelMessage> sends;
  std::vector<ModelMessage> receives;  // receives of the next step
  std::vector<double> sender_ready_s;
  std::vector<double> receiver_ready_s;

  [[nodiscard]] bool late() const { return !sends.empty() && sends[0].late; }
  [[nodiscard]] bool is_of_one_kind() const {
    return std::all_of(sends.begin(), sends.end(),
                       [&](const ModelMessage& send) { return send.late == sends[0].late; });
  }

  // Call it when both sides have reported. went_on_s: the moment of the simulation, or a later one,
  // at which each worker went on after its last wait. Returns false if the order in which messages
  // meet on links is not certain.
  bool pass(const ModelLink& link, const std::vector<double>& went_on_s) {
    at_once_ = link.no_communication ||
               (link.limit.bandwidth_byte_per_s <= 0.0 && link.limit.latency_s <= 0.0);
    link_ = link.limit;
    alone_ = link_.bandwidth_byte_per_s <= 0.0 ||
             (n_travelling(sends) <= 1 && n_travelling(receives) <= 1);
    if (at_once_ || alone_) return true;
    const auto all_equal = [](const std::vector<double>& times) {
      return std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>()) == times.end();
    };
    const bool equal = all_equal(sender_ready_s) && all_equal(receiver_ready_s);
    // The simulation plays a worker ahead to its next wait as soon as it can go on. If that is
    // before the worker is ready, all messages are in the simulation's queue before they start.
    if (!equal && !std::ranges::equal(went_on_s, receiver_ready_s, std::less<>())) return false;
    one_after_another(equal ? 1 : sender_ready_s.size());
    return true;
  }

  [[nodiscard]] Passage passage(std::size_t from, std::size_t to,
                                const ModelMessage& message) const {
    const double started_s = std::max(sender_ready_s[from], receiver_ready_s[to]);
    if (message.peer == 0 || at_once_) return {started_s, started_s};
    if (alone_) return {started_s, started_s + link_.latency_s + on_link_s(message)};
    const std::size_t n = sender_ready_s.size();
    return {started_s, done_s_[from * done_stride_ + (to >= from ? to - from : to + n - from)]};
  }
  // The simulation knows when a message will have arrived as soon as it begins to.
  [[nodiscard]] double known_s(const Passage& passage) const {
    return alone_ ? passage.started_s + link_.latency_s : passage.done_s;
  }

 private:
  [[nodiscard]] double on_link_s(const ModelMessage& message) const {
    const double bandwidth = link_.bandwidth_byte_per_s;
    return bandwidth > 0.0 ? static_cast<double>(message.bytes) / bandwidth : 0.0;
  }

  // Messages leave and arrive when they are ready for it; of two, the one of less distance first.
  // n_different 1: every worker's messages travel as worker 0's do.
  void one_after_another(std::size_t n_different) {
    const std::size_t n = sender_ready_s.size();
    done_stride_ = n_different == 1 ? 0 : n;
    done_s_.resize(n_different * n);
    std::vector<std::pair<double, const ModelMessage*>> queue;
    const auto serve = [&](std::size_t w, bool leave) {
      const auto done_s = [&](const ModelMessage& send) -> double& {
        const auto distance = static_cast<std::size_t>(send.peer);
        const std::size_t from = leave ? w : (w + n - distance) % n;
        return done_s_[from * done_stride_ + distance];
      };
      queue.clear();
      for (const ModelMessage& send : sends)
        if (send.peer != 0) {
          const std::size_t to = (w + static_cast<std::size_t>(send.peer)) % n;
          queue.emplace_back(
              leave ? std::max(sender_ready_s[w], receiver_ready_s[to]) : done_s(send), &send);
        }
      const auto at_s = [](const auto& message) { return message.first; };
      if (!std::ranges::is_sorted(queue, {}, at_s)) std::ranges::stable_sort(queue, {}, at_s);
      double free_s = 0.0;
      for (const auto& [ready_s, send] : queue) {
        const double begin_s = std::max(ready_s, free_s);
        free_s = begin_s + on_link_s(*send);
        done_s(*send) = leave ? begin_s + link_.latency_s : free_s;
      }
    };
    for (const bool leave : {true, false})
      for (std::size_t w = 0; w < n_different; ++w) serve(w, leave);
  }

  LinkLimit link_;
  bool at_once_ = false;
  bool alone_ = false;           // no message waits for another
  std::vector<double> done_s_;   // by sender, if senders differ, and distance
  std::size_t done_stride_ = 0;  // 0: senders do not differ
};

class Rounds {
 public:
  Rounds(const Plan& plan, const PlanCosts& costs, const ModelLink& link,
         const std::vector<double>& worker_speeds)
      : costs_(costs),
        link_(link),
        worker_speeds_(worker_speeds),
        n_workers_(plan.workers.size()),
        clock_(n_workers_),
        went_on_s_(n_workers_, -1.0),
        step_(n_workers_) {
    const Rotation& rotation = *plan.workers.rotation();
    for (std::size_t s = 0; s < rotation.steps.size(); ++s) {
      const Step step = rotation.step(s, 0, true);
      if (s > 0) exchanges_.back().receives = model_messages(step.receives);
      exchanges_.emplace_back().sends = model_messages(step.sends);
    }
    keeps_steps_ = n_workers_ * exchanges_.size() <= kMostModelledSteps;
    execution_.workers.resize(n_workers_);
    for (WorkerTime& worker : execution_.workers)
      worker.steps.resize(keeps_steps_ ? exchanges_.size() : 1);
  }

  std::optional<Execution> run() {
    for (std::size_t s = 0; s < exchanges_.size(); ++s) {
      Exchange& exchange = exchanges_[s];
      if (!exchange.is_of_one_kind()) return std::nullopt;
      exchange.sender_ready_s.resize(n_workers_);
      exchange.receiver_ready_s.resize(n_workers_);
      for (std::size_t w = 0; w < n_workers_; ++w) begin_step(w, s);
      if (!exchange.late() && !exchange.pass(link_, went_on_s_)) return std::nullopt;
      for (std::size_t w = 0; w < n_workers_; ++w) end_step(w, s);
      if (exchange.late() && !exchange.pass(link_, went_on_s_)) return std::nullopt;
      if (s > 0) exchanges_[s - 1] = {};
    }
    for (std::size_t w = 0; w < n_workers_ && !exchanges_.empty(); ++w) {
      await_late(w, exchanges_.size() - 1);
      note_step(w, exchanges_.size() - 1);
    }
    for (const WorkerClock& clock : clock_)
      execution_.wall_s = std::max(execution_.wall_s, clock.now_s);
    return std::move(execution_);
  }

 private:
  // Records that the worker's step s has ended, with its waits.
  void note_step(std::size_t w, std::size_t s) {
    const StepTime step = std::exchange(step_[w], StepTime{});
    WorkerTime& worker = execution_.workers[w];
    worker.compute_s += step.compute_s;
    if (keeps_steps_) {
      worker.steps[s] = step;
      return;
    }
    StepTime& sums = worker.steps[0];
    sums.compute_s += step.compute_s;
    sums.communication_s += step.communication_s;
    sums.exposed_communication_s += step.exposed_communication_s;
    sums.idle_s += step.idle_s;
  }
  [[nodiscard]] StepCost cost(std::size_t w, std::size_t s) const {
    return costs_.of(static_cast<int>(w), s);
  }
  // Calls visit(passage) for the worker's messages in ascending order of its peers: messages whose
  // peer index wraps past the last worker come first.
  template <class Visit>
  void for_each(const Exchange& exchange, std::size_t w, bool sent, const Visit& visit) {
    const std::vector<ModelMessage>& messages = sent ? exchange.sends : exchange.receives;
    const std::size_t n = messages.size();
    std::size_t first = 0;
    if (n > 1)
      first = static_cast<std::size_t>(
          std::partition_point(messages.begin(), messages.end(),
                               [&](const ModelMessage& message) {
                                 return static_cast<std::size_t>(message.peer) + w < n_workers_;
                               }) -
          messages.begin());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = first + i < n ? first + i : first + i - n;
      const std::size_t away = w + static_cast<std::size_t>(messages[at].peer);
      const std::size_t peer = away < n_workers_ ? away : away - n_workers_;
      const Passage passage =
          sent ? exchange.passage(w, peer, messages[at]) : exchange.passage(peer, w, messages[at]);
      went_on_s_[w] = std::max(went_on_s_[w], exchange.known_s(passage));
      visit(passage);
    }
  }

  void await(std::size_t w, const Passage& passage) { clock_[w].await(passage, step_[w]); }

  void await_late(std::size_t w, std::size_t s) {
    if (!exchanges_[s].late()) return;
    TimeSpan span;
    for_each(exchanges_[s], w, true, [&](const Passage& passage) {
      span.add(passage.started_s, passage.done_s);
      await(w, passage);
    });
    // Their step has been noted, unless it is the last one.
    if (!link_.no_communication)
      (keeps_steps_ && s + 1 < exchanges_.size() ? execution_.workers[w].steps[s] : step_[w]).send =
          span;
  }

  void work(std::size_t w, double seconds) {
    clock_[w].began_s = clock_[w].now_s;
    clock_[w].now_s += seconds;
  }
  void compute(std::size_t w, double seconds) {
    work(w, seconds);
    clock_[w].end_compute(worker_speeds_[w], step_[w]);
  }
  void pack(std::size_t w, double seconds) {
    work(w, link_.no_communication ? 0.0 : seconds);
    clock_[w].end_pack(step_[w]);
  }

  // Runs a step until its early sends are ready.
  void begin_step(std::size_t w, std::size_t s) {
    if (s > 0) note_step(w, s - 1);
    step_[w].start_s = clock_[w].now_s;
    if (s > 0) receive(w, exchanges_[s - 1]);
    compute(w, cost(w, s).receive_s);
    if (s > 0) await_late(w, s - 1);
    exchanges_[s].receiver_ready_s[w] = clock_[w].now_s;
    pack(w, cost(w, s).pack_early_s);
    exchanges_[s].sender_ready_s[w] = clock_[w].now_s;
  }

  void receive(std::size_t w, const Exchange& exchange) {
    if (exchange.receives.empty()) return;
    TimeSpan span;
    for_each(exchange, w, false, [&](const Passage& passage) {
      span.add(passage.started_s, passage.done_s);
      await(w, passage);
    });
    if (link_.no_communication) return;
    step_[w].receive = span;
    step_[w].communication_s = span.end_s - span.start_s;
  }

  void end_step(std::size_t w, std::size_t s) {
    const Exchange& exchange = exchanges_[s];
    const bool sends_early = !exchange.late();
    const auto wait = [&](const Passage& passage) { await(w, passage); };
    if (!link_.overlap && sends_early) {
      for_each(exchange, w, false, wait);
      for_each(exchange, w, true, wait);
    }
    compute(w, cost(w, s).kernel_s);
    if (sends_early)
      for_each(exchange, w, true, [&](const Passage& passage) {
        if (!link_.no_communication) step_[w].send.add(passage.started_s, passage.done_s);
        wait(passage);
      });
    pack(w, cost(w, s).pack_late_s);
    if (!sends_early) exchanges_[s].sender_ready_s[w] = clock_[w].now_s;
  }

  const PlanCosts& costs_;
  const ModelLink link_;
  const std::vector<double>& worker_speeds_;
  const std::size_t n_workers_;
  std::vector<WorkerClock> clock_;
  std::vector<double> went_on_s_;    // see Exchange::pass()
  std::vector<Exchange> exchanges_;  // by step
  std::vector<StepTime> step_;       // by worker, the current step
  bool keeps_steps_ = true;
  Execution execution_;
};

}  // namespace

std::optional<Execution> model_rounds(const Plan& plan, const PlanCosts& costs,
                                      const ModelLink& link,
                                      const std::vector<double>& worker_speeds) {
  if (link.hosts.workers_per_host > 0) return std::nullopt;  // messages have links of two kinds
  // A root's link or its merges make workers wait in turn.
  const Rotation* rotation = plan.workers.rotation();
  if (plan.result == Result::root || rotation == nullptr || !rotation->fits(plan) ||
      !rotation->has_equal_messages())
    return std::nullopt;
  return Rounds(plan, costs, link, worker_speeds).run();
}

}  // namespace qb
