// SPDX-License-Identifier: Apache-2.0
// What mixes tokens, beside exact attention: cases of `workload: sequence_mixer` on one worker, or
// on several whose time the model bounds.
#pragma once

#include "plots/frame/lines.h"

namespace qb {

// Those that ran; empty for other workloads.
[[nodiscard]] Rows operator_rows(const CsvTable& cases);
// Those of `ranks: model`.
[[nodiscard]] Rows modelled_operator_rows(const CsvTable& cases);
// Softmax attention of all pairs, or of those that a causal mask leaves.
[[nodiscard]] bool is_exact(const Row& row);
// `exact`, `bigbird`, `linear, causal`.
[[nodiscard]] std::string operator_name(const Row& row);
// How far the answer is from exact attention, causal where the operator is.
[[nodiscard]] double distance_of(const Row& row);
// A line over N for each operator and mask.
[[nodiscard]] Groups operator_lines(const Rows& rows);

// Time, memory and distance against N, of random inputs where there are others.
[[nodiscard]] Figure operators_figure(const Rows& operators);
// Time on each device and memory against W, with the faster of an operator's scans at each W.
[[nodiscard]] Figure modelled_operators_figure(const Rows& operators);

}  // namespace qb
