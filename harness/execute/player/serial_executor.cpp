// SPDX-License-Identifier: Apache-2.0
// One device plays each worker in turn: this measures one worker's cost without a second device.
#include <algorithm>
#include <memory>

#include "harness/execute/player/worker.h"
#include "harness/execute/transport/memory_transport.h"

namespace qb {
namespace {

double longest_step_sum_s(const std::vector<WorkerTime>& workers) {
  std::size_t rounds = 0;
  for (const WorkerTime& worker : workers) rounds = std::max(rounds, worker.steps.size());
  double sum_s = 0.0;
  for (std::size_t round = 0; round < rounds; ++round) {
    double slowest_s = 0.0;
    for (const WorkerTime& worker : workers)
      if (round < worker.steps.size())
        slowest_s = std::max(slowest_s, worker.steps[round].compute_s);
    sum_s += slowest_s;
  }
  return sum_s;
}

// Plays each worker from its first step to its last before the next one: only one holds memory.
void play_one_by_one(const Plan& plan, const ExecutionArguments& arguments,
                     const WorkerPlayer::Tools& tools, std::vector<WorkerTime>& times) {
  OutputMerge output(plan, arguments, tools.device, tools.device.facts().host_threads);
  for (std::size_t i = 0; i < plan.workers.size(); ++i) {
    WorkerPlayer player(plan, static_cast<int>(i), arguments, tools, times[i]);
    player.prepare();
    player.play();
    tools.watch.charge(&times[i].merge_s);
    output.add(player.worker(), player.result());
    tools.watch.charge(nullptr);
  }
  if (!plan.problem.sinks.empty()) tools.watch.charge(&times.back().merge_s);
  output.finish();
  tools.watch.charge(nullptr);
}

// Plays a step of all workers, then the next step: their messages wait in memory.
void play_step_by_step(const Plan& plan, const ExecutionArguments& arguments,
                       WorkerPlayer::Tools tools, std::vector<WorkerTime>& times) {
  const auto copy = [&](std::span<const std::byte> from, std::byte* to) {
    const Extent words{1, 1, 1, static_cast<std::int64_t>(from.size() / sizeof(float))};
    tools.device.copy_rows(contiguous_view(const_cast<std::byte*>(from.data()), DType::f32, words),
                           contiguous_view(to, DType::f32, words));
  };
  MemoryTransport transport({.workers = static_cast<int>(plan.workers.size()), .copy = copy});
  tools.transport = &transport;
  std::vector<std::unique_ptr<WorkerPlayer>> players;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < plan.workers.size(); ++i) {
    players.push_back(
        std::make_unique<WorkerPlayer>(plan, static_cast<int>(i), arguments, tools, times[i]));
    players.back()->prepare();
    steps = std::max(steps, players.back()->worker().steps.size());
  }
  for (std::size_t s = 0; s < steps; ++s) {
    for (void (WorkerPlayer::*phase)() :
         {&WorkerPlayer::begin_step, &WorkerPlayer::compute_step, &WorkerPlayer::end_step})
      for (const auto& player : players)
        if (s < player->worker().steps.size()) ((*player).*phase)();
  }
  for (const auto& player : players) player->finish();
  OutputMerge output(plan, arguments, tools.device);
  for (const auto& player : players) {
    output.add(player->worker(), player->result());
    if (plan.result == Result::everyone) break;
  }
  if (plan.result == Result::root) output.finish();
}

}  // namespace

double composed_critical_path_s(const Plan& plan, const std::vector<WorkerTime>& workers) {
  double gather_s = 0.0;
  double gather_and_compute_s = 0.0;
  double merge_s = 0.0;
  for (const WorkerTime& worker : workers) {
    gather_s = std::max(gather_s, worker.gather_s);
    gather_and_compute_s = std::max(gather_and_compute_s, worker.gather_s + worker.compute_s);
    merge_s += worker.merge_s;
  }
  return merge_s + (plan.synchronisation == Synchronisation::fork_join
                        ? gather_and_compute_s
                        : gather_s + longest_step_sum_s(workers));
}

Execution execute_serial(const Plan& plan, const ExecutionArguments& given, AttentionDevice& device,
                         KeptCalls* kept) {
  Execution execution;
  ExecutionArguments arguments = given;
  std::vector<WorkerTime>& times = execution.workers;
  times.resize(plan.workers.size());
  Stopwatch watch(device, arguments.clock);
  const WorkerPlayer::Tools tools{
      .device = device, .watch = watch, .stages = &execution.stages, .kept = kept};
  watch.start();
  const Tensor delta = room_for_root_delta(plan, arguments);
  if (delta.view().data != nullptr) {
    watch.charge(&execution.delta_s);
    make_root_delta(plan, arguments, device);
    watch.charge(nullptr);
  }
  if (works_in_place(plan))
    play_in_place(plan, arguments, tools, times[0]);
  else if (communicates(plan))
    play_step_by_step(plan, arguments, tools, times);
  else
    play_one_by_one(plan, arguments, tools, times);
  watch.stop();
  for (WorkerTime& worker : times) {
    // Nothing overlaps and nothing is sent over a link.
    for (StepTime& step : worker.steps) step = {.compute_s = step.compute_s};
    sum_steps(worker);
  }
  execution.wall_s = watch.wall_s();
  execution.device_s = watch.device_s();
  execution.critical_path_s = execution.delta_s + composed_critical_path_s(plan, times);
  return execution;
}

}  // namespace qb
