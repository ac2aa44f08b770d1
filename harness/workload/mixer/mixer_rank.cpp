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

double MixerRank::run(MixerDevice& device, int threads, double timeout_s, bool collects) {
  require_ranks(share_.workers());
  const std::vector<RankReport> reports = reports_over_mpi(
      share_.workers(), timeout_s,
      [&](RankTransport& ranks, int rank) { return play(ranks, rank, device, threads, collects); });
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

RankReport MixerRank::play(RankTransport& ranks, int rank, MixerDevice& device, int threads,
                           bool collects) {
  RankRun run(ranks);
  run.attempt([&] {
    if (!worker_) {
      worker_ = share_.member(rank, memory_);
      worker_->tensors().fill(threads);
    }
    worker_->receive(ranks);
  });
  run.attempt_always([&] { ranks.meet(); });
  run.attempt([&] { worker_->play(device, threads, ranks); });
  if (collects) run.attempt([&] { collect(ranks, rank); });
  run.attempt_always([&] { ranks.close(); });
  if (!ranks.is_closed()) (void)worker_.release();  // messages may still come into its buffers
  RankReport& report = run.report();
  if (report.status == Status::ok) {
    const CrewMember::Times& times = worker_->times();
    report.duration_s = times.end_s - times.begin_s;
    report.time.steps = steps_of(times);
  }
  report.time.active_peak_bytes = static_cast<std::int64_t>(memory_.worker_peak_bytes(rank));
  return report;
}

void MixerRank::collect(RankTransport& ranks, int rank) {
  constexpr int kCollect = -1;  // no round of a plan
  if (rank > 0)
    return (void)ranks.wait(
        ranks.send({rank, 0, kCollect}, bytes_of(worker_->tensors().arguments().out)));
  others_.clear();
  std::vector<Ticket> tickets;
  for (int w = 1; w < share_.workers(); ++w) {
    Extent extent = worker_->tensors().arguments().out.extent;
    extent.length = share_.tokens(w).count();
    others_.emplace_back(heap_allocator(), DType::f32, extent, "collected_output");
    tickets.push_back(ranks.receive({w, 0, kCollect}, bytes_of(others_.back().view())));
  }
  for (const Ticket& ticket : tickets) (void)ranks.wait(ticket);
}

const TensorView& MixerRank::output(int worker) const {
  return worker == 0 ? worker_->tensors().arguments().out
                     : others_[static_cast<std::size_t>(worker - 1)].view();
}

}  // namespace qb
