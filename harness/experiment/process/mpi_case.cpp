// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/mpi_case.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <future>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "harness/experiment/process/child_process.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/transport/mpi_world.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

// Rank 0 sends a case as JSON, then what it announces, and at the end that the case is over.
constexpr const char* kOver = "over";
constexpr const char* kNoMore = "no more";

// Runs a case on a rank other than 0: its part of the same workload, with its own ledger.
void serve_case(MpiWorld& world, const Case& c, const OpenGpu& open_gpu) {
  std::unique_ptr<ComputeDevice> device;
  std::string why_none;
  const auto workload = plan_workload(c);
  for (std::string text = world.broadcast({}); text != kOver; text = world.broadcast({})) {
    if (text != MpiCase::kOpen) {
      try {
        if (text == MpiCase::kPrepare)
          workload->prepare();
        else
          (void)workload->run(text == MpiCase::kVerify);
      } catch (const CaseError&) {
        // Rank 0 reports it.
      }
      continue;
    }
    MemoryLedger::Options memory;
    try {
      if (!device && c.device == Device::cuda) device = open_gpu(c);
      if (!device) device = std::make_unique<CpuDevice>(workload->threads());
      memory = ledger_options(c, false, *device);
    } catch (const std::exception& error) {
      why_none = error.what();
      workload->close();
      device.reset();
    }
    workload->open(device.get(), memory, why_none);
  }
}

// A case that runs in its own thread, so that it can be abandoned.
struct RunningCase {
  explicit RunningCase(int event) : done(event) {}
  std::promise<CaseResult> result;
  Fd done;  // readable when it has ended
};

// Ranks of this host other than this one, watched by their processes. A kernel without pidfd_open
// watches none: mpirun ends the run then, without a row.
class RankWatch {
 public:
  explicit RankWatch(const MpiWorld& world) {
    for (const auto& [rank, process] : world.processes_here())
      if (rank != world.rank()) ranks_.push_back({rank, process, watch_process(process)});
  }

  // Waits until `done` or `stop` is readable, a rank dies or time is over; nullopt: it is done.
  [[nodiscard]] std::optional<CaseResult> wait(int done, int stop, double timeout_s) const {
    std::vector<pollfd> events = {{done, POLLIN, 0}, {stop, POLLIN, 0}};
    for (const Watched& watched : ranks_) events.push_back({watched.process.get(), POLLIN, 0});
    const double deadline_s = now_s() + timeout_s;
    for (;;) {
      const double left_s = deadline_s - now_s();
      if (left_s <= 0.0)
        return ended(Status::timeout, fmt::format("not done after {} s", timeout_s));
      if (::poll(events.data(), events.size(),
                 static_cast<int>(std::min(left_s, 60.0) * 1e3) + 1) <= 0)
        continue;
      if (events[0].revents != 0) return std::nullopt;
      // This comes before the signal, because mpirun signals all ranks when one has died.
      for (std::size_t i = 0; i < ranks_.size(); ++i)
        if (events[i + 2].revents != 0)
          return ended(
              Status::crashed,
              fmt::format(
                  "rank {} (process {} of this host) has died; the messages of mpirun say how",
                  ranks_[i].rank, ranks_[i].id));
      if (events[1].revents != 0) return ended(Status::interrupted, "interrupted");
    }
  }

 private:
  struct Watched {
    int rank;
    int id;
    Fd process;
  };

  std::vector<Watched> ranks_;
};

class MpiLauncher final : public Launcher {
 public:
  MpiLauncher(Launcher& others, const InterruptGuard& interrupt)
      : others_(others), interrupt_(interrupt) {}

  [[nodiscard]] CaseResult launch(const Case& c, const CasePaths& paths) override {
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
    // Waiting ranks time out by themselves and name the rank they wait for, so this waits longer.
    const double timeout_s = c.measure.timeout_s + 2.0 * message_timeout_s(c);
    if (auto failure = watch.wait(running->done.get(), interrupt_.wake_fd(), timeout_s)) {
      MpiWorld::current()->give_up();
      thread.detach();
      return *std::move(failure);
    }
    thread.join();
    return result.get();
  }

 private:
  Launcher& others_;
  const InterruptGuard& interrupt_;
};

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

void MpiCase::announce(const char* what) const {
  if (announced_) (void)MpiWorld::current()->broadcast(what);
}

void serve_mpi_cases(const OpenGpu& open_gpu) {
  MpiWorld& world = *MpiWorld::current();
  for (std::string text = world.broadcast({}); text != kNoMore; text = world.broadcast({}))
    serve_case(world, case_from_json(text), open_gpu);
}

void end_mpi_cases() {
  if (!MpiWorld::current()->is_broken()) (void)MpiWorld::current()->broadcast(kNoMore);
}

std::unique_ptr<Launcher> mpi_launcher(Launcher& others, const InterruptGuard& interrupt) {
  return std::make_unique<MpiLauncher>(others, interrupt);
}

}  // namespace qb
