// SPDX-License-Identifier: Apache-2.0
// mix_backward() hands these to the vector code (backward_chunks.cpp): one query head of linear,
// ssd or gated_delta over all tokens.
#pragma once

#include <span>

#include "kernels/mixer/segments.h"

namespace qb::cpu {

struct BackwardTask {
  ChunkTask chunks;
  const MixerGradients& gradients;
  // The state before each chunk; where the operator is not causal, the last one is of all tokens.
  // gated_delta makes its own, and an ssd needs none for `earlier` alone.
  std::span<const OwnState> states;
  bool adds;  // to d_k and d_v, which hold what other heads of the group gave
  // Gradients of the state after these tokens and of that before them, if they have data. Without
  // d_q no other gradients are wanted.
  const MixerState& later;
  const MixerState& earlier;

  [[nodiscard]] bool wants_all() const { return gradients.d_q.data != nullptr; }
  // Heads of a group that share a state: the first one takes `later`, and the others add to
  // `earlier`.
  [[nodiscard]] bool adds_to_state() const { return adds && chunks.options.kind == Mixer::linear; }
};

// The float32 buffers of one thread besides those of the chunks, as there.
struct MixerScratch {
  float* d_out;             // [c][p]; for linear over the sum of weights
  float* d_weights;         // [c][c]
  float* v_transposed;      // [p][c]
  float* state_transposed;  // [p][f]
  float* later;             // [f][p], T
  float* later_transposed;  // [p][f]
  float* later_sums;        // [f], of s phi(q) of later tokens
  float* gradients;         // [c][the larger of f and p], of a chunk
  float* d_sum;             // [c], s of linear; gated_delta: dP_ii
  // The parts of an ssd's ddecay, [c] each: sums of W dW over a row and over a column, and over
  // pairs of the row with earlier chunks and of the column with later ones.
  float* row_pairs;
  float* column_pairs;
  float* earlier_pairs;
  float* later_pairs;
  // These are gated_delta's (delta.cpp).
  float* states;         // [chunks - 1][d][p], before each chunk but the last
  float* q;              // [c][f], rows without a decay
  float* k;              // [c][f]
  float* errors;         // [c][p]
  float* d_updates;      // [c][p], then minus the gradients of the errors
  float* d_key_weights;  // [c][c]
  float* d_q;            // [c][f]
  float* d_k;            // [c][f], of keys as the later of a pair, then whole
  float* d_columns;      // [c][f], of keys as the earlier one of a pair in the chunk

  std::int64_t floats;  // of all of them

  [[nodiscard]] static MixerScratch carve(const ChunkTask& task, float* memory);
};

void run_backward(const BackwardTask& task, const ChunkScratch& scratch, const MixerScratch& more);
void run_delta_backward(const BackwardTask& task, const ChunkScratch& scratch,
                        const MixerScratch& more);

}  // namespace qb::cpu
