// SPDX-License-Identifier: Apache-2.0
// Finds which keys of a piece a group of query rows sees: one run of neighbours where the span is
// full, causal or a band, and for bits one run for all neighbouring steps in which some row sees a
// key. What only some rows of a run see is described by a mask.
#if defined(QB_KERNELS_CPU_FLASH_RUNS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_FLASH_RUNS_INL_H
#undef QB_KERNELS_CPU_FLASH_RUNS_INL_H
#else
#define QB_KERNELS_CPU_FLASH_RUNS_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/cpu/flash_group-inl.h"
#include "kernels/cpu/flash_tile.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// In these functions a group has `width` lanes, token_of(lane) returns the query row of a lane, and
// score(begin, end, mask) is called for each run; mask is null where every row sees all of it.

// Calls score once for the keys from the first to the last that a row sees.
template <class TokenOf, class Score>
HWY_INLINE void score_live_range(const FlashTile::Piece& piece, std::int64_t width,
                                 TokenOf token_of, Score score) {
  Run::Mask mask;
  mask.bits = false;
  std::int64_t first = piece.end;
  std::int64_t last = piece.begin;
  for (std::int64_t i = 0; i < width; ++i) {
    const Range live = piece.span->live(token_of(i));
    const std::int64_t begin = std::max(live.begin, piece.begin);
    const std::int64_t end = std::max(begin, std::min(live.end, piece.end));
    mask.first[i] = static_cast<std::int32_t>(begin - piece.begin);
    mask.end[i] = static_cast<std::int32_t>(end - piece.begin);
    if (begin == end) continue;
    first = std::min(first, begin);
    last = std::max(last, end);
  }
  if (first >= last) return;
  first = piece.begin + (first - piece.begin) / kFlashKeyStep * kFlashKeyStep;
  last = std::min(piece.end, piece.begin + round_up(last - piece.begin, kFlashKeyStep));
  const auto skipped = static_cast<std::int32_t>(first - piece.begin);
  mask.latest_first = 0;
  mask.earliest_end = static_cast<std::int32_t>(last - first);
  for (std::int64_t i = 0; i < width; ++i) {
    mask.latest_first = std::max(mask.latest_first, mask.first[i] -= skipped);
    mask.earliest_end = std::min(mask.earliest_end, mask.end[i] -= skipped);
  }
  const bool all = mask.latest_first <= 0 && mask.earliest_end >= last - first;
  score(first, last, all ? nullptr : &mask);
}

// Calls score for each run of steps of keys in which some row sees one.
template <class TokenOf, class Score>
HWY_INLINE void score_live_steps(const TileSchedule& schedule, const FlashTile::Piece& piece,
                                 std::int64_t width, TokenOf token_of, Score score) {
  Run::Mask mask;
  mask.bits = true;
  const std::int64_t first_bit = piece.begin - piece.span->begin;
  const std::int64_t first_word = first_bit / 64;
  const std::int64_t n_words = (first_bit + piece.end - piece.begin + 63) / 64 - first_word;
  std::uint64_t any[kFlashKeyBlock / 64 + 2] = {};
  for (std::int64_t i = 0; i < width; ++i) {
    mask.words[i] = schedule.row_bits(*piece.span, token_of(i));
    for (std::int64_t w = 0; w < n_words; ++w) any[w] |= mask.words[i][first_word + w];
  }
  const auto step_is_live = [&](std::int64_t key) {
    const std::int64_t bit = key - piece.begin + first_bit % 64;
    std::uint64_t bits = any[bit / 64] >> (bit % 64);
    if (bit % 64 != 0) bits |= any[bit / 64 + 1] << (64 - bit % 64);
    const std::int64_t keys = std::min(kFlashKeyStep, piece.end - key);
    return (bits & ((std::uint64_t{1} << keys) - 1)) != 0;
  };
  for (std::int64_t key = piece.begin; key < piece.end;) {
    const std::int64_t begin = key;
    while (key < piece.end && step_is_live(key)) key = std::min(piece.end, key + kFlashKeyStep);
    if (key > begin) {
      mask.first_bit = begin - piece.span->begin;
      score(begin, key, &mask);
    }
    if (key < piece.end) key = std::min(piece.end, key + kFlashKeyStep);
  }
}

template <class TokenOf, class Score>
HWY_INLINE void for_each_live_run(const TileSchedule& schedule, const FlashTile::Piece& piece,
                                  std::int64_t width, TokenOf token_of, Score score) {
  if (!piece.masked)
    score(piece.begin, piece.end, nullptr);
  else if (piece.span->kind == SpanKind::bits)
    score_live_steps(schedule, piece, width, token_of, score);
  else
    score_live_range(piece, width, token_of, score);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
