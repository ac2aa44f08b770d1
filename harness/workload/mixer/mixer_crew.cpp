// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_crew.h"

#include <algorithm>
#include <ranges>

#include "base/clock.h"
#include "harness/workload/at_once.h"

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
  play_at_once(plan_.workers, transport, [&](int w) {
    workers_[static_cast<std::size_t>(w)].play(device, threads, transport);
  });
  const auto time = [](double MixerWorker::Times::*part) {
    return [part](const MixerWorker& worker) { return worker.times().*part; };
  };
  return std::ranges::max(workers_ | std::views::transform(time(&MixerWorker::Times::end_s))) -
         std::ranges::min(workers_ | std::views::transform(time(&MixerWorker::Times::begin_s)));
}

}  // namespace qb
