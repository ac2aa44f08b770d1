// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/schedule_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/plan/messages.h"
#include "harness/run/memory/trace_events.h"

namespace qb {
namespace {

constexpr std::int64_t kMostMessages = 100'000;
constexpr int kMessages = 1;  // the process of the counter; worker w is process w + 2

struct Kind {
  const char* name;
  TimeSpan StepTime::*span;
};
constexpr Kind kKinds[] = {
    {"compute", &StepTime::compute}, {"send", &StepTime::send}, {"receive", &StepTime::receive}};
constexpr int kSend = 1;
constexpr int kReceive = 2;

class ScheduleTrace {
 public:
  explicit ScheduleTrace(const Execution& execution) : execution_(execution) {
    events_.push_back(trace_name_of("process_name", "messages", kMessages, 0));
  }

  void add_slices() {
    for (std::size_t w = 0; w < execution_.workers.size(); ++w) {
      const int process = process_of(w);
      events_.push_back(trace_name_of("process_name", fmt::format("worker {}", w), process, 0));
      const std::vector<StepTime>& steps = execution_.workers[w].steps;
      for (int kind = 0; kind < static_cast<int>(std::size(kKinds)); ++kind)
        for (std::size_t s = 0; s < steps.size(); ++s) add_slice(w, s, kind);
    }
  }

  // The messages that worker w receives in a step of its plan. before: by worker, the steps of the
  // execution that are of earlier passes. Returns how many there are.
  std::int64_t add_arrows(const Step& step, std::size_t w, std::size_t s,
                          const std::vector<std::size_t>& before) {
    std::int64_t n = 0;
    for (const Message& message : messages_of(step.receives)) {
      if (message.peer < 0 || std::cmp_equal(message.peer, w)) continue;
      ++n;
      const auto from = static_cast<std::size_t>(message.peer);
      const std::size_t received_in = before[w] + s;
      const std::size_t sent_in = before[from] + s - static_cast<std::size_t>(message.delay);
      const auto source = tracks_.find({from, sent_in, kSend});
      const auto target = tracks_.find({w, received_in, kReceive});
      if (source == tracks_.end() || target == tracks_.end()) continue;
      const TimeSpan& sent = execution_.workers[from].steps[sent_in].send;
      const TimeSpan& received = execution_.workers[w].steps[received_in].receive;
      const auto end = [&](const char* phase, std::size_t worker, std::int64_t track, double at_s) {
        TraceEvent event = {{"ph", phase},
                            {"name", "message"},
                            {"cat", "message"},
                            {"id", n_arrows_},
                            {"pid", process_of(worker)},
                            {"tid", track},
                            {"ts", at_s * kMicroseconds}};
        if (*phase == 'f') event["bp"] = "e";
        events_.push_back(std::move(event));
      };
      end("s", from, source->second, sent.start_s);
      end("f", w, target->second, std::max(received.start_s, sent.start_s));
      ++n_arrows_;
      const std::int64_t bytes = tensor_bytes(message);
      in_flight_[sent.start_s] += bytes;
      in_flight_[std::max(received.end_s, sent.start_s)] -= bytes;
    }
    return n;
  }

  [[nodiscard]] bool empty() const { return tracks_.empty(); }
  [[nodiscard]] std::string text() {
    std::int64_t bytes = 0;
    for (const auto& [at_s, change] : in_flight_)
      events_.push_back({{"ph", "C"},
                         {"name", "bytes in flight"},
                         {"pid", kMessages},
                         {"ts", at_s * kMicroseconds},
                         {"args", {{"bytes", bytes += change}}}});
    return trace_text(events_);
  }

 private:
  static int process_of(std::size_t worker) { return static_cast<int>(worker) + kMessages + 1; }

  void add_slice(std::size_t w, std::size_t s, int kind) {
    const TimeSpan& span = execution_.workers[w].steps[s].*kKinds[kind].span;
    if (std::isnan(span.start_s) || std::isnan(span.end_s)) return;
    const int n_kinds = static_cast<int>(std::size(kKinds));
    const std::size_t lane = lanes_.place(process_of(w) * n_kinds + kind, span.start_s, span.end_s);
    const std::int64_t track = 1 + kind + n_kinds * static_cast<std::int64_t>(lane);
    if (named_.insert({w, track}).second)
      events_.push_back(trace_name_of("thread_name", kKinds[kind].name, process_of(w), track));
    tracks_[{w, s, kind}] = track;
    events_.push_back({{"ph", "X"},
                       {"name", fmt::format("step {}", s)},
                       {"cat", kKinds[kind].name},
                       {"pid", process_of(w)},
                       {"tid", track},
                       {"ts", span.start_s * kMicroseconds},
                       {"dur", (span.end_s - span.start_s) * kMicroseconds}});
  }

  const Execution& execution_;
  TraceLanes lanes_;
  std::set<std::pair<std::size_t, std::int64_t>> named_{};
  std::map<std::tuple<std::size_t, std::size_t, int>, std::int64_t>
      tracks_{};                                // by worker, step, kind
  std::map<double, std::int64_t> in_flight_{};  // how they change, by time
  std::int64_t n_arrows_ = 0;
  std::vector<TraceEvent> events_{};
};

}  // namespace

std::string schedule_trace(std::span<const Plan* const> passes, const Execution& execution) {
  ScheduleTrace trace(execution);
  trace.add_slices();
  if (trace.empty()) return {};
  std::int64_t messages = 0;
  std::vector<std::size_t> before(execution.workers.size(), 0);
  for (const Plan* const plan : passes) {
    std::vector<std::size_t> after = before;
    for (std::size_t w = 0; w < before.size(); ++w) {
      Worker scratch;
      const Worker& worker = plan->workers.read(w, scratch, Workers::Parts::messages);
      for (std::size_t s = 0; s < worker.steps.size(); ++s)
        messages += trace.add_arrows(worker.steps[s], w, s, before);
      if (messages > kMostMessages) return {};
      after[w] += worker.steps.size();
    }
    before = std::move(after);
  }
  return trace.text();
}

}  // namespace qb
