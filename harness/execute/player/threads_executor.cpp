// One thread per worker, all at once, in one address space: real concurrency and a real wall clock.
//
// Workers pass messages while they compute; a carrier thread makes the copies. If a root gathers
// the partials, the workers merge when all have computed: each takes q groups in turn and merges
// the partials of a group in worker order, so only one thread touches the rows of a group. No order
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
        n_workers_(plan.workers.size()),
        transport_({.carrier = true,
                    .link = arguments.link,
                    .timeout_s = arguments.message_timeout_s,
                    .workers = static_cast<int>(n_workers_)}),
        holders_(plan.q_groups.size()),
        meeting_(static_cast<std::ptrdiff_t>(n_workers_ + 1), NoteTime{meetings_s_.data()}) {
    execution_.workers.resize(n_workers_);
    for (std::size_t w = 0; w < n_workers_; ++w) {
      const Member& member = members_.emplace_back(*this, static_cast<int>(w));
      const std::vector<int>& groups = member.player.worker().q_groups;
      for (std::size_t i = 0; i < groups.size(); ++i)
        holders_[static_cast<std::size_t>(groups[i])].push_back({w, i});
    }
    output_.emplace(plan, arguments, *members_.front().device);
  }

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
  // A worker, with its part of the threads.
  struct Member {
    Member(Crew& crew, int index)
        : device(open_device(crew.arguments_, std::max(1, crew.arguments_.threads /
                                                              static_cast<int>(crew.n_workers_)))),
          watch(*device),
          player(crew.plan_, index, crew.arguments_, {*device, watch, &crew.transport_},
                 crew.execution_.workers[static_cast<std::size_t>(index)]),
          layout(local_layout(crew.plan_, player.worker())) {}

    std::unique_ptr<ComputeDevice> device;
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
      attempt([&] { output_->add(player.worker(), player.partial()); });
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
    for (std::size_t group = next_group_++; group < holders_.size(); group = next_group_++) {
      for (const Holder& holder : holders_[group]) {
        const Member& member = members_[holder.worker];
        if (!member.player.partial().exists()) continue;
        output_->add_group(member.player.worker(), member.layout, holder.position,
                           member.player.partial());
      }
      output_->finish_group(group);
    }
  }

  const Plan& plan_;
  const ExecutionArguments& arguments_;
  const std::size_t n_workers_;
  Execution execution_;
  MemoryTransport transport_;
  std::deque<Member> members_;
  std::optional<OutputMerge> output_;
  std::vector<std::vector<Holder>> holders_;  // by q group, in worker order
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
