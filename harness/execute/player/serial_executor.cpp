// One device plays each worker in turn, alone: what a single worker costs can be measured without a
// second device, and only one worker's memory is alive at a time.
#include <algorithm>
#include <memory>

#include "harness/execute/player/worker.h"
#include "harness/execute/transport/memory_transport.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// Which q groups the output already holds something of.
using Written = std::vector<char>;

void deliver(const Plan& plan, int index, const Partial& partial, Written& written,
             const ExecutionArguments& arguments, WorkerDevice& device) {
  const Worker& worker = plan.workers[static_cast<std::size_t>(index)];
  const LocalLayout layout = local_layout(plan, worker);
  const auto n = static_cast<std::int64_t>(worker.q_groups.size());
  parallel_for(n, threads_for_bytes(partial.out.view().bytes(), arguments.threads), 1,
               [&](std::int64_t begin, std::int64_t end, int) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto position = static_cast<std::size_t>(i);
                   char& held = written[static_cast<std::size_t>(worker.q_groups[position])];
                   deliver_group(plan, worker, layout, position, partial, held == 0, arguments,
                                 device);
                   held = 1;
                 }
               });
}

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

// Each worker from its first step to its last, before the next one: only one holds memory.
void play_one_by_one(const Plan& plan, const ExecutionArguments& arguments, Execution& execution) {
  HostWorkerDevice device(arguments.threads, arguments.stages);
  Written written(plan.q_groups.size(), 0);
  if (splits_heads(plan))
    for (std::size_t group = 0; group < written.size(); ++group) {
      clear_group(plan, static_cast<int>(group), arguments, device);
      written[group] = 1;
    }
  for (std::size_t i = 0; i < plan.workers.size(); ++i) {
    const int index = static_cast<int>(i);
    WorkerTime& time = execution.workers[i];
    WorkerPlayer player(plan, index, arguments, device, nullptr, time);
    player.prepare();
    player.play();
    if (player.partial().out.view().data == nullptr) continue;
    const double merge_start_s = now_s();
    deliver(plan, index, player.partial(), written, arguments, device);
    time.merge_s = now_s() - merge_start_s;
  }
  for (std::size_t group = 0; group < written.size(); ++group)
    if (written[group] == 0) clear_group(plan, static_cast<int>(group), arguments, device);
}

// All workers a step, then the next step: their messages wait in memory.
void play_step_by_step(const Plan& plan, const ExecutionArguments& arguments,
                       Execution& execution) {
  HostWorkerDevice device(arguments.threads, arguments.stages);
  MemoryTransport transport({.workers = static_cast<int>(plan.workers.size())});
  std::vector<std::unique_ptr<WorkerPlayer>> players;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < plan.workers.size(); ++i) {
    players.push_back(std::make_unique<WorkerPlayer>(plan, static_cast<int>(i), arguments, device,
                                                     &transport, execution.workers[i]));
    players.back()->prepare();
    steps = std::max(steps, plan.workers[i].steps.size());
  }
  for (std::size_t s = 0; s < steps; ++s) {
    for (void (WorkerPlayer::*phase)() :
         {&WorkerPlayer::begin_step, &WorkerPlayer::compute_step, &WorkerPlayer::end_step})
      for (const auto& player : players)
        if (s < player->worker().steps.size()) ((*player).*phase)();
  }
  for (const auto& player : players) player->finish();
  for (const auto& player : players) {
    deliver_whole(plan, player->worker(), player->partial(), arguments, device);
    if (plan.result == Result::everyone) break;
  }
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

Execution execute_serial(const Plan& plan, const ExecutionArguments& arguments) {
  Execution execution;
  execution.workers.resize(plan.workers.size());
  const double start_s = now_s();
  if (works_in_place(plan))
    play_in_place(plan, arguments, execution.workers[0]);
  else if (communicates(plan))
    play_step_by_step(plan, arguments, execution);
  else
    play_one_by_one(plan, arguments, execution);
  // Nothing overlaps and nothing is sent over a link.
  for (WorkerTime& worker : execution.workers)
    for (StepTime& step : worker.steps) step = {.compute_s = step.compute_s};
  execution.wall_s = now_s() - start_s;
  execution.critical_path_s = composed_critical_path_s(plan, execution.workers);
  return execution;
}

}  // namespace qb
