// SPDX-License-Identifier: Apache-2.0
// Segments of a call (segments.h) hand these to the vector code (chunks.cpp): one head of an
// operator over some tokens, chunk after chunk, with the state of the tokens before them.
//
// The features of linear are elu + 1 and those of ssd are the rows themselves. The others are
// exponential: of a token x, exp(omega_r.x - half |x|^2) for rows omega_r. softmax(Q omega^T) V is
// what queries Q with such features make of a state whose matrix is V and whose vector is 0, and
// the attention of queries omega over all tokens is the matrix of their state. So linformer and
// nystrom are computed as performer is, with other rows omega and half = 0.
#pragma once

#include <cstdint>

#include "base/integers.h"
#include "kernels/cpu/carve.h"
#include "kernels/mixer/mixer.h"

namespace qb::cpu {

// Rows of scratch memory go on to whole vectors of the widest instruction set.
inline constexpr std::int64_t kMixerColumns = 16;

inline constexpr std::int64_t kProjectedTokens = 128;  // of a block of project_tokens()

// Products may read and write so many rows behind the last one (products-inl.h).
inline constexpr std::int64_t kRowsBehind = 3;

struct ExponentialFeatures {
  TensorView omega{};  // log2(e) omega^T, [.,.,d,features], its rows in whole vectors
  float half = 0.0f;   // times log2(e)
};

struct ChunkTask {
  const MixerOptions& options;
  const MixerArguments& a;
  const ExponentialFeatures& exponential;
  std::int64_t batch = 0;
  std::int64_t head = 0;               // of the queries
  const MixerState* before = nullptr;  // nullptr: no tokens
  const MixerState* after = nullptr;   // nullptr: it is not wanted
  bool attends = false;                // computes out
  bool absorbs = false;                // adds these tokens to the state

  [[nodiscard]] std::int64_t kv_head() const {
    return head / (a.q.extent.heads / a.k.extent.heads);
  }
  [[nodiscard]] std::int64_t state_head() const {
    return options.kind == Mixer::ssd || is_delta() ? head : kv_head();
  }
  [[nodiscard]] std::int64_t features() const {
    return is_exponential() ? options.rank : a.k.extent.head_dim;
  }
  [[nodiscard]] bool is_delta() const { return options.kind == Mixer::gated_delta; }
  [[nodiscard]] bool is_exponential() const { return exponential.omega.data != nullptr; }
  // Without a mask between them any number of tokens may be taken at a time.
  [[nodiscard]] std::int64_t chunk() const {
    return std::min(a.k.extent.length, options.causal ? options.chunk : 128);
  }
};

// The float32 buffers of one thread lie one after the other, each aligned to 64 bytes. Widths, and
// the rows c of a chunk with those behind them, are rounded up to kMixerColumns; f are features.
struct ChunkScratch {
  float* q;             // [c][f]
  float* k;             // [c][f]
  float* k_transposed;  // [f][c]
  float* v;             // [c][p]
  float* weights;       // [c][c], of a query and a key
  float* out;           // [c][p]
  float* state;         // [f][p]
  float* sums;          // [f], of phi(k)
  float* largest;       // [f], exponents of the features in `state` and `sums` are relative to them
  float* next_largest;  // [f], with the keys of the chunk
  float* rescaling;     // [f], 2^(largest - next_largest); gated_delta: what the chunk leaves of S
  float* inverse;       // [c], of the sums of weights
  float* gate;          // [2][c], sums of the decay in units of log 2, as a float and a rest
  float* inputs;        // [c][d]
  // These are gated_delta's (delta_rows-inl.h), whose state and updates also have columns for M.
  float* key_weights;  // [c][c], of a key and an earlier one
  float* updates;      // [c][p + f]
  float* rest;         // [4][p + f]
  float* factors;      // [c][f], of the decay of channels
  float* beta;         // [c]

  std::int64_t floats;  // of all of them

  // Without memory it only counts them.
  [[nodiscard]] static ChunkScratch carve(const ChunkTask& task, float* memory);
};

// The heads [first, first + count) of one batch; a view without data stays as it is.
[[nodiscard]] inline TensorView heads_of(const TensorView& view, std::int64_t batch,
                                         std::int64_t first, std::int64_t count) {
  if (view.data == nullptr) return view;
  TensorView some = view.heads(first, count);
  some.data = some.row(batch, 0, 0);
  some.extent.batch = 1;
  return some;
}

// Returns the columns of the weights: c.
[[nodiscard]] inline std::int64_t chunk_columns(const ChunkTask& task) {
  return round_up(task.chunk() + kRowsBehind, kMixerColumns);
}

void run_chunks(const ChunkTask& task, const ChunkScratch& scratch);
void run_delta(const ChunkTask& task, const ChunkScratch& scratch);  // of gated_delta

}  // namespace qb::cpu
