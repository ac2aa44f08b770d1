#include "harness/experiment/process/mpi_case.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/player/nccl_executor.h"
#include "harness/execute/player/worker.h"
#include "harness/execute/transport/mpi_world.h"
#include "harness/execute/verify/inputs.h"
#include "harness/experiment/process/case_link.h"
#include "harness/experiment/process/gpu_arena.h"
#include "harness/experiment/process/prediction.h"

namespace qb {
namespace {

// What rank 0 says: a case as JSON, then `time` or `verify` for each execution of it, then `over`.
// Before the executions over NCCL `link`.
constexpr const char* kLink = "link";
constexpr const char* kTime = "time";
constexpr const char* kVerify = "verify";
constexpr const char* kOver = "over";
constexpr const char* kNoMore = "no more";

ExecutionArguments arguments_of(const Case& c, const PlannedCase& planned, MemoryLedger& ledger,
                                bool verifying) {
  ExecutionArguments arguments;
  arguments.kernel = c.kernel;
  arguments.threads = planned.threads;
  arguments.allocator = &ledger;
  arguments.message_timeout_s = message_timeout_s(c);
  arguments.shard = shard_source(planned.plan.problem);
  arguments.collect_output = verifying;
  arguments.guard_messages = verifying;
  return arguments;
}

// A case on a rank other than 0: its shards, its own ledger.
void serve_case(MpiWorld& world, const Case& c) {
  const PlannedCase planned = plan_case(c);
  LedgerOptions options;
  options.budget_bytes = static_cast<std::uint64_t>(c.memory_budget_bytes);
  MemoryLedger ledger(options);
  for (std::string text = world.broadcast({}); text != kOver; text = world.broadcast({})) {
    // What goes wrong here is rank 0's to tell.
    (void)execute(Ranks::mpi, planned.plan, arguments_of(c, planned, ledger, text == kVerify));
  }
}

// The same on a GPU of its own.
void serve_gpu_case(MpiWorld& world, const Case& c, const OpenGpuOfCase& open_gpu) {
  const PlannedCase planned = plan_case(c);
  std::unique_ptr<ComputeDevice> device;
  std::string why_none;
  std::optional<MemoryLedger> ledger;
  std::optional<NcclRank> rank;
  for (std::string text = world.broadcast({}); text != kOver; text = world.broadcast({})) {
    if (text == kLink) {
      rank.reset();
      try {
        if (!device) device = open_gpu(c);
        ledger.emplace(gpu_ledger_options(c, false, *device));
      } catch (const std::exception& error) {
        why_none = error.what();
        device.reset();
      }
      rank.emplace(c.workers, device.get(), why_none, message_timeout_s(c));
    } else if (rank) {
      (void)rank->execute(planned.plan, arguments_of(c, planned, *ledger, text == kVerify));
    }
  }
}

}  // namespace

bool is_of_many_processes(const Case& c) { return c.ranks == Ranks::mpi || c.ranks == Ranks::nccl; }

MpiCase::MpiCase(const Case& c) {
  MpiWorld* const world = MpiWorld::current();
  if (!is_of_many_processes(c) || world == nullptr || c.workers > world->size()) return;
  (void)world->broadcast(case_to_json(c));
  announced_ = true;
}

MpiCase::~MpiCase() {
  if (announced_ && !MpiWorld::current()->is_broken()) (void)MpiWorld::current()->broadcast(kOver);
}

void MpiCase::announce_execution(bool verifying) const {
  if (announced_) (void)MpiWorld::current()->broadcast(verifying ? kVerify : kTime);
}

void MpiCase::announce_link() const {
  if (announced_) (void)MpiWorld::current()->broadcast(kLink);
}

std::unique_ptr<ComputeDevice> open_gpu_of_case(const Case& c) {
  return open_cuda_device(gpu_options(c));
}

void serve_mpi_cases(const OpenGpuOfCase& open_gpu) {
  MpiWorld& world = *MpiWorld::current();
  for (std::string text = world.broadcast({}); text != kNoMore; text = world.broadcast({})) {
    const Case c = case_from_json(text);
    if (c.ranks == Ranks::nccl)
      serve_gpu_case(world, c, open_gpu);
    else
      serve_case(world, c);
  }
}

void end_mpi_cases() {
  if (!MpiWorld::current()->is_broken()) (void)MpiWorld::current()->broadcast(kNoMore);
}

namespace {

// A file descriptor that is closed with its owner; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

// A case that runs in a thread of its own, so that it can be left behind.
struct RunningCase {
  explicit RunningCase(int event) : done(event) {}
  std::promise<CaseResult> result;
  Descriptor done;  // readable when it has ended
};

CaseResult failed(Status status, std::string message) {
  CaseResult result;
  result.status = status;
  result.message = std::move(message);
  return result;
}

// Ranks of this host other than this one, watched by their processes. A kernel without pidfd_open
// watches none: mpirun ends the run then, without a row.
class RankWatch {
 public:
  explicit RankWatch(const MpiWorld& world) {
    for (const auto& [rank, process] : world.processes_here())
      if (rank != world.rank())
        ranks_.push_back({rank, process, Descriptor(open_process(process))});
  }

  // Until `done` or `stop` is readable, a rank dies or the time is over; nothing when it is done.
  [[nodiscard]] std::optional<CaseResult> wait(int done, int stop, double timeout_s) const {
    std::vector<pollfd> events = {{done, POLLIN, 0}, {stop, POLLIN, 0}};
    for (const Watched& watched : ranks_) events.push_back({watched.process.get(), POLLIN, 0});
    const double deadline_s = now_s() + timeout_s;
    for (;;) {
      const double left_s = deadline_s - now_s();
      if (left_s <= 0.0)
        return failed(Status::timeout, fmt::format("not done after {} s", timeout_s));
      if (::poll(events.data(), events.size(),
                 static_cast<int>(std::min(left_s, 60.0) * 1e3) + 1) <= 0)
        continue;
      if (events[0].revents != 0) return std::nullopt;
      // Before the signal: mpirun sends one to all when a rank has died.
      for (std::size_t i = 0; i < ranks_.size(); ++i)
        if (events[i + 2].revents != 0)
          return failed(Status::crashed,
                        fmt::format("rank {} (process {} of this host) has died; mpirun says how",
                                    ranks_[i].rank, ranks_[i].id));
      if (events[1].revents != 0) return failed(Status::interrupted, "interrupted");
    }
  }

 private:
  struct Watched {
    int rank;
    int id;
    Descriptor process;
  };
  static int open_process(int id) { return static_cast<int>(::syscall(SYS_pidfd_open, id, 0)); }

  std::vector<Watched> ranks_;
};

}  // namespace

CaseResult MpiLauncher::launch(const Case& c, const CasePaths& paths) {
  if (!is_of_many_processes(c)) return others_.launch(c, paths);
  if (MpiWorld::current()->is_broken())
    throw EnvironmentError(
        "a rank no longer answers or has lost its GPU (the last case says which), so that no "
        "further case of ranks: mpi or nccl can run");
  const auto running = std::make_shared<RunningCase>(::eventfd(0, EFD_CLOEXEC));
  std::future<CaseResult> result = running->result.get_future();
  const RankWatch watch(*MpiWorld::current());
  std::thread thread([running, c, traces = paths.trace_directory] {
    try {
      running->result.set_value(run_case(c, traces));
    } catch (...) {
      running->result.set_exception(std::current_exception());
    }
    ::eventfd_write(running->done.get(), 1);
  });
  // Ranks that wait end their waits by themselves, and say for whom: they come first.
  const double timeout_s = c.measure.timeout_s + 2.0 * message_timeout_s(c);
  if (auto failure = watch.wait(running->done.get(), interrupt_.wake_fd(), timeout_s)) {
    MpiWorld::current()->give_up();
    thread.detach();
    return *std::move(failure);
  }
  thread.join();
  return result.get();
}

}  // namespace qb
