// SPDX-License-Identifier: Apache-2.0
// Recomputes bounds that papers print from their own inputs: the theoretical max speed-up of
// Striped Attention (speed_up_bound.h) and the minimum block of Ring Attention (sent_bytes.h). The
// printed values are compiled in from data/published/.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/verdict.h"
#include "harness/plan/theory/speed_up_bound.h"

namespace qb {

struct PublishedSpeedUp {
  std::string table;  // `3`, `4`, `5`, or the section `A.1`, `A.2`, `A.3`
  std::string hardware;
  int model_parallel = 1;
  RingStep step;
  Printed printed;
};
// The 190 rows with a TMS: tables 3, 4 and 5 (53) and appendix A (137), in file order.
[[nodiscard]] const std::vector<PublishedSpeedUp>& published_speed_ups();

// Weights that suit the printed values: 1.25, found with the layers alone, and 1.28 where the
// projection to the vocabulary counts too (fit_weight() gives the ranges).
inline constexpr double kLayersWeight = 1.25;
inline constexpr double kLayersAndVocabularyWeight = 1.28;
[[nodiscard]] double default_weight(DenseCount count);

struct WeightFit {
  double least_squares = 0.0;  // the w with the least sum of squared differences
  double rms_difference = 0.0;
  std::size_t most_agreeing = 0;  // rows that agree together for any w of [from, to)
  double from = 0.0;
  double to = 0.0;
};
// It is exact but for rounding: each row (of one or more) agrees on one interval of w; the
// intervals are counted.
[[nodiscard]] WeightFit fit_weight(std::span<const PublishedSpeedUp> rows, DenseCount count);

struct PublishedMinBlock {
  std::string host;
  double peak_flop_per_s = 0.0;
  double link_byte_per_s = 0.0;
  Printed block_kilotokens;     // c = FLOPS / bandwidth, thousands
  Printed sequence_kilotokens;  // s = 6 c, thousands
};
// Table 2 of Ring Attention, five rows.
[[nodiscard]] const std::vector<PublishedMinBlock>& published_min_blocks();

}  // namespace qb
