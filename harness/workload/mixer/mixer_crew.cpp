// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "harness/execute/transport/memory_transport.h"

namespace qb {

MixerCrew::MixerCrew(const MixerProblem& problem, const ScanPlan& plan, MemoryLedger& memory)
    : plan_(plan) {
  for (int w = 0; w < plan.workers; ++w) {
    const std::uint64_t before = memory.active_bytes();
    workers_.emplace_back(problem, plan, w, memory);
    held_bytes_.push_back(static_cast<std::int64_t>(memory.active_bytes() - before));
  }
}

double MixerCrew::run_in_turn(MixerDevice& device, int threads) {
  MemoryTransport transport({.workers = plan_.workers});
  for (MixerWorker& worker : workers_) worker.receive(transport);
  const double start_s = now_s();
  for (MixerWorker& worker : workers_) worker.begin(device, threads);
  for (int round = 0; round < workers_.front().rounds(); ++round) {
    for (MixerWorker& worker : workers_) worker.post(round, device, threads, transport);
    for (MixerWorker& worker : workers_) worker.await(round, transport);
  }
  for (MixerWorker& worker : workers_) worker.finish(device, threads, transport);
  return now_s() - start_s;
}

double MixerCrew::run_at_once(MixerDevice& device, int threads, const Network& network,
                              double timeout_s) {
  MemoryTransport transport({.carrier = true,
                             .link = network.limit,
                             .hosts = network.hosts,
                             .timeout_s = timeout_s,
                             .workers = plan_.workers});
  for (MixerWorker& worker : workers_) worker.receive(transport);
  std::latch ready(plan_.workers);
  std::mutex mutex;
  std::exception_ptr first;
  const auto fail = [&](const std::exception_ptr& error) {
    transport.fail(error);
    const std::lock_guard lock(mutex);
    if (!first) first = error;
  };
  const auto play = [&](MixerWorker& worker) noexcept {
    ready.arrive_and_wait();
    try {
      worker.play(device, threads, transport);
    } catch (...) {
      fail(std::current_exception());
    }
  };
  {
    std::vector<std::jthread> players;
    try {
      for (MixerWorker& worker : workers_) players.emplace_back(play, std::ref(worker));
    } catch (const std::system_error& error) {
      fail(std::make_exception_ptr(CaseError(
          Status::error, fmt::format("the system gives {} of the {} threads that the workers need "
                                     "({}); use fewer workers or ranks: serial",
                                     players.size(), workers_.size(), error.what()))));
      ready.count_down(plan_.workers - static_cast<std::ptrdiff_t>(players.size()));
    }
  }
  if (first) std::rethrow_exception(first);
  const auto time = [](double MixerWorker::Times::*part) {
    return [part](const MixerWorker& worker) { return worker.times().*part; };
  };
  return std::ranges::max(workers_ | std::views::transform(time(&MixerWorker::Times::end_s))) -
         std::ranges::min(workers_ | std::views::transform(time(&MixerWorker::Times::begin_s)));
}

}  // namespace qb
