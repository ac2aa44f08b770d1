// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/run_workers.h"

#include <algorithm>
#include <cstring>

namespace qb {
namespace {

// What a rank returns to rank 0.
std::string bytes_of(const WorkerTime& time) {
  const auto bytes = [](const auto* values, std::size_t n) {
    return std::string(reinterpret_cast<const char*>(values), n * sizeof(*values));
  };
  return bytes(static_cast<const WorkerTotals*>(&time), 1) +
         bytes(time.steps.data(), time.steps.size());
}

WorkerTime time_of(const std::string& bytes) {
  WorkerTime time;
  constexpr std::size_t kTotals = sizeof(WorkerTotals);
  time.steps.resize((bytes.size() - kTotals) / sizeof(StepTime));
  std::memcpy(static_cast<WorkerTotals*>(&time), bytes.data(), kTotals);
  std::memcpy(time.steps.data(), bytes.data() + kTotals, bytes.size() - kTotals);
  return time;
}

Execution execution_of(std::vector<WorkerTime> workers) {
  Execution execution{.workers = std::move(workers)};
  for (const WorkerTime& worker : execution.workers) {
    execution.wall_s = std::max(execution.wall_s, worker.wall_s);
    execution.device_s = std::max(execution.device_s, worker.device_s);
    execution.worker_sum_s += worker.wall_s;
  }
  execution.critical_path_s = execution.wall_s;
  return execution;
}

}  // namespace

void run_steps(std::span<StepWorker* const> workers, WorkerTeam* team) {
  int steps = 0;
  for (StepWorker* const worker : workers) {
    worker->prepare();
    steps = std::max(steps, worker->steps());
  }
  const double begin_s = team == nullptr ? now_s() : team->meet();
  for (StepWorker* const worker : workers) worker->begin(begin_s);
  for (int step = 0; step < steps; ++step)
    for (void (StepWorker::*const phase)() :
         {&StepWorker::begin_step, &StepWorker::compute_step, &StepWorker::end_step})
      for (StepWorker* const worker : workers)
        if (step < worker->steps()) (worker->*phase)();
  for (StepWorker* const worker : workers) worker->finish();
}

WorkerReport run_rank(WorkerTeam& ranks, Transport& messages,
                      const std::function<std::shared_ptr<StepWorker>()>& make) {
  std::shared_ptr<StepWorker> worker;
  WorkerReport report = run_worker(ranks, messages, [&] {
    worker = make();
    run_steps(*worker, &ranks);
    return bytes_of(worker->time());
  });
  if (!ranks.is_closed()) (void)new std::shared_ptr<StepWorker>(std::move(worker));
  return report;
}

Execution times_of_ranks(const std::vector<std::string>& results) {
  std::vector<WorkerTime> times;
  for (const std::string& bytes : results) times.push_back(time_of(bytes));
  return execution_of(std::move(times));
}

Execution run_workers(Ranks ranks, const MemoryTransport::Options& group, const MakeWorker& make) {
  if (ranks == Ranks::mpi)
    return times_of_ranks(
        run_over_mpi(group.workers, group.timeout_s, [&](WorkerTeam& team, int rank) {
          return run_rank(team, team, [&] { return make(rank, team); });
        }));
  MemoryTransport team(group);
  std::vector<std::shared_ptr<StepWorker>> made;
  std::vector<StepWorker*> workers;
  for (int w = 0; w < group.workers; ++w) workers.push_back(made.emplace_back(make(w, team)).get());
  if (ranks == Ranks::serial)
    run_steps(workers);
  else
    team.run([&](int w) { run_steps(*workers[static_cast<std::size_t>(w)], &team); });
  std::vector<WorkerTime> times;
  for (const StepWorker* const worker : workers) times.push_back(worker->time());
  return execution_of(std::move(times));
}

}  // namespace qb
