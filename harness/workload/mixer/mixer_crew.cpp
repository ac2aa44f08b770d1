// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_crew.h"

#include <algorithm>

#include "base/clock.h"
#include "harness/workload/at_once.h"

namespace qb {

MixerCrew::MixerCrew(const MixerShare& share, MemoryLedger& memory) {
  for (int w = 0; w < share.workers(); ++w) {
    const std::uint64_t before = memory.active_bytes();
    workers_.push_back(share.player(w, memory));
    held_bytes_.push_back(static_cast<std::int64_t>(memory.active_bytes() - before));
  }
}

void MixerCrew::fill(int threads) {
  for (MixerPlayer& worker : workers_) worker.fill(threads);
}

std::int64_t MixerCrew::device_peak_bytes(const MemoryLedger& memory) const {
  std::int64_t most = 0;
  for (int w = 0; w < n_workers(); ++w)
    most = std::max(most, held_bytes_[static_cast<std::size_t>(w)] +
                              static_cast<std::int64_t>(memory.worker_peak_bytes(w)));
  return most;
}

double MixerCrew::run_in_turn(Pass pass, MixerDevice& device, int threads) {
  MemoryTransport transport({.workers = n_workers()});
  return run_in_turn(pass, device, threads, transport);
}

double MixerCrew::run_in_turn(Pass pass, MixerDevice& device, int threads, Transport& transport) {
  const auto each = [&](const auto& call) {
    for (const MixerPlayer& worker : workers_) call(worker.in(pass));
  };
  each([&](CrewMember& worker) { worker.receive(transport); });
  const double start_s = now_s();
  each([&](CrewMember& worker) { worker.begin(device, threads); });
  for (int round = 0; round < workers_.front().in(pass).rounds(); ++round) {
    each([&](CrewMember& worker) { worker.post(round, device, threads, transport); });
    each([&](CrewMember& worker) { worker.await(round, transport); });
  }
  each([&](CrewMember& worker) { worker.finish(device, threads, transport); });
  return now_s() - start_s;
}

double MixerCrew::run_at_once(Pass pass, MixerDevice& device, int threads, const Network& network,
                              double timeout_s) {
  MemoryTransport transport({.carrier = true,
                             .link = network.limit,
                             .hosts = network.hosts,
                             .timeout_s = timeout_s,
                             .workers = n_workers()});
  const auto member = [&](int w) -> CrewMember& {
    return workers_[static_cast<std::size_t>(w)].in(pass);
  };
  for (int w = 0; w < n_workers(); ++w) member(w).receive(transport);
  play_at_once(n_workers(), transport, [&](int w) { member(w).play(device, threads, transport); });
  const std::vector<CrewMember::Times> all = times(pass);
  return std::ranges::max(all, {}, &CrewMember::Times::end_s).end_s -
         std::ranges::min(all, {}, &CrewMember::Times::begin_s).begin_s;
}

std::vector<CrewMember::Times> MixerCrew::times(Pass pass) const {
  std::vector<CrewMember::Times> all;
  for (const MixerPlayer& worker : workers_) all.push_back(worker.in(pass).times());
  return all;
}

}  // namespace qb
