// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/model_simulation.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "harness/plan/rotation.h"

namespace qb {
namespace {

// Above it no run is simulated because two messages may have been posted at the same moment.
constexpr std::size_t kMostOrderedMessages = std::size_t{1} << 16;

// Messages here are worker 0's: the other workers' peers follow from theirs by rotation, and place
// 0 is where a worker keeps the message.
std::ptrdiff_t n_travelling(const std::vector<ModelMessage>& messages) {
  return std::ssize(messages) - std::ranges::count(messages, 0, &ModelMessage::peer);
}

// The messages of one kind, early or late, that a step sends, and their passages.
class Exchange {
 public:
  std::vector<double> sender_ready_s;
  std::vector<double> receiver_ready_s;

  Exchange(const WorkerGroup& group, std::vector<ModelMessage> sends,
           std::vector<ModelMessage> receives)
      : group_(&group), sends_(std::move(sends)), receives_(std::move(receives)) {
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
  bool pass(const ModelLink& link, const std::vector<double>& went_on_s) {
    link_ = &link;
    const bool on_hosts = link.hosts.workers_per_host > 0;
    at_once_ = link.no_communication ||
               (!on_hosts && link.limit.bandwidth_byte_per_s <= 0.0 && link.limit.latency_s <= 0.0);
    alone_ = has_one_message() || (!on_hosts && link.limit.bandwidth_byte_per_s <= 0.0);
    if (at_once_ || alone_) return true;
    const auto all_equal = [](const std::vector<double>& times) {
      return std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>()) == times.end();
    };
    const bool equal = all_equal(sender_ready_s) && all_equal(receiver_ready_s);
    // The simulation plays a worker ahead to its next wait as soon as it can go on. If that is
    // before the worker is ready, all messages are in the simulation's queue before they start.
    if (!equal && !went_on_s.empty() &&
        !std::ranges::equal(went_on_s, receiver_ready_s, std::less<>()))
      return false;
    one_after_another(equal && !on_hosts && group_->is_cyclic() ? 1 : sender_ready_s.size());
    return true;
  }

  // Calls visit(passage) for the messages that the worker sends, or receives: in a cyclic group in
  // ascending order of its peers, of which those that wrap past the last worker come first.
  template <class Visit>
  void for_each(std::size_t w, bool sent, const Visit& visit) const {
    const std::vector<ModelMessage>& messages = sent ? sends_ : receives_;
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
  // The simulation knows when a message will have arrived as soon as it begins to.
  [[nodiscard]] double known_s(const Passage& passage) const {
    return alone_ && !at_once_ ? passage.started_s + link_->limit.latency_s : passage.done_s;
  }

 private:
  [[nodiscard]] std::size_t plus(std::size_t worker, int place) const {
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
    const LinkLimit& on = limit(are_apart(from, to));
    return {started_s, started_s + on.latency_s + on_link_s(on, message)};
  }

  struct Waiting {
    double ready_s = 0.0;
    std::size_t distance = 0;
    std::size_t from = 0;
    std::size_t sent = 0;
    bool apart = false;
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return a.ready_s != b.ready_s ? a.ready_s < b.ready_s : a.distance < b.distance;
    }
  };

  // Messages leave and arrive when they are ready for it; of two, the one of less distance first.
  // n_different 1: every worker's messages travel as worker 0's do.
  void one_after_another(std::size_t n_different) {
    done_stride_ = n_different == 1 ? 0 : sends_.size();
    done_s_.resize(n_different * sends_.size());
    for (const bool leave : {true, false})
      for (std::size_t w = 0; w < n_different; ++w) serve(w, leave);
  }

  // On hosts messages to the same host and to others have links of their own.
  void serve(std::size_t w, bool leave) {
    const std::vector<ModelMessage>& messages = leave ? sends_ : receives_;
    const std::size_t n = sender_ready_s.size();
    queue_.clear();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].peer == 0) continue;
      const std::size_t peer = plus(w, messages[i].peer);
      Waiting next{.distance = leave ? (peer + n + 1 - w) % (n + 1) : (w + n + 1 - peer) % (n + 1),
                   .from = leave ? w : peer,
                   .sent = leave ? i : sent_as_[i],
                   .apart = are_apart(w, peer)};
      next.ready_s = leave ? std::max(sender_ready_s[w], receiver_ready_s[peer])
                           : done_s(next.from, next.sent);
      queue_.push_back(next);
    }
    if (!std::is_sorted(queue_.begin(), queue_.end())) std::sort(queue_.begin(), queue_.end());
    std::array<double, 2> free_s{};
    for (const Waiting& next : queue_) {
      const LinkLimit& on = limit(next.apart);
      double& lane = free_s[next.apart ? 1 : 0];
      const double begin_s = std::max(next.ready_s, lane);
      lane = begin_s + on_link_s(on, sends_[next.sent]);
      done_s(next.from, next.sent) = leave ? begin_s + on.latency_s : lane;
    }
  }

  const WorkerGroup* group_;
  std::vector<ModelMessage> sends_;
  std::vector<ModelMessage> receives_;  // in the next step
  std::vector<std::size_t> sent_as_;    // by receive: which send of its sender it is
  const ModelLink* link_ = nullptr;
  bool at_once_ = false;
  bool alone_ = false;           // no message waits for another
  std::vector<double> done_s_;   // by sender, if senders differ, and send
  std::size_t done_stride_ = 0;  // 0: senders do not differ
  std::vector<Waiting> queue_;
};

// What a step sends.
struct Exchanges {
  Exchange early;
  Exchange late;
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
    std::vector<Step> steps;
    for (std::size_t i = 0; i < rotation.steps.size(); ++i)
      steps.push_back(rotation.step(i, 0, false));
    std::size_t n_messages = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto of_kind = [](const std::vector<Transfer>& transfers, bool late) {
        std::vector<ModelMessage> messages = model_messages(transfers);
        std::erase_if(messages, [&](const ModelMessage& m) { return m.late != late; });
        return messages;
      };
      const std::vector<Transfer> none;
      const std::vector<Transfer>& next = i + 1 < steps.size() ? steps[i + 1].receives : none;
      const auto exchange = [&](bool late) {
        return Exchange(rotation.group, of_kind(steps[i].sends, late), of_kind(next, late));
      };
      exchanges_.push_back({exchange(false), exchange(true)});
      n_messages += steps[i].sends.size();
    }
    is_large_ = n_workers_ * n_messages > kMostOrderedMessages;
    keeps_steps_ = n_workers_ * exchanges_.size() <= kMostModelledSteps;
    execution_.workers.resize(n_workers_);
    for (WorkerTime& worker : execution_.workers)
      worker.steps.resize(keeps_steps_ ? exchanges_.size() : 1);
  }

  std::optional<Execution> run() {
    for (std::size_t s = 0; s < exchanges_.size(); ++s) {
      auto& [early, late] = exchanges_[s];
      if (!early.empty() && !late.empty() &&
          !(early.has_one_message() && late.has_one_message() && early.goes_where(late)))
        return std::nullopt;
      for (Exchange* const exchange : {&early, &late}) {
        exchange->sender_ready_s.resize(n_workers_);
        exchange->receiver_ready_s.resize(n_workers_);
      }
      for (std::size_t w = 0; w < n_workers_; ++w) begin_step(w, s);
      if (!early.pass(link_, is_large_ ? std::vector<double>() : went_on_s_)) return std::nullopt;
      for (std::size_t w = 0; w < n_workers_; ++w) end_step(w, s);
      if (!late.pass(link_, is_large_ ? std::vector<double>() : went_on_s_)) return std::nullopt;
      if (s > 0) forget(exchanges_[s - 1]);
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
  static void forget(Exchanges& exchanges) {
    for (Exchange* const exchange : {&exchanges.early, &exchanges.late})
      for (std::vector<double>* const times :
           {&exchange->sender_ready_s, &exchange->receiver_ready_s})
        *times = {};
  }

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
  template <class Visit>
  void for_each(const Exchange& exchange, std::size_t w, bool sent, const Visit& visit) {
    exchange.for_each(w, sent, [&](const Passage& passage) {
      went_on_s_[w] = std::max(went_on_s_[w], exchange.known_s(passage));
      visit(passage);
    });
  }

  void await(std::size_t w, const Passage& passage) { clock_[w].await(passage, step_[w]); }

  void await_late(std::size_t w, std::size_t s) {
    if (exchanges_[s].late.empty()) return;
    TimeSpan span;
    for_each(exchanges_[s].late, w, true, [&](const Passage& passage) {
      span.add(passage.started_s, passage.done_s);
      await(w, passage);
    });
    if (link_.no_communication) return;
    // Their step has been noted, unless it is the last one.
    (keeps_steps_ && s + 1 < exchanges_.size() ? execution_.workers[w].steps[s] : step_[w])
        .send.add(span.start_s, span.end_s);
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
    auto& [early, late] = exchanges_[s];
    early.receiver_ready_s[w] = late.receiver_ready_s[w] = clock_[w].now_s;
    pack(w, cost(w, s).pack_early_s);
    early.sender_ready_s[w] = clock_[w].now_s;
  }

  void receive(std::size_t w, const Exchanges& exchanges) {
    TimeSpan span;
    bool any = false;
    for (const Exchange* const exchange : {&exchanges.early, &exchanges.late})
      for_each(*exchange, w, false, [&](const Passage& passage) {
        span.add(passage.started_s, passage.done_s);
        await(w, passage);
        any = true;
      });
    if (link_.no_communication || !any) return;
    step_[w].receive = span;
    step_[w].communication_s = span.end_s - span.start_s;
  }

  void end_step(std::size_t w, std::size_t s) {
    auto& [early, late] = exchanges_[s];
    const auto wait = [&](const Passage& passage) { await(w, passage); };
    if (!link_.overlap) {
      for_each(early, w, false, wait);
      for_each(early, w, true, wait);
    }
    compute(w, cost(w, s).kernel_s);
    for_each(early, w, true, [&](const Passage& passage) {
      if (!link_.no_communication) step_[w].send.add(passage.started_s, passage.done_s);
      wait(passage);
    });
    pack(w, cost(w, s).pack_late_s);
    late.sender_ready_s[w] = clock_[w].now_s;
  }

  const PlanCosts& costs_;
  const ModelLink link_;
  const std::vector<double>& worker_speeds_;
  const std::size_t n_workers_;
  std::vector<WorkerClock> clock_;
  std::vector<double> went_on_s_;     // see Exchange::pass()
  std::vector<Exchanges> exchanges_;  // by step
  std::vector<StepTime> step_;        // by worker, the current step
  bool keeps_steps_ = true;
  bool is_large_ = false;
  Execution execution_;
};

}  // namespace

std::optional<Execution> model_rounds(const Plan& plan, const PlanCosts& costs,
                                      const ModelLink& link,
                                      const std::vector<double>& worker_speeds) {
  if (link.hosts.workers_per_host > 0 && link.hosts.nics > 0)
    return std::nullopt;  // workers share links
  // A root's link or its merges make workers wait in turn.
  const Rotation* rotation = plan.workers.rotation();
  if (plan.result == Result::root || rotation == nullptr || !rotation->fits(plan) ||
      !rotation->has_equal_messages())
    return std::nullopt;
  return Rounds(plan, costs, link, worker_speeds).run();
}

}  // namespace qb
