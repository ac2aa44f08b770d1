// SPDX-License-Identifier: Apache-2.0
// mix.cpp hands these to the vector code (chunks.cpp): one head of a linear, performer or ssd
// operator over some tokens, chunk after chunk, with the state of the tokens before them.
#pragma once

#include <cstdint>
#include <utility>

#include "base/integers.h"
#include "kernels/mixer/mixer.h"

namespace qb::cpu {

// Rows of scratch memory go on to whole vectors of the widest instruction set.
inline constexpr std::int64_t kMixerColumns = 16;

struct ChunkTask {
  const MixerOptions& options;
  const MixerArguments& a;
  std::int64_t batch;
  std::int64_t head;                   // of the queries
  const MixerState* before = nullptr;  // nullptr: no tokens
  const MixerState* after = nullptr;   // nullptr: it is not wanted
  bool attends = false;                // computes out
  bool absorbs = false;                // adds these tokens to the state
  // performer: sqrt(scale) log2(e) omega^T, [d][features up to whole vectors]
  const float* omega = nullptr;

  [[nodiscard]] std::int64_t kv_head() const {
    return head / (a.q.extent.heads / a.k.extent.heads);
  }
  [[nodiscard]] std::int64_t state_head() const {
    return options.kind == Mixer::ssd ? head : kv_head();
  }
  [[nodiscard]] std::int64_t features() const {
    return options.kind == Mixer::performer ? options.rank : a.k.extent.head_dim;
  }
  // Without a mask between them any number of tokens may be taken at a time.
  [[nodiscard]] std::int64_t chunk() const {
    return std::min(a.k.extent.length, options.causal ? options.chunk : 128);
  }
};

// The float32 buffers of one thread lie one after the other, each aligned to 64 bytes. Widths and
// the rows of a chunk, c, are rounded up to kMixerColumns; f are features.
struct ChunkScratch {
  float* q;             // [c][f]
  float* k;             // [c][f]
  float* k_transposed;  // [f][c]
  float* v;             // [c][p]
  float* weights;       // [c][c], of a query and a key
  float* out;           // [c][p]
  float* state;         // [f][p]
  float* sums;          // [f], of phi(k)
  float* next_sums;     // [f]
  float* largest;       // [f], exponents of the features in `state` and `sums` are relative to them
  float* next_largest;  // [f]
  float* inverse;       // [c], of the sums of weights
  float* gate;          // [2][c], sums of the decay in units of log 2, as a float and a rest
  float* inputs;        // [c][d]

  // Returns the floats that it takes, and carves them from `memory` unless that is nullptr.
  static std::int64_t carve(const ChunkTask& task, float* memory, ChunkScratch& scratch) {
    const auto up = [](std::int64_t width) { return round_up(width, kMixerColumns); };
    const std::int64_t c = up(task.chunk());
    const std::int64_t f = up(task.features());
    const std::int64_t p = up(task.a.v.extent.head_dim);
    std::int64_t floats = 0;
    const auto take = [&](float*& buffer, std::int64_t count) {
      buffer = memory == nullptr ? nullptr : memory + floats;
      floats += up(count);
    };
    take(scratch.q, c * f);
    take(scratch.k, c * f);
    take(scratch.k_transposed, c * f);
    take(scratch.v, c * p);
    take(scratch.weights, c * c);
    take(scratch.out, c * p);
    take(scratch.state, f * p);
    for (float** const row :
         {&scratch.sums, &scratch.next_sums, &scratch.largest, &scratch.next_largest})
      take(*row, f);
    take(scratch.inverse, c);
    take(scratch.gate, 2 * c);
    take(scratch.inputs, c * up(task.a.k.extent.head_dim));
    return floats;
  }
};

void run_chunks(const ChunkTask& task, const ChunkScratch& scratch);

}  // namespace qb::cpu
