// SPDX-License-Identifier: Apache-2.0
// One thread per worker, all at once, in one address space: real concurrency and a real wall clock.
//
// Workers pass messages while they compute; a carrier thread makes the copies. If a root gathers
// the partials, the workers merge when all have computed: each takes groups in turn and merges the
// results of a group in worker order, so only one thread touches the rows of a group. No order
// depends on the timing, so the bits are those of the serial executor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "base/interruption.h"
#include "base/status.h"
#include "harness/execute/player/worker.h"
#include "harness/execute/transport/memory_transport.h"

namespace qb {
namespace {

// Records the time at which all have met, before any thread continues.
struct NoteTime {
  double* next_s;
  void operator()() noexcept { *next_s++ = now_s(); }
};

class Crew {
 public:
  Crew(const Plan& plan, const ExecutionArguments& arguments)
      : plan_(plan),
        arguments_(arguments),
        delta_(room_for_root_delta(plan, arguments_)),
        n_workers_(plan.workers.size()),
        transport_({.carrier = true,
                    .link = arguments.link,
                    .hosts = arguments.hosts,
                    .timeout_s = arguments.message_timeout_s,
                    .workers = static_cast<int>(n_workers_)}),
        meeting_(static_cast<std::ptrdiff_t>(n_workers_ + 1), NoteTime{meetings_s_.data()}) {
    execution_.workers.resize(n_workers_);
    for (std::size_t w = 0; w < n_workers_; ++w) members_.emplace_back(*this, static_cast<int>(w));
    output_.emplace(plan, arguments_, *members_.front().device);
  }

  Execution run() {
    if (arguments_.delta.data != nullptr) {
      const double start_s = now_s();
      open_device(arguments_, arguments_.threads)
          ->compute_delta(arguments_.out, arguments_.d_out, arguments_.delta);
      execution_.delta_s = now_s() - start_s;
    }
    std::vector<std::jthread> threads;
    threads.reserve(n_workers_);
    try {
      for (std::size_t w = 0; w < n_workers_; ++w) threads.emplace_back([this, w] { work(w); });
    } catch (const std::system_error& error) {
      fail(std::make_exception_ptr(CaseError(
          Status::error, fmt::format("the system gives {} of the {} threads that the workers need "
                                     "({}); use fewer workers or ranks: serial",
                                     threads.size(), n_workers_, error.what()))));
      for (std::size_t w = threads.size(); w < n_workers_; ++w) meeting_.arrive_and_drop();
    }
    meeting_.arrive_and_wait();  // start
    meeting_.arrive_and_wait();  // all have computed
    meeting_.arrive_and_wait();  // all have merged
    execution_.wall_s = execution_.delta_s + meetings_s_[2] - meetings_s_[0];
    threads.clear();  // joins
    if (error_) std::rethrow_exception(error_);
    return std::move(execution_);
  }

 private:
  // A worker, with its part of the threads.
  struct Member {
    Member(Crew& crew, int index)
        : device(open_device(crew.arguments_, std::max(1, crew.arguments_.threads /
                                                              static_cast<int>(crew.n_workers_)))),
          watch(*device),
          player(crew.plan_, index, crew.arguments_, {*device, watch, &crew.transport_},
                 crew.execution_.workers[static_cast<std::size_t>(index)]),
          layout(local_layout(crew.plan_, player.worker())) {}

    std::unique_ptr<AttentionDevice> device;
    Stopwatch watch;
    WorkerPlayer player;
    LocalLayout layout;
  };

  void fail(std::exception_ptr error) {
    transport_.fail(error);
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_ = true;
  }

  void work(std::size_t w) noexcept {
    interrupt_flag = flag_;
    Member& member = members_[w];
    WorkerPlayer& player = member.player;
    WorkerTime& time = execution_.workers[w];
    const bool at_root = plan_.result == Result::root;
    if (!is_scattered(player.worker())) attempt([&] { player.prepare(); });
    meeting_.arrive_and_wait();
    member.watch.start(meetings_s_[0]);
    if (is_scattered(player.worker())) attempt([&] { player.prepare(); });
    attempt([&] {
      player.play();
      member.watch.stop();
    });
    const double computed_s = now_s();
    sum_steps(time);
    meeting_.arrive_and_wait();
    const double start_s = now_s();
    if (at_root && !time.steps.empty()) time.steps.back().idle_s += start_s - computed_s;
    if (at_root) {
      attempt([&] { merge_groups(); });
      time.merge_s = now_s() - start_s;
    }
    meeting_.arrive_and_wait();
    // Tokens stay sharded: they are put together only so that the caller can read them.
    if (plan_.result == Result::owners || (plan_.result == Result::everyone && w == 0))
      attempt([&] { output_->add(player.worker(), player.result()); });
  }

  // Does nothing if a worker has already failed: the others end as soon as they can.
  template <class Body>
  void attempt(const Body& body) noexcept {
    if (failed_) return;
    try {
      body();
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void merge_groups() {
    const std::vector<OutputMerge::Part>& parts = output_->parts();
    for (std::size_t next = next_part_++; next < parts.size(); next = next_part_++) {
      const auto [tensor, group] = parts[next];
      for (const Member& member : members_) {
        const std::vector<int>& groups = output_->groups_of(member.player.worker(), tensor);
        const auto found = std::ranges::lower_bound(groups, group);
        if (found == groups.end() || *found != group) continue;
        const WorkerResult result = member.player.result();
        if (result[tensor].data == nullptr) continue;
        output_->add_part(member.player.worker(), member.layout, tensor,
                          static_cast<std::size_t>(found - groups.begin()), result);
      }
      output_->finish_part(parts[next]);
    }
  }

  const Plan& plan_;
  ExecutionArguments arguments_;
  const Tensor delta_;  // of a root that scatters it
  const std::size_t n_workers_;
  Execution execution_;
  MemoryTransport transport_;
  std::deque<Member> members_;
  std::optional<OutputMerge> output_;
  std::array<double, 3> meetings_s_{};  // when all were ready, had computed, had merged
  std::barrier<NoteTime> meeting_;      // the workers and the caller
  std::atomic<std::size_t> next_part_{0};
  const std::atomic<bool>* const flag_ = interrupt_flag;  // of the caller
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

Execution execute_threads(const Plan& plan, const ExecutionArguments& arguments) {
  return Crew(plan, arguments).run();
}

}  // namespace qb
