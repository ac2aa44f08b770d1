// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/pipeline/pipeline_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/status.h"

namespace qb {
namespace {

// The units of one pass in the order of every stage. As many microbatches at a time as there are
// stages pass one virtual stage after the other: the first are back when the last have left.
std::vector<PipelineUnit> units_of(const PipelinePlan& plan, bool backward) {
  std::vector<PipelineUnit> units;
  const int at_a_time = plan.virtual_stages == 1 ? 1 : plan.stages;
  for (int first = 0; first < plan.microbatches; first += at_a_time)
    for (int part = 0; part < plan.virtual_stages; ++part)
      for (int microbatch = first; microbatch < first + at_a_time; ++microbatch)
        for (int chunk = 0; chunk < plan.chunks; ++chunk)
          units.push_back({backward, microbatch, backward ? plan.chunks - 1 - chunk : chunk,
                           backward ? plan.virtual_stages - 1 - part : part});
  return units;
}

// The forward units of a stage before it computes forward and backward ones in turn.
int units_ahead(const PipelinePlan& plan, int stage) {
  const int after = plan.stages - 1 - stage;
  int ahead = plan.forward_units();  // gpipe
  if (plan.schedule == PipelineSchedule::one_f_one_b) ahead = after + plan.chunks - 1;
  if (plan.schedule == PipelineSchedule::interleaved)
    ahead = 2 * after + (plan.virtual_stages - 1) * plan.stages;
  return std::min(ahead, plan.forward_units());
}

// By stage and number of the unit its index in the order; the order's size where it is not there.
std::vector<std::vector<std::size_t>> indices_of(const PipelinePlan& plan) {
  std::vector<std::vector<std::size_t>> indices;
  for (const std::vector<PipelineUnit>& order : plan.order) {
    auto& of_stage = indices.emplace_back(2 * plan.forward_units(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) of_stage[plan.number_of(order[i])] = i;
  }
  return indices;
}

// What a unit needs of its own stage: the chunk before it (backwards that is the next one), and
// its forward unit.
std::vector<PipelineUnit> own_needs(const PipelinePlan& plan, const PipelineUnit& unit) {
  std::vector<PipelineUnit> needs;
  const int chunk = unit.chunk + (unit.backward ? 1 : -1);
  if (chunk >= 0 && chunk < plan.chunks)
    needs.push_back({unit.backward, unit.microbatch, chunk, unit.virtual_stage});
  if (unit.backward) needs.push_back({false, unit.microbatch, unit.chunk, unit.virtual_stage});
  return needs;
}

}  // namespace

std::size_t PipelinePlan::number_of(const PipelineUnit& unit) const {
  const int at = (unit.virtual_stage * microbatches + unit.microbatch) * chunks + unit.chunk;
  return static_cast<std::size_t>(at + (unit.backward ? forward_units() : 0));
}

std::optional<PipelinePlace> PipelinePlan::neighbour(int stage, const PipelineUnit& unit,
                                                     int by) const {
  const int at = unit.virtual_stage * stages + stage + (unit.backward ? -by : by);
  if (at < 0 || at >= stages * virtual_stages) return std::nullopt;
  return PipelinePlace{at % stages, {unit.backward, unit.microbatch, unit.chunk, at / stages}};
}

PipelinePlan plan_pipeline(PipelineSchedule schedule, int stages, int microbatches, int chunks,
                           int virtual_stages) {
  if (schedule == PipelineSchedule::interleaved && microbatches % stages != 0)
    throw Unsupported(
        fmt::format("interleaved passes as many microbatches at a time as there are stages, and {} "
                    "is not a multiple of {}; the nearest is pipeline.microbatches: {}",
                    microbatches, stages, std::max(1, microbatches / stages) * stages));
  PipelinePlan plan{schedule, stages, microbatches, chunks, virtual_stages};
  const std::vector<PipelineUnit> forward = units_of(plan, false);
  const std::vector<PipelineUnit> backward = units_of(plan, true);
  for (int stage = 0; stage < stages; ++stage) {
    const auto ahead = static_cast<std::size_t>(units_ahead(plan, stage));
    std::vector<PipelineUnit>& order = plan.order.emplace_back();
    for (std::size_t i = 0; i < forward.size() + ahead; ++i) {
      if (i < forward.size()) order.push_back(forward[i]);
      if (i >= ahead) order.push_back(backward[i - ahead]);
    }
  }
  return plan;
}

std::vector<PipelineStep> playable_order(const PipelinePlan& plan) {
  const auto indices = indices_of(plan);
  std::vector<std::size_t> done(plan.order.size(), 0);
  std::vector<std::optional<PipelinePlace>> sent(plan.order.size());  // the last gradients
  const auto is_after = [&](const std::optional<PipelinePlace>& place, std::size_t steps) {
    if (!place) return false;
    const auto stage = static_cast<std::size_t>(place->stage);
    return indices[stage][plan.number_of(place->unit)] >= done[stage] + steps;
  };
  std::vector<PipelineStep> steps;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t stage = 0; stage < done.size(); ++stage)
      for (; done[stage] < plan.order[stage].size(); ++done[stage], moved = true) {
        const PipelineUnit& unit = plan.order[stage][done[stage]];
        const PipelineStep step{static_cast<int>(stage), done[stage]};
        if (is_after(plan.neighbour(step.stage, unit, -1), 0)) break;  // not computed yet
        if (unit.backward && is_after(sent[stage], 2)) break;          // no room for them yet
        if (unit.backward) sent[stage] = plan.neighbour(step.stage, unit, 1);
        steps.push_back(step);
      }
  }
  return steps;
}

std::optional<std::string> check(const PipelinePlan& plan) {
  const auto indices = indices_of(plan);
  std::vector<std::size_t> done(plan.order.size(), 0);
  const auto text = [](const PipelineUnit& unit) {
    return fmt::format("the {} pass of microbatch {}, chunk {}, virtual stage {}",
                       unit.backward ? "backward" : "forward", unit.microbatch, unit.chunk,
                       unit.virtual_stage);
  };
  for (std::size_t stage = 0; stage < plan.order.size(); ++stage) {
    const std::vector<PipelineUnit>& order = plan.order[stage];
    if (order.size() != indices[stage].size() || std::ranges::count(indices[stage], order.size()))
      return fmt::format("stage {} does not compute each of its {} units once", stage,
                         indices[stage].size());
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const PipelineUnit& need : own_needs(plan, order[i]))
        if (indices[stage][plan.number_of(need)] > i)
          return fmt::format("stage {} computes {} before {}", stage, text(order[i]), text(need));
  }
  for (const PipelineStep& step : playable_order(plan))
    ++done[static_cast<std::size_t>(step.stage)];
  for (std::size_t stage = 0; stage < done.size(); ++stage)
    if (done[stage] < plan.order[stage].size())
      return fmt::format("stage {} waits for ever before {}", stage,
                         text(plan.order[stage][done[stage]]));
  return std::nullopt;
}

int kept_units(const PipelinePlan& plan, int stage) {
  return std::min(plan.forward_units(), units_ahead(plan, stage) + 1);
}

double bubble_ratio(const PipelinePlan& plan) {
  const double idle = plan.stages - 1;
  return idle / (plan.forward_units() + idle);
}

std::vector<Range> cut_chunks(std::int64_t n_tokens, int chunks, ChunkCut cut) {
  std::vector<Range> ranges;
  for (int i = 1; i <= chunks; ++i) {
    const double share = static_cast<double>(i) / chunks;
    const double end =
        static_cast<double>(n_tokens) * (cut == ChunkCut::times ? std::sqrt(share) : share);
    // Rounding leaves each later chunk a token.
    ranges.push_back({ranges.empty() ? 0 : ranges.back().end,
                      std::min<std::int64_t>(std::llround(end), n_tokens - (chunks - i))});
  }
  return ranges;
}

}  // namespace qb
