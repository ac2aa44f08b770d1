// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_crew.h"

#include <algorithm>
#include <ranges>

#include "base/clock.h"
#include "harness/workload/at_once.h"

namespace qb {

MixerCrew::MixerCrew(const MixerShare& share, MemoryLedger& memory) {
  for (int w = 0; w < share.workers(); ++w) {
    const std::uint64_t before = memory.active_bytes();
    workers_.push_back(share.member(w, memory));
    held_bytes_.push_back(static_cast<std::int64_t>(memory.active_bytes() - before));
  }
}

std::int64_t MixerCrew::device_peak_bytes(const MemoryLedger& memory) const {
  std::int64_t most = 0;
  for (int w = 0; w < n_workers(); ++w)
    most = std::max(most, held_bytes_[static_cast<std::size_t>(w)] +
                              static_cast<std::int64_t>(memory.worker_peak_bytes(w)));
  return most;
}

double MixerCrew::run_in_turn(MixerDevice& device, int threads) {
  MemoryTransport transport({.workers = n_workers()});
  return run_in_turn(device, threads, transport);
}

double MixerCrew::run_in_turn(MixerDevice& device, int threads, Transport& transport) {
  for (const auto& worker : workers_) worker->receive(transport);
  const double start_s = now_s();
  for (const auto& worker : workers_) worker->begin(device, threads);
  for (int round = 0; round < workers_.front()->rounds(); ++round) {
    for (const auto& worker : workers_) worker->post(round, device, threads, transport);
    for (const auto& worker : workers_) worker->await(round, transport);
  }
  for (const auto& worker : workers_) worker->finish(device, threads, transport);
  return now_s() - start_s;
}

double MixerCrew::run_at_once(MixerDevice& device, int threads, const Network& network,
                              double timeout_s) {
  MemoryTransport transport({.carrier = true,
                             .link = network.limit,
                             .hosts = network.hosts,
                             .timeout_s = timeout_s,
                             .workers = n_workers()});
  for (const auto& worker : workers_) worker->receive(transport);
  play_at_once(n_workers(), transport, [&](int w) {
    workers_[static_cast<std::size_t>(w)]->play(device, threads, transport);
  });
  const auto time = [](double CrewMember::Times::*part) {
    return [part](const auto& worker) { return worker->times().*part; };
  };
  return std::ranges::max(workers_ | std::views::transform(time(&CrewMember::Times::end_s))) -
         std::ranges::min(workers_ | std::views::transform(time(&CrewMember::Times::begin_s)));
}

}  // namespace qb
