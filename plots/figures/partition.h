// The N x N matrix of query-key pairs, coloured by the worker that computes them.
#pragma once

#include <string>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// `rectangles` has the columns worker, q_begin, q_end, k_begin, k_end (half-open token ranges),
// allowed and offset. allowed: `all`; `causal`, only pairs with local key index <= local query
// index
// + offset; of patterns `cells`, every pair, and `some`, a part of them, drawn pale. A causal
// rectangle is drawn as rows of whole pairs, or in 64 bands where it has more rows. Throws
// UsageError where there are no rectangles, or more workers than can be told apart (128).
[[nodiscard]] Figure partition_figure(const CsvTable& rectangles, const std::string& title);

// Draws it to `path`, which ends in .svg, .pdf or .png. Throws as partition_figure and
// write_picture.
void draw_partition(const CsvTable& rectangles, const std::string& path, const std::string& title);

}  // namespace qb
