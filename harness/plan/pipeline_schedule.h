// SPDX-License-Identifier: Apache-2.0
// S stages share a stack of layers: microbatches pass them forwards, and their gradients backwards.
// A schedule says in which order a stage computes its units; where the result of one goes follows
// from the unit.
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
#include <functional>
#include <optional>
#include <vector>

#include "base/words.h"
#include "kernels/tile_schedule.h"

namespace qb {

enum class PipelineSchedule { gpipe, one_f_one_b, interleaved };
QB_WORDS(PipelineSchedule, "pipeline.schedule", gpipe, one_f_one_b, interleaved);

// What the chunks of a sequence have as many of: tokens, or pairs under a causal mask.
enum class ChunkCut { tokens, times };
QB_WORDS(ChunkCut, "pipeline.cut", tokens, times);

// A case may leave out the first three (resolve_case()); the functions below need all.
struct Pipeline {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int stages = 0;          // S; 0: one a worker
  int layers = 0;          // of the stack; 0: one for each virtual stage of each stage
  int microbatches = 0;    // m, of interleaved a multiple of S; 0: one for each sequence
  int chunks = 1;          // c, of a sequence
  int virtual_stages = 1;  // v, of a stage
  ChunkCut cut = ChunkCut::times;

  [[nodiscard]] int forward_units() const { return microbatches * chunks * virtual_stages; }
};

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

// The units of a stage in its order: every stage has the same ones.
[[nodiscard]] std::vector<PipelineUnit> units_of(const Pipeline& pipeline, int stage);
// The unit's number among those of its stage, below 2 forward_units().
[[nodiscard]] int number_of(const Pipeline& pipeline, const PipelineUnit& unit);
// Where the result of a unit goes (by = 1), or from where it gets what it needs (by = -1); none at
// the ends of the stack.
[[nodiscard]] std::optional<PipelinePlace> neighbour(const Pipeline& pipeline, int stage,
                                                     const PipelineUnit& unit, int by);

// The most that a stage keeps for its backward units where a unit of a chunk keeps so much.
[[nodiscard]] std::int64_t most_kept(const Pipeline& pipeline, int stage,
                                     const std::function<std::int64_t(int chunk)>& of_unit);
// The share of time in which stages are idle where units take equally long and messages no time:
// (S - 1) / (v m c + S - 1), whatever the schedule.
[[nodiscard]] double bubble_ratio(const Pipeline& pipeline);

// The tokens of each chunk; of equal pairs at boundaries N sqrt(i / c).
[[nodiscard]] std::vector<Range> cut_chunks(std::int64_t n_tokens, int chunks, ChunkCut cut);

}  // namespace qb
