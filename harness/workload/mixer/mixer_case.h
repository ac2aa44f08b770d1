// SPDX-License-Identifier: Apache-2.0
// The parameters of a case of workload sequence_mixer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "harness/plan/exchange/exchange_plan.h"
#include "kernels/mixer/mixer.h"

namespace qb {

// What axial adds to the scores of its rows: numbers of N(0, 1), one for each head and pair of
// columns.
enum class PairBias { none, random };

QB_WORDS(PairBias, "pair bias", none, random);

// How many decays a token has in gated_delta: one for each head (Gated DeltaNet), or one for each
// channel of its keys (KDA).
enum class DecayGate { head, channel };

QB_WORDS(DecayGate, "gate", head, channel);

struct MixerCase {
  std::optional<Mixer> kind;  // none: softmax
  std::int64_t rank = 0;      // MixerOptions::rank; of selective_scan the size of a state
  std::int64_t depth = 8;     // MixerOptions::depth, of perceiver
  std::int64_t rows = 0;      // MixerOptions::rows, of axial
  PairBias pair_bias = PairBias::none;
  DecayGate gate = DecayGate::head;
  std::int64_t chunk = 64;  // tokens
  TokenLayout layout = TokenLayout::contiguous;
  ScanKind scan = ScanKind::chain;
  int blocks = 0;  // of a state that all_scan sends; 0: one for each of its heads
};

// The rank where a case leaves it out; 0 for an operator without one. The features of performer are
// d ln d (Choromanski et al., theorem 4), in whole vectors; the others are those of the papers.
[[nodiscard]] inline std::int64_t standard_rank(Mixer kind, std::int64_t head_dim) {
  const auto d = static_cast<double>(head_dim);
  if (kind == Mixer::performer)
    return std::max<std::int64_t>(8, 8 * std::llround(d * std::log(d) / 8.0));
  if (kind == Mixer::nystrom) return 64;
  if (kind == Mixer::linformer || kind == Mixer::perceiver) return 256;
  if (kind == Mixer::short_convolution) return 4;
  return kind == Mixer::selective_scan ? 16 : 0;
}

// The number of rows nearest to the wanted one that divides the tokens, the less of two.
[[nodiscard]] inline std::int64_t nearest_rows(std::int64_t n_tokens, std::int64_t wanted) {
  for (std::int64_t off = 0;; ++off)
    for (const std::int64_t rows : {wanted - off, wanted + off})
      if (rows > 0 && n_tokens % rows == 0) return rows;
}

// The rows where a case leaves them out: as many as columns, or nearly; 0 but for axial.
[[nodiscard]] inline std::int64_t standard_rows(Mixer kind, std::int64_t n_tokens) {
  return kind == Mixer::axial
             ? nearest_rows(n_tokens, std::llround(std::sqrt(static_cast<double>(n_tokens))))
             : 0;
}

}  // namespace qb
