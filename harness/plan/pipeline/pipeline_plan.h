// SPDX-License-Identifier: Apache-2.0
// S stages share a stack of layers: microbatches pass them forwards, and their gradients backwards.
// A plan is data, as that of attention is: in which order a stage computes what. Where the result
// of a unit goes follows from the unit.
//
//   gpipe        all forward units, then all backward ones: keeps m microbatches
//                (Huang et al. 2018, arXiv 1811.06965)
//   one_f_one_b  so few forward units ahead that no stage waits, then forward and backward units in
//                turn: keeps min(m, S - s) (PipeDream-flush, Narayanan et al., arXiv 2006.09503)
//   interleaved  the same with v virtual stages a stage, S places of the stack apart: a v-th of the
//                bubble, more to keep, v times the messages (Narayanan et al., arXiv 2104.04473)
//
// Under a causal mask a microbatch may also pass in chunks of its tokens, forwards from the first
// and backwards from the last: gpipe is then TeraPipe (Li et al. 2021, arXiv 2102.07988), and
// one_f_one_b Seq1F1B (Ao et al. 2024, arXiv 2406.03488), which keeps S - s + c - 1 chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "kernels/tile_schedule.h"

namespace qb {

enum class PipelineSchedule { gpipe, one_f_one_b, interleaved };
template <>
inline constexpr auto kWords<PipelineSchedule> = word_table<PipelineSchedule>(
    "pipeline.schedule", {{PipelineSchedule::gpipe, "gpipe"},
                          {PipelineSchedule::one_f_one_b, "one_f_one_b"},
                          {PipelineSchedule::interleaved, "interleaved"}});

// What the chunks of a sequence have as many of: tokens, or pairs under a causal mask.
enum class ChunkCut { tokens, times };
template <>
inline constexpr auto kWords<ChunkCut> = word_table<ChunkCut>("pipeline.cut",
                                                              {{ChunkCut::tokens, "tokens"},
                                                               {ChunkCut::times, "times"}});

struct PipelineUnit {
  bool backward = false;
  int microbatch = 0;
  int chunk = 0;
  int virtual_stage = 0;  // number p of stage s is place p S + s of the stack
  friend bool operator==(const PipelineUnit&, const PipelineUnit&) = default;
};
struct PipelinePlace {
  int stage = 0;
  PipelineUnit unit{};
};
struct PipelineStep {
  int stage = 0;
  std::size_t index = 0;  // in its order
};

struct PipelinePlan {
  PipelineSchedule schedule = PipelineSchedule::gpipe;
  int stages = 1;
  int microbatches = 1;
  int chunks = 1;
  int virtual_stages = 1;                          // of a stage: v
  std::vector<std::vector<PipelineUnit>> order{};  // of each stage

  [[nodiscard]] int forward_units() const { return microbatches * chunks * virtual_stages; }
  // The unit's number among those of its stage, below 2 forward_units().
  [[nodiscard]] std::size_t number_of(const PipelineUnit& unit) const;
  // Where the result of a unit goes (by = 1), or from where it gets what it needs (by = -1); none
  // at the ends of the stack.
  [[nodiscard]] std::optional<PipelinePlace> neighbour(int stage, const PipelineUnit& unit,
                                                       int by) const;
};

// Throws Unsupported where interleaved microbatches are no multiple of the stages.
[[nodiscard]] PipelinePlan plan_pipeline(PipelineSchedule schedule, int stages, int microbatches,
                                         int chunks, int virtual_stages);

// All steps in an order in which one thread can play them as pipeline_stage.h says: a stage has
// room for the messages of two units, and waits until gradients have left before it sends the next
// ones. The order ends early where no stage can go on.
[[nodiscard]] std::vector<PipelineStep> playable_order(const PipelinePlan& plan);

// Returns the first error: a stage does not compute each unit once, computes one before what it
// needs of itself, or waits for ever.
[[nodiscard]] std::optional<std::string> check(const PipelinePlan& plan);

// The most forward units that a stage keeps for their backward units.
[[nodiscard]] int kept_units(const PipelinePlan& plan, int stage);
// The share of time in which stages are idle where units take equally long and messages no time:
// (S - 1) / (v m c + S - 1), whatever the schedule.
[[nodiscard]] double bubble_ratio(const PipelinePlan& plan);

// The tokens of each chunk; of equal pairs at boundaries N sqrt(i / c).
[[nodiscard]] std::vector<Range> cut_chunks(std::int64_t n_tokens, int chunks, ChunkCut cut);

}  // namespace qb
