// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/model_simulation.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/status.h"
#include "harness/forecast/model_exchange.h"
#include "harness/plan/rotation.h"
#include "harness/run/runner/worker.h"

namespace qb {
namespace {

// Above it no run is simulated because two messages may have been posted at the same moment.
constexpr std::size_t kMostOrderedMessages = std::size_t{1} << 16;

class Rounds {
 public:
  Rounds(const Plan& plan, const PlanProfile& profile, const ModelLink& link)
      : profile_(profile),
        link_(link),
        n_workers_(plan.workers.size()),
        nics_(link.hosts, n_workers_),
        clock_(n_workers_),
        went_on_s_(n_workers_, -1.0),
        step_(n_workers_),
        cost_(n_workers_) {
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
      if (!early.pass(link_, nics_, is_large_ ? std::vector<double>() : went_on_s_))
        return std::nullopt;
      for (std::size_t w = 0; w < n_workers_; ++w) end_step(w, s);
      if (!late.pass(link_, nics_, is_large_ ? std::vector<double>() : went_on_s_))
        return std::nullopt;
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
    exchanges.early.forget();
    exchanges.late.forget();
  }

  // Records that the worker's step s has ended, with its waits.
  void note_step(std::size_t w, std::size_t s) {
    StepTime& step = step_[w];
    WorkerTime& worker = execution_.workers[w];
    worker.compute_s += step.compute_s;
    if (keeps_steps_) {
      worker.steps[s] = step;
    } else {
      StepTime& sums = worker.steps[0];
      sums.compute_s += step.compute_s;
      sums.communication_s += step.communication_s;
      sums.exposed_communication_s += step.exposed_communication_s;
      sums.idle_s += step.idle_s;
    }
    step = {};
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
    if (link_.no_communication || !keeps_steps_) return;
    // Their step has been noted, unless it is the last one.
    (s + 1 < exchanges_.size() ? execution_.workers[w].steps[s] : step_[w])
        .send.add(span.start_s, span.end_s);
  }

  void work(std::size_t w, double seconds) {
    clock_[w].began_s = clock_[w].now_s;
    clock_[w].now_s += seconds;
  }
  void compute(std::size_t w, double seconds) {
    work(w, seconds);
    clock_[w].end_compute(step_[w]);
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
    const StepProfile& cost = profile_.of(static_cast<int>(w), s);
    cost_[w] = &cost;
    compute(w, cost.receive_s);
    if (s > 0) await_late(w, s - 1);
    auto& [early, late] = exchanges_[s];
    early.receiver_ready_s[w] = late.receiver_ready_s[w] = clock_[w].now_s;
    pack(w, cost.pack_early_s);
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
    compute(w, cost_[w]->kernel_s);
    for_each(early, w, true, [&](const Passage& passage) {
      if (keeps_steps_ && !link_.no_communication)
        step_[w].send.add(passage.started_s, passage.done_s);
      wait(passage);
    });
    pack(w, cost_[w]->pack_late_s);
    late.sender_ready_s[w] = clock_[w].now_s;
  }

  const PlanProfile& profile_;
  const ModelLink link_;
  const std::size_t n_workers_;
  Nics nics_;
  std::vector<WorkerClock> clock_;
  std::vector<double> went_on_s_;         // see Exchange::pass()
  std::vector<Exchanges> exchanges_;      // by step
  std::vector<StepTime> step_;            // by worker, the current step
  std::vector<const StepProfile*> cost_;  // likewise
  bool keeps_steps_ = true;
  bool is_large_ = false;
  Execution execution_;
};

}  // namespace

std::optional<Execution> model_rounds(const Plan& plan, const PlanProfile& profile,
                                      const ModelLink& link) {
  // A root's link or its merges make workers wait in turn.
  const Rotation* rotation = plan.workers.rotation();
  if (plan.result == Result::root || rotation == nullptr || !rotation->fits(plan) ||
      !rotation->has_equal_messages())
    return std::nullopt;
  for (const Rotation::StepOfZero& step : rotation->steps)
    if (std::ranges::any_of(step.sends, [](const Transfer& sent) { return sent.delay > 1; }))
      return std::nullopt;
  return Rounds(plan, profile, link).run();
}

Execution model_execution(const Plan& plan, const Representatives& alike, const DeviceModel& device,
                          const ModelLink& link, Kernel kernel) {
  if (plan.workers.empty()) throw std::invalid_argument("model_execution: the plan has no workers");
  if (plan.result == Result::tier) throw Unsupported("there is no model of a memory tier");
  const DeviceCosts device_costs(device, kernel, plan.problem, plan.pass);
  const PlanProfile profile(plan, alike, kernel, &device_costs);
  const double cores = device.cores.value;
  std::optional<Execution> execution;
  if (!shares_cores(plan, cores)) execution = model_rounds(plan, profile, link);
  if (!execution) execution = simulate(plan, device_costs, profile, cores, link);
  execution->critical_path_s = execution->wall_s;
  add_sums(plan, *execution);
  return *std::move(execution);
}

}  // namespace qb
