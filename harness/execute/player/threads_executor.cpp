// SPDX-License-Identifier: Apache-2.0
// One thread per worker, all at once, in one address space: real concurrency and a real wall clock.
//
// Workers pass messages while they compute; a carrier thread makes the copies. If a root gathers
// the partials, the workers merge when all have computed: each takes groups in turn and merges the
// results of a group in worker order, so only one thread touches the rows of a group. No order
// depends on the timing, so the bits are those of the serial executor.
#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>

#include "harness/execute/player/worker.h"
#include "harness/execute/transport/memory_transport.h"

namespace qb {
namespace {

class ThreadsExecution {
 public:
  ThreadsExecution(const Plan& plan, const ExecutionArguments& arguments)
      : plan_(plan),
        arguments_(arguments),
        delta_(room_for_root_delta(plan, arguments_)),
        transport_({.carrier = true,
                    .link = arguments.link,
                    .hosts = arguments.hosts,
                    .timeout_s = arguments.message_timeout_s,
                    .workers = static_cast<int>(plan.workers.size())}) {
    execution_.workers.resize(plan.workers.size());
    for (std::size_t w = 0; w < plan.workers.size(); ++w) workers_.emplace_back(*this, w);
    output_.emplace(plan, arguments_, *workers_.front().device);
  }

  Execution run() {
    if (arguments_.delta.data != nullptr) {
      const double start_s = now_s();
      open_device(arguments_, arguments_.threads)
          ->compute_delta(arguments_.out, arguments_.d_out, arguments_.delta);
      execution_.delta_s = now_s() - start_s;
    }
    transport_.run([this](int w) { work(static_cast<std::size_t>(w)); });
    return std::move(execution_);
  }

 private:
  // With its part of the threads.
  struct OneWorker {
    OneWorker(ThreadsExecution& all, std::size_t index)
        : device(open_device(
              all.arguments_,
              std::max(1, all.arguments_.threads / static_cast<int>(all.plan_.workers.size())))),
          watch(*device),
          player(all.plan_, static_cast<int>(index), all.arguments_,
                 {*device, watch, &all.transport_}, all.execution_.workers[index]),
          layout(local_layout(all.plan_, player.worker())) {}

    std::unique_ptr<AttentionDevice> device;
    Stopwatch watch;
    WorkerPlayer player;
    LocalLayout layout;
  };

  void work(std::size_t w) {
    auto& [device, watch, player, layout] = workers_[w];
    WorkerTime& time = execution_.workers[w];
    const bool scattered = is_scattered(player.worker());
    if (!scattered) player.prepare();
    const double begin_s = transport_.meet();
    watch.start(begin_s);
    if (scattered) player.prepare();
    player.play();
    watch.stop();
    const double computed_s = now_s();
    sum_steps(time);
    (void)transport_.meet();
    if (plan_.result == Result::root) {
      const double merge_s = now_s();
      if (!time.steps.empty()) time.steps.back().idle_s += merge_s - computed_s;
      merge_groups();
      time.merge_s = now_s() - merge_s;
    }
    const double merged_s = transport_.meet();
    if (w == 0) execution_.wall_s = execution_.delta_s + merged_s - begin_s;
    // Tokens stay sharded: they are put together only so that the caller can read them. A group may
    // have an owner for each of its heads.
    if (plan_.result == Result::owners) merge_groups();
    if (plan_.result == Result::everyone && w == 0) output_->add(player.worker(), player.result());
  }

  void merge_groups() {
    const std::vector<OutputMerge::Part>& parts = output_->parts();
    for (std::size_t next = next_part_++; next < parts.size(); next = next_part_++) {
      const auto [tensor, group] = parts[next];
      for (const OneWorker& worker : workers_) {
        const std::vector<int>& groups = output_->groups_of(worker.player.worker(), tensor);
        const auto found = std::ranges::lower_bound(groups, group);
        if (found == groups.end() || *found != group) continue;
        const WorkerResult result = worker.player.result();
        if (result[tensor].data == nullptr) continue;
        output_->add_part(worker.player.worker(), worker.layout, tensor,
                          static_cast<std::size_t>(found - groups.begin()), result);
      }
      output_->finish_part(parts[next]);
    }
  }

  const Plan& plan_;
  ExecutionArguments arguments_;
  const Tensor delta_;  // of a root that scatters it
  Execution execution_;
  MemoryTransport transport_;
  std::deque<OneWorker> workers_;
  std::optional<OutputMerge> output_;
  std::atomic<std::size_t> next_part_{0};
};

}  // namespace

Execution execute_threads(const Plan& plan, const ExecutionArguments& arguments) {
  return ThreadsExecution(plan, arguments).run();
}

}  // namespace qb
