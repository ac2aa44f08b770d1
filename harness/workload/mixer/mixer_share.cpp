// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_share.h"

#include <fmt/format.h>

#include "base/status.h"
#include "harness/workload/mixer/axial_worker.h"
#include "harness/workload/mixer/mixer_worker.h"

namespace qb {
namespace {

ScanPlan scan_of(const Case& c, const MixerProblem& mixer) {
  if (c.workers == 1) return {};
  if (c.mixer.kind == Mixer::axial) return {.workers = c.workers};  // an AxialPlan has its messages
  if (c.workers > c.shape.q_len)
    throw Unsupported(
        fmt::format("{} tokens are too few for {} workers; the nearest is workers: {}",
                    c.shape.q_len, c.workers, c.shape.q_len));
  const Extent state = mixer_state_extents(mixer.options, mixer.shape(1)).matrix;
  if (c.mixer.blocks > state.heads)
    throw Unsupported(
        fmt::format("a state of {} heads has no {} blocks; the nearest is mixer.blocks: {}",
                    state.heads, c.mixer.blocks, state.heads));
  if (c.mixer.scan == ScanKind::all_reduce && !mixer.options.causal && c.workers > state.length)
    throw Unsupported(
        fmt::format("heads of {} rows have no part for each of {} workers; the nearest is "
                    "mixer.scan: all_gather",
                    state.length, c.workers));
  return plan_scan(c.mixer.scan, c.workers,
                   c.mixer.blocks == 0 ? static_cast<int>(state.heads) : c.mixer.blocks,
                   mixer.options.causal);
}

std::optional<AxialPlan> axial_of(const Case& c) {
  if (c.workers == 1 || c.mixer.kind != Mixer::axial) return std::nullopt;
  return plan_axial(c.mixer.rows, c.shape.q_len / c.mixer.rows, c.workers);
}

double pairs(const AxialPlan& plan, std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows * plan.columns * plan.columns + columns * plan.rows * plan.rows);
}

}  // namespace

MixerShare::MixerShare(const Case& c, const MixerProblem& problem)
    : problem_(problem), scan_(scan_of(c, problem)), axial_(axial_of(c)) {
  if (axial_) {
    Extent token = problem.problem.shape.out();
    token.length = 1;
    std::vector<SizedMessage>& messages = exchanges_.emplace_back();
    for (const AxialMessage& m : axial_->messages)
      messages.push_back({m.round, m.from, m.to,
                          m.part.count() * token.elements() * size_of(problem.problem.dtype)});
    return;
  }
  if (scan_.workers == 1) return;
  for (int e = 0; e < mixer_exchanges(problem.options.kind); ++e)
    exchanges_.push_back(sized_messages(problem, scan_, e));
}

Range MixerShare::tokens(int worker) const {
  return axial_ ? axial_->tokens(worker)
                : part_of(problem_.problem.shape.q_len, scan_.workers, worker);
}

double MixerShare::flop(int worker) const {
  if (!axial_) return mixer_flop(problem_.options, problem_.shape(tokens(worker).count()));
  return mixer_flop(problem_.options, problem_.shape(problem_.problem.shape.q_len)) *
         pairs(*axial_, axial_->held(worker, 0).rows.count(),
               axial_->held(worker, 1).columns.count()) /
         pairs(*axial_, axial_->rows, axial_->columns);
}

std::unique_ptr<CrewMember> MixerShare::member(int worker, Allocator& memory) const {
  if (axial_) return std::make_unique<AxialWorker>(problem_, *axial_, worker, memory);
  return std::make_unique<MixerWorker>(problem_, scan_, worker, memory);
}

int MixerShare::rounds() const {
  return axial_ ? AxialPlan::kRounds : static_cast<int>(exchanges_.size()) * scan_.rounds();
}

double MixerShare::links_s(const Network& network) const {
  double seconds = 0.0;
  for (const std::vector<SizedMessage>& messages : exchanges_)
    seconds += rounds_time_s(messages, scan_.workers, network);
  return seconds;
}

std::optional<std::int64_t> MixerShare::state_bytes() const {
  if (axial_ || scan_.workers == 1) return std::nullopt;
  std::int64_t bytes = 0;
  for (int e = 0; e < std::ssize(exchanges_); ++e)
    for (int block = 0; block < scan_.blocks; ++block)
      bytes += block_bytes(problem_, scan_, e, block);
  return bytes;
}

std::optional<std::string> MixerShare::flaw() const {
  return axial_ ? check(*axial_) : check(scan_);
}

}  // namespace qb
