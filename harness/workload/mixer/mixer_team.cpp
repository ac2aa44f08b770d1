// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_team.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "harness/execute/transport/memory_transport.h"

namespace qb {
namespace {

// What a rank returns.
struct RankResult {
  CrewMember::Times times;
  std::int64_t peak_bytes;
};

}  // namespace

MixerTeam::MixerTeam(const MixerShare& share, Ranks ranks, MemoryLedger& memory)
    : share_(share), ranks_(ranks), memory_(memory) {
  for (int w = 0; ranks != Ranks::mpi && w < share.workers(); ++w) add_worker(w);
}

void MixerTeam::add_worker(int index) {
  const std::uint64_t before = memory_.active_bytes();
  workers_.push_back(share_.player(index, memory_));
  held_bytes_.push_back(static_cast<std::int64_t>(memory_.active_bytes() - before));
}

void MixerTeam::fill(int threads) {
  for (MixerPlayer& worker : workers_) worker.fill(threads);
}

std::int64_t MixerTeam::device_peak_bytes() const {
  std::int64_t most = rank_peak_bytes_;
  for (std::size_t w = 0; ranks_ != Ranks::mpi && w < workers_.size(); ++w)
    most = std::max(most, held_bytes_[w] + static_cast<std::int64_t>(
                                               memory_.worker_peak_bytes(static_cast<int>(w))));
  return most;
}

double MixerTeam::run_in_turn(Pass pass, const CrewMember::Tools& tools) {
  const auto each = [&](const auto& call) {
    for (const MixerPlayer& worker : workers_) call(worker.in(pass));
  };
  each([&](CrewMember& worker) { worker.receive(tools.messages); });
  const double start_s = now_s();
  for (int round = 0; round <= workers_.front().in(pass).rounds(); ++round) {
    each([&](CrewMember& worker) { worker.compute(round, tools); });
    each([&](CrewMember& worker) { worker.await(round, tools.messages); });
  }
  const double wall_s = now_s() - start_s;
  times_.clear();
  each([&](const CrewMember& worker) { times_.push_back(worker.times()); });
  return wall_s;
}

double MixerTeam::run(Pass pass, MixerDevice& device, int threads, const Network& network,
                      double timeout_s, bool collects) {
  MemoryTransport transport({.carrier = ranks_ == Ranks::threads,
                             .link = network.limit,
                             .hosts = network.hosts,
                             .timeout_s = timeout_s,
                             .workers = share_.workers()});
  if (ranks_ == Ranks::serial) return run_in_turn(pass, {device, threads, transport});
  times_.clear();
  if (ranks_ == Ranks::threads) {
    transport.run([&](int w) {
      workers_[static_cast<std::size_t>(w)].in(pass).play(transport, device, threads);
    });
    for (const MixerPlayer& worker : workers_) times_.push_back(worker.in(pass).times());
  } else {
    const auto play = [&](WorkerTeam& ranks, int rank) {
      return run_rank(pass, ranks, rank, device, threads, collects);
    };
    for (const std::string& bytes : run_over_mpi(share_.workers(), timeout_s, play)) {
      RankResult result;
      std::memcpy(&result, bytes.data(), sizeof(result));
      times_.push_back(result.times);
      rank_peak_bytes_ = std::max(rank_peak_bytes_, result.peak_bytes);
    }
    if (times_.empty()) return 0.0;
  }
  return std::ranges::max(times_, {}, &CrewMember::Times::end_s).end_s - times_.front().begin_s;
}

WorkerReport MixerTeam::run_rank(Pass pass, WorkerTeam& ranks, int rank, MixerDevice& device,
                                 int threads, bool collects) {
  WorkerReport report = run_worker(ranks, ranks, [&] {
    if (workers_.empty()) {
      add_worker(rank);
      memory_.reset_peaks();
      fill(threads);
    }
    CrewMember& worker = workers_.front().in(pass);
    worker.play(ranks, device, threads);
    if (collects) collect(pass, ranks, rank);
    RankResult result{worker.times(), held_bytes_.front() + static_cast<std::int64_t>(
                                                                memory_.worker_peak_bytes(rank))};
    result.times.end_s -= std::exchange(result.times.begin_s, 0.0);  // clocks differ
    return std::string(reinterpret_cast<const char*>(&result), sizeof(result));
  });
  if (!ranks.is_closed()) (void)new std::vector<MixerPlayer>(std::move(workers_));
  return report;
}

void MixerTeam::collect(Pass pass, WorkerTeam& ranks, int rank) {
  std::vector<Ticket> tickets;
  const std::vector<TensorView> own = first_tensors().written(pass);
  others_[pass].clear();
  for (std::size_t t = 0; t < own.size(); ++t) {
    const int step = -1 - static_cast<int>(t);  // no round of a plan
    if (rank > 0) tickets.push_back(ranks.send({rank, 0, step}, bytes_of(own[t])));
    std::vector<Tensor>& others = others_[pass].emplace_back();
    for (int w = 1; rank == 0 && w < share_.workers(); ++w) {
      Extent extent = own[t].extent;
      extent.length = share_.tokens(w).count();
      const Tensor& of_worker =
          others.emplace_back(heap_allocator(), DType::f32, extent, "collected");
      tickets.push_back(ranks.receive({w, 0, step}, bytes_of(of_worker.view())));
    }
  }
  for (const Ticket& ticket : tickets) (void)ranks.wait(ticket);
}

std::vector<TensorView> MixerTeam::written(Pass pass, int worker) const {
  if (worker < std::ssize(workers_))
    return workers_[static_cast<std::size_t>(worker)].tensors.written(pass);
  std::vector<TensorView> views;
  for (const std::vector<Tensor>& others : others_.at(pass))
    views.push_back(others[static_cast<std::size_t>(worker - 1)].view());
  return views;
}

}  // namespace qb
