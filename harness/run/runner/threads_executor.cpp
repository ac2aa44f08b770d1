// SPDX-License-Identifier: Apache-2.0
// One thread per worker, all at once, in one address space: real concurrency and a real wall clock.
//
// Workers pass messages while they compute; a carrier thread makes the copies. If a root gathers
// the partials, the workers merge when all have computed: each takes groups in turn and merges the
// results of a group in worker order, so only one thread touches the rows of a group. No order
// depends on the timing, so the bits are those of the serial executor.
#include <algorithm>
#include <atomic>
#include <memory>

#include "harness/run/runner/worker.h"

namespace qb {
namespace {

class ThreadWorker;

// What the workers share.
struct ThreadsRun {
  ThreadsRun(const Plan& all, const ExecutionArguments& given)
      : plan(all),
        arguments(given),
        delta(room_for_root_delta(plan, arguments)),
        device(open_device(arguments, arguments.threads)),
        output(plan, arguments, *device, arguments.threads) {}

  const Plan& plan;
  ExecutionArguments arguments;
  const Tensor delta;  // of a root that scatters it
  const std::unique_ptr<AttentionDevice> device;
  OutputMerge output;
  std::vector<std::shared_ptr<ThreadWorker>> workers{};
  std::atomic<std::size_t> next_part{0};
};

class ThreadWorker final : OwnTools, public WorkerRunner {
 public:
  ThreadWorker(ThreadsRun& run, int index, WorkerTeam& team)
      : OwnTools(open_device(
            run.arguments,
            std::max(1, run.arguments.threads / static_cast<int>(run.plan.workers.size())))),
        WorkerRunner(run.plan, index, run.arguments, {*device, watch, &team}, times),
        run_(run),
        team_(team),
        layout_(local_layout(run.plan, worker())) {}

  void prepare() override {
    if (!is_scattered(worker())) WorkerRunner::prepare();
  }
  void begin(double begin_s) override {
    watch.start(begin_s);
    if (is_scattered(worker())) WorkerRunner::prepare();
  }
  void finish() override {
    WorkerRunner::finish();
    watch.stop();
    const double computed_s = now_s();
    time_.compute_s = time_.sum_s(&StepTime::compute_s);
    (void)team_.meet();
    if (plan_.result == Result::root) {
      const double merge_s = now_s();
      if (!time_.steps.empty()) time_.steps.back().idle_s += merge_s - computed_s;
      merge_groups();
      time_.merge_s = now_s() - merge_s;
    }
    time_.wall_s = team_.meet() - watch.begun_s();
  }

 private:
  void merge_groups() {
    const std::vector<OutputMerge::Part>& parts = run_.output.parts();
    for (std::size_t next = run_.next_part++; next < parts.size(); next = run_.next_part++) {
      const auto [tensor, group] = parts[next];
      for (const auto& other : run_.workers) {
        const std::vector<int>& groups = run_.output.groups_of(other->worker(), tensor);
        const auto found = std::ranges::lower_bound(groups, group);
        if (found == groups.end() || *found != group) continue;
        const WorkerResult result = other->result();
        if (result[tensor].data == nullptr) continue;
        run_.output.add_part(other->worker(), other->layout_, tensor,
                             static_cast<std::size_t>(found - groups.begin()), result);
      }
      run_.output.finish_part(parts[next]);
    }
  }

  ThreadsRun& run_;
  WorkerTeam& team_;
  const LocalLayout layout_;
};

}  // namespace

Execution execute_threads(const Plan& plan, const ExecutionArguments& given) {
  ThreadsRun run(plan, given);
  const ExecutionArguments& arguments = run.arguments;
  double delta_s = 0.0;
  if (arguments.delta.data != nullptr) {
    const double start_s = now_s();
    make_root_delta(plan, arguments, *run.device);
    delta_s = now_s() - start_s;
  }
  Execution execution =
      run_workers(Ranks::threads,
                  {.carrier = true,
                   .link = arguments.link,
                   .hosts = arguments.hosts,
                   .timeout_s = arguments.message_timeout_s,
                   .workers = static_cast<int>(plan.workers.size())},
                  [&](int w, WorkerTeam& team) {
                    return run.workers.emplace_back(std::make_shared<ThreadWorker>(run, w, team));
                  });
  // Tokens stay sharded: they are put together only so that the caller can read them.
  for (const auto& worker : run.workers) {
    if (plan.result == Result::root) break;
    run.output.add(worker->worker(), worker->result());
    if (plan.result == Result::everyone) break;
  }
  execution.delta_s = delta_s;
  execution.critical_path_s = execution.wall_s += delta_s;
  return execution;
}

}  // namespace qb
