// What the flash kernel's host side hands to its vector code: one query tile of one head.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/attention.h"

namespace qb::cpu {

// Rows of a query tile: every packed key block is used by that many rows, so that packing costs a
// few percent; a multiple of every row block of the vector code.
inline constexpr std::int64_t kFlashQueryTile = 192;
// Keys packed, scored and masked together: key block, value block, queries and accumulators of a
// tile stay in a second-level cache up to head_dim 256. A multiple of every panel width.
inline constexpr std::int64_t kFlashKeyBlock = 256;
// Distance of score rows: a little more than a block, so that they fall into different cache sets.
inline constexpr std::int64_t kFlashScoreStride = kFlashKeyBlock + 16;
// Rows whose scores exist at a time: the largest row block of any instruction set.
inline constexpr std::int64_t kFlashMaxRows = 12;
// Value columns are padded to whole vectors of the widest instruction set.
inline constexpr std::int64_t kFlashColumnMultiple = 16;

// Float32 buffers of one thread, one after the other, each 64-byte aligned.
struct FlashScratch {
  float* queries;      // [tile rows / row block][d][row block], scaled
  float* keys;         // [panel][d][panel width]
  float* values;       // [key block][padded e]
  float* scores;       // [row block][score stride]
  float* accumulator;  // [tile rows][padded e], not yet divided by `sum`
  float* largest;      // [tile rows], of the scores so far, in units of log 2
  float* sum;          // [tile rows], of 2^(score - largest)

  [[nodiscard]] static std::int64_t padded(std::int64_t value_dim) {
    return (value_dim + kFlashColumnMultiple - 1) / kFlashColumnMultiple * kFlashColumnMultiple;
  }
  [[nodiscard]] static std::int64_t floats(std::int64_t head_dim, std::int64_t value_dim) {
    return (kFlashQueryTile + kFlashKeyBlock) * (head_dim + padded(value_dim)) +
           kFlashMaxRows * kFlashScoreStride + 2 * kFlashQueryTile;
  }
  [[nodiscard]] static FlashScratch carve(float* memory, std::int64_t head_dim,
                                          std::int64_t value_dim) {
    FlashScratch scratch{};
    const auto take = [&memory](std::int64_t count) {
      return std::exchange(memory, memory + count);
    };
    scratch.queries = take(kFlashQueryTile * head_dim);
    scratch.keys = take(kFlashKeyBlock * head_dim);
    scratch.values = take(kFlashKeyBlock * padded(value_dim));
    scratch.scores = take(kFlashMaxRows * kFlashScoreStride);
    scratch.accumulator = take(kFlashQueryTile * padded(value_dim));
    scratch.largest = take(kFlashQueryTile);
    scratch.sum = take(kFlashQueryTile);
    return scratch;
  }
};

// Query rows [begin, end), at most kFlashQueryTile of them, of one head.
struct FlashTile {
  const AttentionArguments* arguments;
  std::int64_t batch;
  std::int64_t head;
  std::int64_t begin;
  std::int64_t end;
  const KeySpan* spans;
  std::int64_t n_spans;
};

}  // namespace qb::cpu
