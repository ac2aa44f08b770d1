// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_share.h"

#include <fmt/format.h>

#include "base/status.h"
#include "harness/workload/mixer/axial_worker.h"
#include "harness/workload/mixer/mixer_worker.h"

namespace qb {
namespace {

ExchangePlan scan_of(const Case& c, const MixerProblem& mixer) {
  const auto workers = static_cast<std::size_t>(c.workers);
  const ExchangePlan none{.held = std::vector<std::vector<Part>>(workers),
                          .wanted = std::vector<std::vector<Part>>(workers, {Part{}})};
  if (c.workers == 1 || c.mixer.kind == Mixer::axial) return none;
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

std::optional<AxialTensor> axial_of(const Case& c) {
  if (c.workers == 1 || c.mixer.kind != Mixer::axial) return std::nullopt;
  return plan_axial(c.mixer.rows, c.shape.q_len / c.mixer.rows, c.workers);
}

double pairs(const AxialTensor& plan, std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows * plan.columns * plan.columns + columns * plan.rows * plan.rows);
}

}  // namespace

MixerShare::MixerShare(const Case& c, const MixerProblem& problem)
    : problem_(problem),
      passes_(passes_of(c.pass)),
      scan_(scan_of(c, problem)),
      axial_(axial_of(c)),
      exchanges_{make_exchanges(Pass::forward), make_exchanges(Pass::backward)} {}

ExchangeMessages MixerShare::make_exchanges(Pass pass) const {
  if (workers() == 1) return {};
  ExchangeMessages exchanges;
  if (!axial_) {
    for (int e = 0; e < mixer_exchanges(problem_.options.kind); ++e)
      for (std::vector<SizedMessage>& messages = exchanges.emplace_back();
           const ExchangeMessage& m : scan_.messages)
        messages.push_back({m.round, m.from, m.to,
                            block_bytes(problem_, scan_, e, m.part.columns.begin), m.part, e});
    return exchanges;
  }
  Extent token = problem_.problem.shape.out();
  token.length = 1;
  std::vector<SizedMessage>& messages = exchanges.emplace_back();
  int round = 0;
  for (const int change : axial_rounds(pass, problem_.has_pair_bias)) {
    if (change == kGatherBias)
      for (int step = 1; step < axial_->workers; ++step)
        for (int from = 0; from < axial_->workers; ++from)
          messages.push_back({round,
                              from,
                              (from + step) % axial_->workers,
                              token.heads * axial_->columns_of(from).columns.count() *
                                  axial_->columns * size_of(problem_.problem.dtype),
                              {},
                              round});
    else
      for (const ExchangeMessage& m : axial_->changes[change].messages)
        messages.push_back({round, m.from, m.to,
                            m.part.count() * token.elements() * size_of(problem_.problem.dtype),
                            m.part, round});
    ++round;
  }
  return exchanges;
}

Range MixerShare::tokens(int worker) const {
  if (!axial_) return part_of(problem_.problem.shape.q_len, workers(), worker);
  const Range rows = axial_->rows_of(worker).rows;
  return {rows.begin * axial_->columns, rows.end * axial_->columns};
}

double MixerShare::flop(int worker, Pass pass) const {
  const auto of = [&](std::int64_t n_tokens) {
    const MixerShape shape = problem_.shape(n_tokens);
    return pass == Pass::forward ? mixer_flop(problem_.options, shape)
                                 : mixer_backward_flop(problem_.options, shape);
  };
  if (!axial_) return of(tokens(worker).count());
  return of(problem_.problem.shape.q_len) *
         pairs(*axial_, axial_->rows_of(worker).rows.count(),
               axial_->columns_of(worker).columns.count()) /
         pairs(*axial_, axial_->rows, axial_->columns);
}

CaseWorker MixerShare::worker(int index, Allocator& memory) const {
  const bool goes_back = passes_.back() == Pass::backward;
  CaseWorker made{tensors(index, goes_back, memory)};
  if (axial_) {
    auto forward = std::make_unique<AxialForward>(problem_, made.tensors, exchanges(Pass::forward),
                                                  *axial_, index, memory);
    if (goes_back)
      made.backward = std::make_unique<AxialBackward>(
          problem_, made.tensors, exchanges(Pass::backward), *axial_, index, memory, *forward);
    made.forward = std::move(forward);
    return made;
  }
  made.forward = std::make_unique<MixerWorker>(problem_, made.tensors, exchanges(Pass::forward),
                                               scan_, index, memory);
  if (goes_back)
    made.backward = std::make_unique<MixerBackward>(problem_, made.tensors,
                                                    exchanges(Pass::backward), index, memory);
  return made;
}

int MixerShare::rounds() const {
  int rounds = 0;
  for (const Pass pass : passes_)
    for (const std::vector<SizedMessage>& messages : exchanges(pass))
      rounds += messages.back().round + 1;
  return rounds;
}

double MixerShare::links_s(const Network& network) const {
  double seconds = 0.0;
  for (const Pass pass : passes_)
    for (const std::vector<SizedMessage>& messages : exchanges(pass))
      seconds += rounds_time_s(messages, workers(), network);
  return seconds;
}

std::optional<std::int64_t> MixerShare::state_bytes() const {
  if (axial_ || workers() == 1) return std::nullopt;
  std::int64_t bytes = 0;
  for (int e = 0; e < mixer_exchanges(problem_.options.kind); ++e)
    for (int block = 0; block < blocks_of(scan_); ++block)
      bytes += block_bytes(problem_, scan_, e, block);
  return bytes;
}

std::optional<std::string> MixerShare::flaw() const {
  if (!axial_) return check(scan_);
  const std::optional<std::string> error = check(axial_->changes[0]);
  return error ? error : check(axial_->changes[1]);
}

}  // namespace qb
