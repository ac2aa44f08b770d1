// SPDX-License-Identifier: Apache-2.0
// The softmax of kernel staged: this is what one thread does of a row of scores, which becomes a
// row of weights in place. Tests run it on the host, one lane after another.
#pragma once

#include "kernels/cuda/blas/softmax_sum.cuh"
#include "kernels/cuda/blas/staged_work.h"

namespace qb::cuda {

// Holds a tile schedule and the scores of one head, in the same memory.
struct StagedHead {
  const KeySpan* spans;
  const std::uint64_t* words;
  float* scores;
  float scale;
};

// Keys key, key + 1, … (count of them, one for each lane) of a span stand in columns column, column
// + 1, … of the row.
struct StagedKeys {
  const KeySpan& span;
  Range live;
  std::int64_t key;
  std::int64_t count;
  std::int64_t column;
};

QB_DEVICE bool sees(const StagedHead& head, const StagedKeys& keys, std::int64_t row,
                    std::int64_t key) {
  if (key < keys.live.begin || key >= keys.live.end) return false;
  return keys.span.kind != SpanKind::bits || bit_is_set(head.words, keys.span, row, key);
}

// Calls function(StagedKeys) for the whole row, `lanes` keys at a time, ascending.
template <class Function>
QB_DEVICE void for_row(const StagedHead& head, const StagedTile& tile, std::int64_t row, int lanes,
                       Function function) {
  std::int64_t column = 0;
  std::int64_t end = 0;  // end of the span before
  for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
    const KeySpan span = head.spans[s];
    const Range live = live_keys(span, row);
    const std::int64_t n_keys = span.end - span.begin;
    if (span.begin != end) column = padded_keys(column);
    for (std::int64_t at = 0; at < n_keys; at += lanes)
      function(StagedKeys{span, live, span.begin + at, n_keys - at < lanes ? n_keys - at : lanes,
                          column + at});
    column += n_keys;
    end = span.end;
  }
}

QB_DEVICE float* row_scores(const StagedHead& head, const StagedTile& tile, std::int64_t row) {
  return head.scores + tile.first_score + (row - tile.begin) * tile.stride;
}

// Returns a lane's part of the row's sum. Scores of keys that the row does not see are not read.
template <class Exp>
QB_DEVICE SoftmaxSum lane_sum(const StagedHead& head, const StagedTile& tile, std::int64_t row,
                              int lane, int lanes, Exp exp) {
  const float* const scores = row_scores(head, tile, row);
  SoftmaxSum sum = sum_of_none();
  for_row(head, tile, row, lanes, [&](const StagedKeys& keys) {
    if (lane < keys.count && sees(head, keys, row, keys.key + lane))
      add(sum, scores[keys.column + lane] * head.scale, exp);
  });
  return sum;
}

// Returns the weight of a lane's key, 0 where the row does not see it. A 16-bit weight overwrites
// an earlier score: all lanes must have theirs before one is stored; the scores that follow are
// then intact. `sum` is that of the whole row.
template <class Exp>
QB_DEVICE float lane_weight(const StagedHead& head, const StagedTile& tile, std::int64_t row,
                            const StagedKeys& keys, int lane, const SoftmaxSum& sum, Exp exp) {
  if (lane >= keys.count || sum.empty() || !sees(head, keys, row, keys.key + lane)) return 0.0F;
  const float score = row_scores(head, tile, row)[keys.column + lane] * head.scale;
  return exp(score - sum.largest) / sum.sum;
}

template <class Weight>
QB_DEVICE void store_weight(const StagedHead& head, const StagedTile& tile, std::int64_t row,
                            const StagedKeys& keys, int lane, Weight weight) {
  if (lane < keys.count)
    reinterpret_cast<Weight*>(row_scores(head, tile, row))[keys.column + lane] = weight;
}

}  // namespace qb::cuda
