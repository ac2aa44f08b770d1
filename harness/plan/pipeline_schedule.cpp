// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/pipeline_schedule.h"

#include <algorithm>
#include <cmath>

namespace qb {
namespace {

// The units of one pass in the order of every stage. As many microbatches at a time as there are
// stages pass one virtual stage after the other: the first are back when the last have left.
std::vector<PipelineUnit> units_of_pass(const Pipeline& pipeline, bool backward) {
  std::vector<PipelineUnit> units;
  const auto [chunks, parts] = std::pair(pipeline.chunks, pipeline.virtual_stages);
  const int at_a_time = parts == 1 ? 1 : pipeline.stages;
  for (int first = 0; first < pipeline.microbatches; first += at_a_time)
    for (int part = 0; part < parts; ++part)
      for (int microbatch = first; microbatch < first + at_a_time; ++microbatch)
        for (int chunk = 0; chunk < chunks; ++chunk)
          units.push_back({backward, microbatch, backward ? chunks - 1 - chunk : chunk,
                           backward ? parts - 1 - part : part});
  return units;
}

// The forward units of a stage before it computes forward and backward ones in turn.
int units_ahead(const Pipeline& pipeline, int stage) {
  const int after = pipeline.stages - 1 - stage;
  int ahead = pipeline.forward_units();  // gpipe
  if (pipeline.schedule == PipelineSchedule::one_f_one_b) ahead = after + pipeline.chunks - 1;
  if (pipeline.schedule == PipelineSchedule::interleaved)
    ahead = 2 * after + (pipeline.virtual_stages - 1) * pipeline.stages;
  return std::min(ahead, pipeline.forward_units());
}

}  // namespace

std::vector<PipelineUnit> units_of(const Pipeline& pipeline, int stage) {
  const std::vector<PipelineUnit> forward = units_of_pass(pipeline, false);
  const std::vector<PipelineUnit> backward = units_of_pass(pipeline, true);
  const auto ahead = static_cast<std::size_t>(units_ahead(pipeline, stage));
  std::vector<PipelineUnit> units;
  for (std::size_t i = 0; i < forward.size() + ahead; ++i) {
    if (i < forward.size()) units.push_back(forward[i]);
    if (i >= ahead) units.push_back(backward[i - ahead]);
  }
  return units;
}

int number_of(const Pipeline& pipeline, const PipelineUnit& unit) {
  return (unit.virtual_stage * pipeline.microbatches + unit.microbatch) * pipeline.chunks +
         unit.chunk + (unit.backward ? pipeline.forward_units() : 0);
}

std::optional<PipelinePlace> neighbour(const Pipeline& pipeline, int stage,
                                       const PipelineUnit& unit, int by) {
  const int stages = pipeline.stages;
  const int at = unit.virtual_stage * stages + stage + (unit.backward ? -by : by);
  if (at < 0 || at >= stages * pipeline.virtual_stages) return std::nullopt;
  return PipelinePlace{at % stages, {unit.backward, unit.microbatch, unit.chunk, at / stages}};
}

std::int64_t most_kept(const Pipeline& pipeline, int stage,
                       const std::function<std::int64_t(int chunk)>& of_unit) {
  std::int64_t kept = 0;
  std::int64_t most = 0;
  for (const PipelineUnit& unit : units_of(pipeline, stage))
    most = std::max(most, kept += (unit.backward ? -1 : 1) * of_unit(unit.chunk));
  return most;
}

double bubble_ratio(const Pipeline& pipeline) {
  const double idle = pipeline.stages - 1;
  return idle / (pipeline.forward_units() + idle);
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
