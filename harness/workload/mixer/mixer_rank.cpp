// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_rank.h"

#include <algorithm>

namespace qb {
namespace {

// A report has the times of steps: up to the states that a worker needs, and of its output.
std::vector<StepTime> steps_of(const CrewMember::Times& t) {
  return {{.compute_s = t.compute_s - t.mix_s,
           .exposed_communication_s = t.exposed_s,
           .idle_s = t.idle_s},
          {.compute_s = t.mix_s}};
}

CrewMember::Times times_of(const RankReport& report) {
  const StepTime& states = report.time.steps.front();
  const double mix_s = report.time.steps.back().compute_s;
  return {.compute_s = states.compute_s + mix_s,
          .mix_s = mix_s,
          .exposed_s = states.exposed_communication_s,
          .idle_s = states.idle_s,
          .end_s = report.duration_s};
}

}  // namespace

double MixerRank::run(Pass pass, MixerDevice& device, int threads, double timeout_s,
                      bool collects) {
  require_ranks(share_.workers());
  const std::vector<RankReport> reports =
      reports_over_mpi(share_.workers(), timeout_s, [&](RankTransport& ranks, int rank) {
        return play(pass, ranks, rank, device, threads, collects);
      });
  throw_failure(reports);
  times_.clear();
  double wall_s = 0.0;
  for (const RankReport& report : reports) {
    times_.push_back(times_of(report));
    wall_s = std::max(wall_s, report.duration_s);
    peak_bytes_ = std::max(peak_bytes_, report.time.active_peak_bytes);
  }
  return wall_s;
}

RankReport MixerRank::play(Pass pass, RankTransport& ranks, int rank, MixerDevice& device,
                           int threads, bool collects) {
  RankRun run(ranks);
  run.attempt([&] {
    if (!worker_) {
      const std::uint64_t before = memory_.active_bytes();
      worker_ = std::make_unique<MixerPlayer>(share_.player(rank, memory_));
      held_bytes_ = static_cast<std::int64_t>(memory_.active_bytes() - before);
      memory_.reset_peaks();
      worker_->fill(threads);
    }
    worker_->in(pass).receive(ranks);
  });
  run.attempt_always([&] { ranks.meet(); });
  run.attempt([&] { worker_->in(pass).play(device, threads, ranks); });
  if (collects) run.attempt([&] { collect(pass, ranks, rank); });
  run.attempt_always([&] { ranks.close(); });
  if (!ranks.is_closed()) (void)worker_.release();  // messages may still come into its buffers
  RankReport& report = run.report();
  if (report.status == Status::ok) {
    const CrewMember::Times& times = worker_->in(pass).times();
    report.duration_s = times.end_s - times.begin_s;
    report.time.steps = steps_of(times);
  }
  report.time.active_peak_bytes =
      held_bytes_ + static_cast<std::int64_t>(memory_.worker_peak_bytes(rank));
  return report;
}

void MixerRank::collect(Pass pass, RankTransport& ranks, int rank) {
  std::vector<Ticket> tickets;
  const auto key_of = [](int from, std::size_t tensor) {
    return MessageKey{from, 0, -1 - static_cast<int>(tensor)};  // no round of a plan
  };
  const std::vector<TensorView> own = worker_->tensors.written(pass);
  if (rank > 0) {
    for (std::size_t t = 0; t < own.size(); ++t)
      tickets.push_back(ranks.send(key_of(rank, t), bytes_of(own[t])));
  } else {
    std::vector<std::vector<Tensor>>& others = others_[pass];
    others.clear();
    for (int w = 1; w < share_.workers(); ++w) {
      std::vector<Tensor>& of_worker = others.emplace_back();
      for (std::size_t t = 0; t < own.size(); ++t) {
        Extent extent = own[t].extent;
        extent.length = share_.tokens(w).count();
        of_worker.emplace_back(heap_allocator(), DType::f32, extent, "collected");
        tickets.push_back(ranks.receive(key_of(w, t), bytes_of(of_worker.back().view())));
      }
    }
  }
  for (const Ticket& ticket : tickets) (void)ranks.wait(ticket);
}

std::vector<TensorView> MixerRank::written(Pass pass, int worker) const {
  if (worker == 0) return worker_->tensors.written(pass);
  std::vector<TensorView> views;
  for (const Tensor& tensor : others_.at(pass)[static_cast<std::size_t>(worker - 1)])
    views.push_back(tensor.view());
  return views;
}

}  // namespace qb
