// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_group.h"

#include <algorithm>

namespace qb {

MixerGroup::MixerGroup(const MixerShare& share, Ranks ranks, MemoryLedger& memory)
    : share_(share), ranks_(ranks), memory_(memory) {
  for (int w = 0; ranks != Ranks::mpi && w < share.workers(); ++w) add_worker(w);
}

void MixerGroup::add_worker(int index) {
  const std::uint64_t before = memory_.active_bytes();
  CaseWorker& worker =
      *workers_.emplace_back(std::make_shared<CaseWorker>(share_.worker(index, memory_)));
  worker.held_bytes = static_cast<std::int64_t>(memory_.active_bytes() - before);
  device_peak_bytes_ = std::max(device_peak_bytes_, worker.held_bytes);
}

void MixerGroup::fill(int threads) {
  for (const auto& worker : workers_) worker->fill(threads);
}

Execution MixerGroup::run(Pass pass, MixerDevice& device, int threads,
                          const MemoryTransport::Options& links, bool collects) {
  const bool is_rank = ranks_ == Ranks::mpi;
  const auto make = [&](int w, WorkerTeam& team) -> std::shared_ptr<StepWorker> {
    if (workers_.empty()) {
      add_worker(w);
      memory_.reset_peaks();
      fill(threads);
    }
    const auto& worker = workers_[is_rank ? 0 : static_cast<std::size_t>(w)];
    OperatorWorker& in_pass = worker->in(pass);
    const std::int64_t held_bytes = worker->held_bytes;
    in_pass.use(device, threads, team, [=, this, &team](WorkerTime& time) {
      if (is_rank && collects) collect(pass, team, w);
      time.active_peak_bytes = held_bytes + static_cast<std::int64_t>(memory_.worker_peak_bytes(w));
    });
    return {worker, &in_pass};
  };
  Execution run = run_workers(ranks_, links, make);
  device_peak_bytes_ = 0;
  for (const WorkerTime& time : run.workers)
    device_peak_bytes_ = std::max(device_peak_bytes_, time.active_peak_bytes);
  return run;
}

void MixerGroup::collect(Pass pass, Transport& messages, int rank) {
  std::vector<Ticket> tickets;
  const std::vector<TensorView> own = first_tensors().written(pass);
  others_[pass].clear();
  for (std::size_t t = 0; t < own.size(); ++t) {
    const int step = -1 - static_cast<int>(t);  // no round of a plan
    if (rank > 0) tickets.push_back(messages.send({rank, 0, step}, bytes_of(own[t])));
    std::vector<Tensor>& others = others_[pass].emplace_back();
    for (int w = 1; rank == 0 && w < share_.workers(); ++w) {
      Extent extent = own[t].extent;
      extent.length = share_.tokens(w).count();
      const Tensor& of_worker =
          others.emplace_back(heap_allocator(), DType::f32, extent, "collected");
      tickets.push_back(messages.receive({w, 0, step}, bytes_of(of_worker.view())));
    }
  }
  for (const Ticket& ticket : tickets) (void)messages.wait(ticket);
}

std::vector<TensorView> MixerGroup::written(Pass pass, int worker) const {
  if (worker < std::ssize(workers_))
    return workers_[static_cast<std::size_t>(worker)]->tensors.written(pass);
  std::vector<TensorView> views;
  for (const std::vector<Tensor>& others : others_.at(pass))
    views.push_back(others[static_cast<std::size_t>(worker - 1)].view());
  return views;
}

}  // namespace qb
