// One thread a worker, all at once, in one address space: real concurrency and a real wall clock.
//
// Workers pass messages while they compute; a carrier thread makes the copies. Where a root gathers
// the partials, each worker, when all have computed, takes q groups in turn and merges the partials
// of a group in worker order: rows of a group are touched by one thread only. No order depends on
// the timing, so the bits are those of the serial executor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/status.h"
#include "harness/execute/player/worker.h"
#include "harness/execute/transport/memory_transport.h"

namespace qb {
namespace {

// A worker that holds a q group, and the group's place among its own.
struct Holder {
  std::size_t worker = 0;
  std::size_t position = 0;
};

// The time at which all have met, taken before anyone goes on.
struct NoteTime {
  double* next_s;
  void operator()() noexcept { *next_s++ = now_s(); }
};

class Crew {
 public:
  Crew(const Plan& plan, const ExecutionArguments& arguments)
      : plan_(plan),
        arguments_(arguments),
        n_workers_(plan.workers.size()),
        devices_(n_workers_,
                 HostWorkerDevice(std::max(1, arguments.threads / static_cast<int>(n_workers_)))),
        transport_({.carrier = true,
                    .link = arguments.link,
                    .timeout_s = arguments.message_timeout_s,
                    .workers = static_cast<int>(n_workers_)}),
        holders_(plan.q_groups.size()),
        meeting_(static_cast<std::ptrdiff_t>(n_workers_ + 1), NoteTime{meetings_s_.data()}) {
    execution_.workers.resize(n_workers_);
    layouts_.reserve(n_workers_);
    players_.reserve(n_workers_);
    for (std::size_t w = 0; w < n_workers_; ++w) {
      players_.push_back(std::make_unique<WorkerPlayer>(
          plan, static_cast<int>(w), arguments, devices_[w], &transport_, execution_.workers[w]));
      layouts_.push_back(local_layout(plan, plan.workers[w]));
      for (std::size_t i = 0; i < plan.workers[w].q_groups.size(); ++i)
        holders_[static_cast<std::size_t>(plan.workers[w].q_groups[i])].push_back({w, i});
    }
  }

  // The wall clock starts when every thread stands at the start, and ends with the last merge.
  Execution run() {
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
    execution_.wall_s = meetings_s_[2] - meetings_s_[0];
    threads.clear();  // joins
    if (error_) std::rethrow_exception(error_);
    return std::move(execution_);
  }

 private:
  void fail(std::exception_ptr error) {
    transport_.fail(error);
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_ = true;
  }

  void work(std::size_t w) noexcept {
    WorkerPlayer& player = *players_[w];
    WorkerTime& time = execution_.workers[w];
    const bool at_root = plan_.result == Result::root;
    if (!player.is_scattered()) attempt([&] { player.prepare(); });
    meeting_.arrive_and_wait();
    devices_[w].start(meetings_s_[0]);
    if (player.is_scattered()) attempt([&] { player.prepare(); });
    attempt([&] { player.play(); });
    const double computed_s = now_s();
    meeting_.arrive_and_wait();
    const double start_s = now_s();
    if (at_root && !time.steps.empty()) time.steps.back().idle_s += start_s - computed_s;
    if (at_root) {
      attempt([&] { merge_groups(devices_[w]); });
      time.merge_s = now_s() - start_s;
    }
    meeting_.arrive_and_wait();
    // Tokens stay sharded: putting them together is for the caller's eyes.
    if (plan_.result == Result::owners || (plan_.result == Result::everyone && w == 0))
      attempt([&] {
        deliver_whole(plan_, player.worker(), player.partial(), arguments_, devices_[w]);
      });
  }

  // Nothing where a worker has already failed: the others end as soon as they can.
  template <class Body>
  void attempt(const Body& body) noexcept {
    if (failed_) return;
    try {
      body();
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void merge_groups(WorkerDevice& device) {
    for (std::size_t group = next_group_++; group < holders_.size(); group = next_group_++) {
      bool first = !splits_heads(plan_);
      if (!first) clear_group(plan_, static_cast<int>(group), arguments_, device);
      for (const Holder& holder : holders_[group]) {
        const Partial& partial = players_[holder.worker]->partial();
        if (partial.out.view().data == nullptr) continue;
        deliver_group(plan_, plan_.workers[holder.worker], layouts_[holder.worker], holder.position,
                      partial, first, arguments_, device);
        first = false;
      }
      if (first) clear_group(plan_, static_cast<int>(group), arguments_, device);
    }
  }

  const Plan& plan_;
  const ExecutionArguments& arguments_;
  const std::size_t n_workers_;
  std::vector<HostWorkerDevice> devices_;
  Execution execution_;
  MemoryTransport transport_;
  std::vector<std::unique_ptr<WorkerPlayer>> players_;
  std::vector<LocalLayout> layouts_;
  std::vector<std::vector<Holder>> holders_;  // of each q group, in worker order
  std::array<double, 3> meetings_s_{};        // when all were ready, had computed, had merged
  std::barrier<NoteTime> meeting_;            // the workers and the caller
  std::atomic<std::size_t> next_group_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

Execution execute_threads(const Plan& plan, const ExecutionArguments& arguments) {
  return Crew(plan, arguments).run();
}

}  // namespace qb
