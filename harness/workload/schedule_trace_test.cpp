// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/schedule_trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/forecast/model_simulation.h"
#include "harness/forecast/testing/constant_rate_device.h"
#include "harness/plan/messages.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/workload/prediction.h"

namespace qb {
namespace {

using Json = nlohmann::json;

Plan scheduled(const char* algorithm, Pass pass = Pass::forward) {
  const Problem problem = make_problem({1, 4, 4, 96, 96, 16, 16}, MaskKind::causal, DType::f32, 3);
  return make_plan(algorithm, problem, {.workers = 4, .pass = pass});
}

std::size_t messages_between_workers(const Plan& plan) {
  std::size_t n = 0;
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    for (const Step& step : plan.workers[w].steps)
      for (const Message& message : messages_of(step.receives))
        n += message.peer >= 0 && std::cmp_not_equal(message.peer, w) ? 1U : 0U;
  return n;
}

// Slices nest, each arrow begins in a slice of a send, ends in one of a receive and never goes back
// in time, and all that was sent has come in the end. Returns the arrows; `slices` counts them.
std::size_t arrows_of(const std::string& text, std::size_t& slices) {
  using Track = std::pair<int, std::int64_t>;
  std::map<Track, std::vector<std::pair<double, double>>> tracks;
  std::map<Track, std::string> names;
  std::map<std::int64_t, double> sent_at;
  std::size_t arrows = 0;
  std::int64_t in_flight = 0;
  const Json trace = Json::parse(text);
  for (const Json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    const Track track = {event.at("pid"), event.value("tid", std::int64_t{0})};
    if (phase == "M") names[track] = event.at("args").at("name");
    if (phase == "C") {
      in_flight = event.at("args").at("bytes");
      EXPECT_GE(in_flight, 0);
    }
    if (phase == "X")
      tracks[track].emplace_back(event.at("ts"), double(event.at("ts")) + double(event.at("dur")));
  }
  EXPECT_EQ(in_flight, 0);
  slices = 0;
  for (const auto& [track, spans] : tracks) {
    slices += spans.size();
    for (const auto& a : spans)
      for (const auto& b : spans)
        EXPECT_FALSE(a.first < b.first && b.first < a.second && a.second < b.second);
  }
  const auto is_in = [&](const Track& track, double ts) {
    return std::ranges::any_of(
        tracks[track], [&](const auto& span) { return span.first <= ts && ts <= span.second; });
  };
  for (const Json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase != "s" && phase != "f") continue;
    const Track track = {event.at("pid"), event.at("tid")};
    const double ts = event.at("ts");
    EXPECT_EQ(names.at(track), phase == "s" ? "send" : "receive");
    EXPECT_TRUE(is_in(track, ts));
    if (phase == "s") {
      sent_at[event.at("id")] = ts;
    } else {
      EXPECT_GE(ts, sent_at.at(event.at("id")));
      ++arrows;
    }
  }
  return arrows;
}

std::size_t spans_of(const Execution& execution) {
  std::size_t n = 0;
  for (const WorkerTime& worker : execution.workers)
    for (const StepTime& step : worker.steps)
      for (const TimeSpan& span : {step.compute, step.send, step.receive})
        n += std::isnan(span.start_s) ? 0U : 1U;
  return n;
}

TEST(ScheduleTrace, OfThreadsHasEachSpanAndAnArrowForEachMessage) {
  for (const char* algorithm : {"ring", "ulysses", "pass_q", "double_ring"}) {
    const Plan plan = scheduled(algorithm);
    Trial trial(plan, heap_allocator());
    const Execution run = trial.run(Ranks::threads, Kernel::flash, 1, heap_allocator());
    const Plan* const passes[] = {&plan};
    std::size_t slices = 0;
    EXPECT_EQ(arrows_of(schedule_trace(passes, run), slices), messages_between_workers(plan))
        << algorithm;
    EXPECT_EQ(slices, spans_of(run)) << algorithm;
  }
}

TEST(ScheduleTrace, OfAModelledRunOfBothPassesFollowsTheirSteps) {
  const Plan forward = scheduled("zigzag");
  const Plan backward = scheduled("zigzag", Pass::backward);
  const DeviceModel device = constant_rate_device(Kernel::flash, DType::f32, 16, 1e9);
  const ModelLink link{.limit = {1e6, 1e-3}};
  const auto run_of = [&](const Plan& plan) {
    return model_execution(plan, Representatives(plan), device, link, Kernel::flash);
  };
  const Execution run = in_sequence(run_of(forward), run_of(backward));
  const Plan* const passes[] = {&forward, &backward};
  std::size_t slices = 0;
  EXPECT_EQ(arrows_of(schedule_trace(passes, run), slices),
            messages_between_workers(forward) + messages_between_workers(backward));
  EXPECT_EQ(slices, spans_of(run));
}

TEST(ScheduleTrace, IsNoneWhereADeviceRunsTheWorkersInTurn) {
  const Plan plan = scheduled("ring");
  Trial trial(plan, heap_allocator());
  const Plan* const passes[] = {&plan};
  EXPECT_EQ(schedule_trace(passes, trial.run(Ranks::serial, Kernel::flash, 1, heap_allocator())),
            "");
}

}  // namespace
}  // namespace qb
